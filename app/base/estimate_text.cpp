#include "app/base/estimate_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "datasets/text/text_scan.hpp"

namespace pithball::app {
namespace {

/// Units that may take a prefix, with the largest customary exponent; the same as in viewer/src/format.ts.
constexpr std::array<std::pair<std::string_view, int>, 15> prefixed{{{"m", 3},
                                                                     {"s", 0},
                                                                     {"g", 3},
                                                                     {"N", 6},
                                                                     {"C", 0},
                                                                     {"V", 9},
                                                                     {"J", 9},
                                                                     {"W", 9},
                                                                     {"Hz", 9},
                                                                     {"Pa", 9},
                                                                     {"A", 6},
                                                                     {"F", 0},
                                                                     {"T", 0},
                                                                     {"K", 0},
                                                                     {"rad", 0}}};
/// The exponent of the first prefix.
constexpr int least_exponent = -18;
/// From 10⁻¹⁸ to 10⁹: charges of single electrons are 0.16 aC.
constexpr std::array<const char*, 10> prefixes{"a", "f", "p", "n", "µ", "m", "", "k", "M", "G"};

std::string power_text(int exponent) {
  constexpr std::array<const char*, 10> digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "×10⁻" : "×10";
  for (const char digit : std::to_string(std::abs(exponent))) text += digits[digit - '0'];
  return text;
}

std::string with_unit(const std::string& number, const std::string& unit) {
  if (unit.empty()) return number;
  return number + (unit == "%" || unit == "°" ? "" : " ") + unit;
}

/// Returns the power of ten of a number's first digit.
int exponent_of(double number) {
  const std::string text = fmt::format("{:e}", std::abs(number));
  return std::atoi(text.c_str() + text.find('e') + 1);
}

/// Whether a number of this size is written without a power of ten.
bool is_plain(double size) { return size == 0 || (size >= 1e-3 && size < 1e6); }

/// Formats a number with `digits` significant digits, without trailing zeros.
std::string number_text(double value, int digits) {
  const int exponent =
      value == 0 ? 0 : exponent_of(datasets::parse_number(fmt::format("{:.{}e}", value, digits - 1)).value());
  if (is_plain(std::abs(value))) return fmt::format("{:.{}g}", value, std::max(digits, exponent + 1));
  return fmt::format("{:.{}g}", value / std::pow(10.0, exponent), digits) + power_text(exponent);
}

/// A rounded error: `digits` × 10^`exponent`.
struct RoundedError {
  long digits;
  int exponent;
};

RoundedError round_error(double error) {
  const auto rounded = [&](int decimals) {
    const std::string text = fmt::format("{:.{}e}", error, decimals);
    const double mantissa = datasets::parse_number(text.substr(0, text.find('e'))).value();
    return RoundedError{std::lround(mantissa * std::pow(10.0, decimals)),
                        std::atoi(text.c_str() + text.find('e') + 1) - decimals};
  };
  const RoundedError two = rounded(1);
  if (two.digits <= 29) return two;
  const RoundedError one = rounded(0);
  // 9.6 rounded to one digit is 10, which is written with two
  return one.digits == 1 ? RoundedError{10, one.exponent - 1} : one;
}

/// Formats the value rounded to this decimal place, never as a negative zero.
std::string rounded_to(double value, int place) {
  const double unit = std::pow(10.0, place);
  std::string text =
      place < 0 ? fmt::format("{:.{}f}", value, -place) : fmt::format("{:.0f}", std::round(value / unit) * unit);
  const bool is_zero = text.find_first_of("123456789") == std::string::npos;
  return is_zero && text.starts_with('-') ? text.substr(1) : text;
}

std::string with_parenthesis(double value, const RoundedError& error) {
  const double size = error.digits * std::pow(10.0, error.exponent);
  const std::string digits = error.exponent >= 0 ? fmt::format("{:.0f}", size)
                             : size >= 1         ? fmt::format("{:.{}f}", size, -error.exponent)
                                                 : std::to_string(error.digits);
  return fmt::format("{}({})", rounded_to(value, error.exponent), digits);
}

}  // namespace

SiScale si_scale(double size, const std::string& unit) {
  const std::size_t end = std::min(unit.find_first_of("/·*"), unit.size());
  const bool is_kilogram = unit.substr(0, end) == "kg";
  const std::string symbol = is_kilogram ? "g" : unit.substr(0, end);
  const auto* const found =
      std::ranges::find(prefixed, std::string_view(symbol), &std::pair<std::string_view, int>::first);
  if (found == prefixed.end() || symbol.empty() || !std::isfinite(size) || size == 0) return {1, unit};
  const int own = is_kilogram ? 3 : 0;
  const double power = std::log10(std::abs(size)) + own;
  // 1e-9 absorbs rounding errors at powers of ten
  const int wanted = 3 * static_cast<int>(std::floor((power + 1e-9) / 3));
  const int exponent = std::clamp(wanted, least_exponent, found->second);
  return {std::pow(10.0, own - exponent), prefixes[(exponent - least_exponent) / 3] + symbol + unit.substr(end)};
}

std::string quantity_text(double value, const std::string& unit, int digits) {
  if (std::isnan(value)) return "unknown";
  if (std::isinf(value)) return value < 0 ? "-∞" : "∞";
  const SiScale scale = si_scale(value, unit);
  return with_unit(number_text(value * scale.factor, digits), scale.unit);
}

std::string range_text(double lowest, double highest, const std::string& unit) {
  constexpr int digits = 4;
  const SiScale scale = si_scale(std::max(std::abs(lowest), std::abs(highest)), unit);
  return with_unit(number_text(lowest * scale.factor, digits) + " to " + number_text(highest * scale.factor, digits),
                   scale.unit);
}

std::string name_with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : name + " [" + unit + "]";
}

std::string estimate_text(double value, double error, const std::string& unit) {
  constexpr double finest = 1e-9;  // further digits are of no use to a reader
  if (!std::isfinite(value) || std::isnan(error)) return quantity_text(value, unit) + " (error unknown)";
  if (std::isinf(error)) return quantity_text(value, unit) + " (not identifiable)";
  error = std::abs(error);
  const SiScale scale = si_scale(std::max(std::abs(value), error), unit);
  const double shown = value * scale.factor, spread = error * scale.factor;
  if (spread <= finest * std::abs(shown)) {
    const std::string number = number_text(shown, 9);
    return with_unit(error == 0 ? number : number + " ± " + number_text(spread, 1), scale.unit);
  }
  const double largest = std::max(std::abs(shown), spread);
  if (is_plain(largest)) return with_unit(with_parenthesis(shown, round_error(spread)), scale.unit);
  const int exponent = exponent_of(largest);
  const double power = std::pow(10.0, exponent);
  return with_unit(with_parenthesis(shown / power, round_error(spread / power)) + power_text(exponent), scale.unit);
}

std::string upper_limit_text(double limit, double confidence, const std::string& unit) {
  return fmt::format("< {} ({:g} %)", quantity_text(limit, unit, 2), 100 * confidence);
}

}  // namespace pithball::app
