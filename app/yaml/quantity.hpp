#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pithball::app {

/// Outcome of reading a quantity: a value, or the reason why there is none.
struct Quantity {
  double value = 0;     ///< in SI units, meaningful if `problem` is empty
  std::string problem;  ///< "a length cannot be a charge [C]"-like sentence part; empty: fine
};

/// Reads "6 uC", "9 cm", "-0.15 s" or a bare number (then already in SI units), through UDUNITS-2.
/// `unit` is what the value is converted to: "C", "N s/m"; empty or "1": dimensionless. Never throws on bad text:
/// not a number, an unknown unit, a unit of another dimension and a value that is not finite come back as `problem`.
Quantity read_quantity(std::string_view text, std::string_view unit);

/// The number that `text` is as a whole, if it is one ("1e-3", "+2", ".5", "inf", "nan"); no unit, no surrounding text.
std::optional<double> read_plain_number(std::string_view text);

}  // namespace pithball::app
