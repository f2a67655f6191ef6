#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace pithball::datasets {

/// Which sign stands before the decimals in a text's numbers, told from all of its cells: a comma if numbers have
/// commas and none has a point. "1,234" may also be one thousand and more, so one number at least must have other than
/// three digits behind its comma, or a zero before it.
class DecimalSign {
 public:
  /// Takes note of a cell, whatever is in it.
  void see(std::string_view cell);

  /// The number in a cell; empty if there is none, or its comma is not clear.
  std::optional<double> read(std::string_view cell) const;

  /// Throws InvalidArgument placed at `where` if a cell is a number whose comma is not clear.
  void check(std::string_view cell, const std::string& where) const;

 private:
  std::string point_;           ///< the first number with a point; empty: none yet
  bool certain_comma_ = false;  ///< a number whose comma cannot part thousands was seen
};

}  // namespace pithball::datasets
