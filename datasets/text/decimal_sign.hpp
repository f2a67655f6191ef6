#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pithball::datasets {

/// Decimal sign of a text's numbers, determined from all of its cells: a comma if numbers contain commas and none
/// contains a point. "1,234" may also be one thousand two hundred thirty-four, so at least one number must have other
/// than three digits after its comma, or a zero before it.
class DecimalSign {
 public:
  /// Takes a cell into account, whatever its content.
  void see(std::string_view cell);

  /// The number in a cell; empty if it is not one or its comma is ambiguous.
  std::optional<double> read(std::string_view cell) const;

  /// Throws InvalidArgument at `where` if a cell is a number with an ambiguous comma.
  void check(std::string_view cell, const std::string& where) const;

 private:
  std::string point_;           ///< the first number with a point; empty: none yet
  bool certain_comma_ = false;  ///< a number whose comma cannot be a thousands separator was found
};

}  // namespace pithball::datasets
