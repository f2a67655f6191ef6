#include "sim/core/bytes.hpp"

#include <limits>

#include "tests/support/catch.hpp"

using pithball::BytesReader;
using pithball::BytesWriter;

TEST_CASE("bytes: what was written is read in the same order", "[sim]") {
  BytesWriter out;
  out.number(-7);
  out.text("a\0b");
  out.list({1.5, -0.0});
  out.number(2);
  out.number(1);
  const double entries[] = {3, 4};
  out.reals(entries, 2);
  BytesReader in(out.bytes());
  CHECK(in.number() == -7);
  CHECK(in.text() == "a\0b");
  CHECK(in.list() == std::vector<double>{1.5, -0.0});
  CHECK(in.shape(sizeof(double)) == std::pair<std::size_t, std::size_t>(2, 1));
  double read[2];
  in.reals(read, 2);
  CHECK(read[1] == 4);
  CHECK_THROWS_AS(in.number(), std::runtime_error);
}

TEST_CASE("bytes: sizes that the rest cannot hold are rejected before memory is taken", "[sim][error]") {
  constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t size : {huge, huge / 8 + 1, std::int64_t{2}, std::int64_t{-1}}) {
    BytesWriter out;
    out.number(size);
    out.real(1);  // one entry
    CHECK_THROWS_AS(BytesReader(out.bytes()).list(), std::runtime_error);
  }
  const std::pair<std::int64_t, std::int64_t> shapes[] = {{huge, huge}, {2, 1},  {1, 2},
                                                          {-1, 0},      {0, -1}, {1LL << 32, 1LL << 32}};
  for (const auto& [rows, columns] : shapes) {
    CAPTURE(rows, columns);
    BytesWriter out;
    out.number(rows);
    out.number(columns);
    out.real(1);
    CHECK_THROWS_AS(BytesReader(out.bytes()).shape(sizeof(double)), std::runtime_error);
  }
}
