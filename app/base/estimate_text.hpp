#pragma once
#include <string>

namespace pithball::app {

/// A number of this unit is written as value · factor, followed by `unit`.
struct SiScale {
  double factor = 1;
  std::string unit;
};

/// The SI prefix by which a number of this size is read most easily, as pages choose it: "C" becomes "nC" for 6e-8,
/// "kg/s" becomes "mg/s" for 6e-5. Units that take no prefix keep their own.
SiScale si_scale(double size, const std::string& unit);

/// A number with `digits` significant digits, its unit and prefix: "4.93 mm", "5.9×10⁻⁵ 1/s". Of one that is not finite
/// "∞", "-∞" or "unknown".
std::string quantity_text(double value, const std::string& unit, int digits = 3);

/// A value with its standard error in parentheses, both in the unit of `unit` (JCGM 100:2008, 7.2.2): "59.93(11) nC",
/// "10.00(7) N/m", "0.0(1.2)×10⁻⁵". The error has two digits where they are 10 to 29, otherwise one; it is in units of
/// the value's last place as long as it is less than 1, and holds its own decimal point or zeros beyond ("59.3(1.1)",
/// "1230(250)"). An error of less than 10⁻⁹ of the value stands beside it: "10 ± 2×10⁻¹⁰ N/m". One that is infinite or
/// unknown is said: "59.9 nC (not identifiable)", "59.9 nC (error unknown)".
std::string estimate_text(double value, double error, const std::string& unit);

/// "< 59 mg/s (95 %)": an upper limit of this confidence, with two digits.
std::string upper_limit_text(double limit, double confidence, const std::string& unit);

}  // namespace pithball::app
