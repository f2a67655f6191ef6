#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "app/yaml/tree.hpp"

namespace pithball::app {

/// Result of reading a quantity: a value, or an error.
struct Quantity {
  double value = 0;     ///< in SI units, meaningful if `problem` is empty
  std::string problem;  ///< error as part of a sentence, such as "a length cannot be a charge [C]"; empty on success
};

/// Reads "6 uC", "9 cm", "-0.15 s" or a bare number (in SI units) with UDUNITS-2. `unit`: target unit of the
/// conversion: "C", "N s/m"; empty or "1": dimensionless. Does not throw on bad text: if it is not a number, or the
/// unit is unknown or has another dimension, or the value is not finite, `problem` says so.
Quantity read_quantity(std::string_view text, std::string_view unit);

/// The number, if the whole text is one ("1e-3", "+2", ".5", "inf", "nan"), without unit or other text.
std::optional<double> read_plain_number(std::string_view text);

/// The remedy for a list of the wrong length: "if '-9,81' has a decimal comma, write -9.81" if two neighboring integers
/// without a space between them look like one number with a decimal comma ([0, 0, -9,81]); else `otherwise`.
std::string decimal_comma_remedy(const Tree& list, std::string otherwise);

}  // namespace pithball::app
