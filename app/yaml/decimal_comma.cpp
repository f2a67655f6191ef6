#include "app/yaml/decimal_comma.hpp"

#include <utility>

namespace pithball::app {
namespace {

bool are_digits(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

bool is_whole(const std::string& text) {
  const bool has_sign = text.starts_with('-') || text.starts_with('+');
  return are_digits(has_sign ? text.substr(1) : text);
}

bool touch(const Tree& left, const Tree& right) {
  return left.place.line == right.place.line &&
         right.place.column == left.place.column + static_cast<int>(left.text.size()) + 1;
}

}  // namespace

std::string decimal_comma_remedy(const Tree& list, std::string otherwise) {
  for (std::size_t k = 0; k + 1 < list.entries.size(); ++k) {
    const Tree &left = list.entries[k], &right = list.entries[k + 1];
    // Nobody writes 9,0 for 9: such neighbors are two numbers.
    if (!is_whole(left.text) || !are_digits(right.text) || right.text == "0" || !touch(left, right)) continue;
    return "if '" + left.text + "," + right.text + "' has a decimal comma, write " + left.text + "." + right.text;
  }
  return otherwise;
}

}  // namespace pithball::app
