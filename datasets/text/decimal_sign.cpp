#include "datasets/text/decimal_sign.hpp"

#include <algorithm>
#include <cctype>

#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

/// The number with its only comma read as a decimal point; empty if it is none.
std::optional<double> number_with_comma(std::string_view cell) {
  const std::size_t comma = cell.find(',');
  if (comma == std::string_view::npos || cell.find('.') != std::string_view::npos) return {};
  std::string pointed(cell);
  pointed[comma] = '.';
  return parse_number(pointed);
}

/// Whether the comma of a number may part thousands: "1,234", "-12,500".
bool may_part_thousands(std::string_view number) {
  if (number.starts_with('-') || number.starts_with('+')) number.remove_prefix(1);
  const std::string_view before = number.substr(0, number.find(',')), behind = number.substr(before.size() + 1);
  const auto are_digits = [](std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  };
  return !before.empty() && before.size() <= 3 && before[0] != '0' && behind.size() == 3 && are_digits(before) &&
         are_digits(behind);
}

}  // namespace

void DecimalSign::see(std::string_view cell) {
  const bool has_point = cell.find('.') != std::string_view::npos, has_comma = cell.find(',') != std::string_view::npos;
  if (has_point && !has_comma && point_.empty() && parse_number(cell)) point_ = cell;
  if (has_comma && !certain_comma_) certain_comma_ = number_with_comma(cell) && !may_part_thousands(cell);
}

std::optional<double> DecimalSign::read(std::string_view cell) const {
  if (const auto number = parse_number(cell)) return number;
  return point_.empty() && certain_comma_ ? number_with_comma(cell) : std::nullopt;
}

void DecimalSign::check(std::string_view cell, const std::string& where) const {
  if (read(cell) || !number_with_comma(cell)) return;
  const std::string got = "'" + std::string(cell) + "'";
  if (!point_.empty())
    throw InvalidArgument({where, "number", "must have the decimal sign of the others",
                           got + " and elsewhere '" + point_ + "'", "export the table again with decimal points"});
  throw InvalidArgument({where, "number", "must be clear",
                         got + ", whose comma may be a decimal sign or part thousands",
                         "export the table again with decimal points"});
}

}  // namespace pithball::datasets
