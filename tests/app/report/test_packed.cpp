#include "app/report/packed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/app/report/unpack.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::app;
using pithball::test::unpack;

TEST_CASE("packed: single precision and whole numbers come back to the last bit", "[app][report]") {
  const std::vector<float> numbers{1.5f,  -0.0f,   std::numeric_limits<float>::denorm_min(),
                                   3e38f, -1e-20f, std::numeric_limits<float>::quiet_NaN()};
  const auto back = unpack(pack_float32({2, 3}, numbers));
  REQUIRE(back.size() == 6);
  for (std::size_t i = 0; i < 5; ++i) CHECK(back[i] == numbers[i]);
  CHECK(std::signbit(back[1]));
  CHECK(std::isnan(back[5]));
  CHECK(unpack(pack_uint32({3}, {0, 258, 4294967295u})) == std::vector<double>{0, 258, 4294967295.0});
  CHECK(unpack(pack_uint32({0, 2}, {})).empty());
  CHECK_THROWS(pack_uint32({4}, {1, 2, 3}));
}

TEST_CASE("packed: quantized numbers come back to half a quantum, whatever the order of differences", "[app][report]") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> anywhere(-1, 1);
  // From one row to the next numbers jump over the whole range, so that differences wrap around.
  const std::size_t rows = GENERATE(1, 2, 3, 50), columns = 7;
  std::vector<double> numbers;
  for (std::size_t i = 0; i < rows * columns * 3; ++i)
    numbers.push_back(1000 * static_cast<double>(i % 3) + (i % 3 == 1 ? 5 : 1) * anywhere(random));
  const int order = GENERATE(0, 1, 2);
  CAPTURE(rows, order);
  for (const bool wide : {false, true}) {
    const Quantization by = quantization_of(numbers, 3, wide ? 65536 : 256);
    const auto packed =
        wide ? pack_uint16({rows, columns, 3}, numbers, by, order) : pack_uint8({rows, columns, 3}, numbers, by, order);
    CHECK(packed["order"] == order);
    CHECK(packed["offset"].size() == 3);
    const auto back = unpack(packed);
    REQUIRE(back.size() == numbers.size());
    double worst = 0;
    for (std::size_t i = 0; i < back.size(); ++i) worst = std::max(worst, std::abs(back[i] - numbers[i]));
    CHECK(worst <= 0.5 * by.quantum * (1 + 1e-6));
    CHECK(worst > 0.2 * by.quantum);  // the quantum is what limits
    CHECK(by.quantum <= 10.0 / (wide ? 65535 : 255));
  }
}

TEST_CASE("packed: numbers that are all equal come back exactly", "[app][report]") {
  const std::vector<double> numbers(12, 0.1);
  CHECK(unpack(pack_uint16({4, 3}, numbers, quantization_of(numbers, 1, 65536), 2)) == numbers);
}

TEST_CASE("packed: a motion of constant acceleration takes next to no room", "[app][report]") {
  std::vector<double> numbers;
  for (int frame = 0; frame < 400; ++frame)
    for (int particle = 0; particle < 100; ++particle) numbers.push_back(4.9 * frame * frame * 1e-4 + particle);
  const Quantization by = quantization_of(numbers, 1, 65536);
  const auto second = packed_size(pack_uint16({400, 100}, numbers, by, 2));
  CHECK(second < 40000);  // 80 000 bytes of numbers, 106 668 characters
  CHECK(second < packed_size(pack_uint16({400, 100}, numbers, by, 0)));
}
