#include "app/base/estimate_text.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "tests/support/catch.hpp"

using namespace pithball::app;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity(), unknown = std::numeric_limits<double>::quiet_NaN();

struct Read {
  double value, error;
};

/// What "59.93(11)" says, by the rule of JCGM 100:2008, 7.2.2, without the code that wrote it: digits without a point
/// are units of the value's last place.
Read read(const std::string& text) {
  const std::size_t open = text.find('('), close = text.find(')');
  REQUIRE(open != std::string::npos);
  const std::string value = text.substr(0, open), error = text.substr(open + 1, close - open - 1);
  const std::size_t point = value.find('.');
  double unit = 1;
  if (point != std::string::npos && error.find('.') == std::string::npos)
    unit = std::pow(10.0, -static_cast<double>(value.size() - point - 1));
  return {std::stod(value), std::stod(error) * unit};
}

}  // namespace

TEST_CASE("estimate text: a value has the digits that its error allows", "[app][base]") {
  CHECK(estimate_text(59.9289e-9, 0.114e-9, "C") == "59.93(11) nC");
  CHECK(estimate_text(10.0022, 0.0731, "N/m") == "10.00(7) N/m");
  CHECK(estimate_text(-59.9289e-9, 0.114e-9, "C") == "-59.93(11) nC");
  CHECK(estimate_text(59.3, 1.1, "N/m") == "59.3(1.1) N/m");
  CHECK(estimate_text(1234, 250, "") == "1230(250)");
  CHECK(estimate_text(1234, 9.7, "") == "1234(10)");  // 9.7 to one digit is 10
  CHECK(estimate_text(1234, 0.0299, "") == "1234.00(3)");
  CHECK(estimate_text(1234, 0.0294, "") == "1234.000(29)");
  CHECK(estimate_text(5.9e-5, 1.2e-6, "kg/s") == "59.0(1.2) mg/s");
  CHECK(estimate_text(5.9e-5, 1.2e-6, "") == "5.90(12)×10⁻⁵");
  CHECK(estimate_text(1e7, 12, "1/s") == "1.0000000(12)×10⁷ 1/s");
  CHECK(estimate_text(-1e-12, 3e-9, "C") == "0(3) nC");
}

TEST_CASE("estimate text: what is infinite, unknown or exact is said", "[app][base]") {
  CHECK(estimate_text(10, infinite, "N/m") == "10 N/m (not identifiable)");
  CHECK(estimate_text(10, unknown, "N/m") == "10 N/m (error unknown)");
  CHECK(estimate_text(unknown, 1, "N/m") == "unknown (error unknown)");
  CHECK(estimate_text(-infinite, 1, "N/m") == "-∞ (error unknown)");
  CHECK(estimate_text(10, 2e-10, "N/m") == "10 ± 2×10⁻¹⁰ N/m");
  CHECK(estimate_text(10, 0, "N/m") == "10 N/m");
  CHECK(estimate_text(0, 0, "N/m") == "0 N/m");
  CHECK(upper_limit_text(5.9e-5, 0.95, "kg/s") == "< 59 mg/s (95 %)");
  CHECK(upper_limit_text(5.9e-5, 0.9, "") == "< 5.9×10⁻⁵ (90 %)");
}

TEST_CASE("estimate text: what it says is the value and its error, over thirty magnitudes of each", "[app][base]") {
  for (int power = -18; power <= 15; ++power)
    for (int below = -2; below <= 8; ++below)
      for (const double mantissa : {1.0, 1.4999, 2.94, 2.96, 3.49, 9.49, 9.51, 9.96})
        for (const double sign : {-1.0, 1.0}) {
          const double value = sign * 1.23456789 * std::pow(10, power), error = mantissa * std::pow(10, power - below);
          const std::string text = estimate_text(value, error, "");
          INFO(value << " ± " << error << ": " << text);
          const std::size_t times = text.find("×");
          const double largest = std::max(std::abs(value), error);
          const double power_of_ten =
              times == std::string::npos ? 1 : std::pow(10, std::floor(std::log10(largest) + 1e-12));
          const Read told = read(text);
          // two digits from 10 to 29 are right to 5 %, one digit from 3 on to 1 in 6
          CHECK(told.error * power_of_ten == Approx(error).epsilon(0.17));
          CHECK(std::abs(told.value * power_of_ten - value) <= 0.51 * error);
          CHECK(text.size() < 40);
        }
}

TEST_CASE("si scale: prefixes are those of the page", "[app][base]") {
  // as viewer/test/format.test.ts
  CHECK(quantity_text(6e-6, "C") == "6 µC");
  CHECK(quantity_text(10, "N/m") == "10 N/m");
  CHECK(quantity_text(0.0124, "m") == "12.4 mm");
  CHECK(quantity_text(5e-5, "kg") == "50 mg");
  CHECK(quantity_text(0.3, "1/s") == "0.3 1/s");
  CHECK(quantity_text(12345, "m") == "12.3 km");
  CHECK(quantity_text(2e5, "s") == "200000 s");  // readers are used to no kiloseconds
  CHECK(quantity_text(1.5, "%") == "1.5%");
  CHECK(quantity_text(3.2e-19, "C") == "0.32 aC");
  CHECK(quantity_text(2e-15, "C") == "2 fC");
  CHECK(quantity_text(1e-30, "C") == "1×10⁻¹² aC");
  CHECK(si_scale(0, "C").unit == "C");
  CHECK(si_scale(unknown, "C").factor == 1);
}
