#include "app/report/thinning.hpp"

#include <algorithm>
#include <cmath>

#include "tests/support/catch.hpp"

using namespace pithball::app;

TEST_CASE("thinning: few rows are all kept", "[app][report]") {
  CHECK(thinned_rows({{1, 2, 3}}, 8) == std::vector<std::size_t>{0, 1, 2});
  CHECK(thinned_rows({}, 8).empty());
}

TEST_CASE("thinning: both ends and every peak of many rows are kept, in order", "[app][report]") {
  std::vector<double> wave, spikes(60001, 0.0);
  for (std::size_t k = 0; k < 60001; ++k) wave.push_back(std::sin(0.01 * static_cast<double>(k)));
  spikes[12345] = 7;
  spikes[44444] = -7;
  spikes[100] = NAN;
  const auto rows = thinned_rows({wave, spikes}, 2000);
  CHECK(rows.size() <= 2000);
  CHECK(rows.size() > 800);
  CHECK(std::is_sorted(rows.begin(), rows.end()));
  CHECK(rows.front() == 0);
  CHECK(rows.back() == 60000);
  for (const std::size_t peak : {12345, 44444}) CHECK(std::count(rows.begin(), rows.end(), peak) == 1);
  const auto shown = at_rows(wave, rows);
  CHECK(*std::max_element(shown.begin(), shown.end()) == *std::max_element(wave.begin(), wave.end()));
}
