#pragma once
#include <string>

namespace pithball::app {

/// Unit for output: a number is written as value · factor, followed by `unit`.
struct SiScale {
  double factor = 1;  ///< a power of ten
  std::string unit;   ///< with its prefix; empty: a pure number
};

/// The SI prefix that suits a number of this size, as report pages choose it: "C" becomes "nC" for 6e-8, "kg/s" becomes
/// "mg/s" for 6e-5. Units without prefixes stay as they are.
SiScale si_scale(double size, const std::string& unit);

/// A number with `digits` significant digits, unit and prefix: "4.93 mm", "5.9×10⁻⁵ 1/s". Numbers that are not finite:
/// "∞", "-∞" or "unknown".
std::string quantity_text(double value, const std::string& unit, int digits = 3);

/// Two ends of a range in one unit: "-30 to 20 nC".
std::string range_text(double lowest, double highest, const std::string& unit);

/// The head of a column: "charge [C]"; without a unit the name alone.
std::string name_with_unit(const std::string& name, const std::string& unit);

/// A value with its standard error in parentheses, in the unit `unit` (JCGM 100:2008, 7.2.2): "59.93(11) nC", "10.00(7)
/// N/m", "0.0(1.2)×10⁻⁵". The error has two digits if they are between 10 and 29, otherwise one. It counts units of the
/// value's last digit if it is less than 1; otherwise it has its own decimal point or zeros ("59.3(1.1)", "1230(250)").
/// An error below 10⁻⁹ of the value is written next to it: "10 ± 2×10⁻¹⁰ N/m". Infinite and unknown errors: "59.9 nC
/// (not identifiable)", "59.9 nC (error unknown)".
std::string estimate_text(double value, double error, const std::string& unit);

/// "< 59 mg/s (95 %)": an upper limit at this confidence level, with two digits.
std::string upper_limit_text(double limit, double confidence, const std::string& unit);

}  // namespace pithball::app
