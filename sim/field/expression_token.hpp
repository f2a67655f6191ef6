#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pithball::sim {

/// A word of an expression: a number, a name, one of + - * / ^ ( ) and comma, or its end.
struct ExpressionToken {
  enum class Kind { Number, Name, Symbol, End };
  Kind kind;
  std::size_t position;   ///< of its first character
  std::string_view text;  ///< a part of the expression; empty at the end
  double number = 0;      ///< the value of a number
};

/// What an expression in these variables may hold, for messages.
std::string offered_in_expressions(const std::vector<std::string>& variables);

/// Throws InvalidArgument that shows the expression and the place in it; of a long one, what is around that place.
[[noreturn]] void reject_expression(std::string_view expression, std::size_t position, std::string required,
                                    std::string got, std::string remedy);
/// The same for what is no expression.
[[noreturn]] void reject_to_understand(std::string_view expression, std::size_t position, std::string got,
                                       std::string remedy);

/// The words of an expression, which they refer to. Throws InvalidArgument for an expression that is too long, for
/// characters that no expression has, and for comparisons, conditions and functions with kinks, by name.
std::vector<ExpressionToken> read_tokens(std::string_view expression, const std::vector<std::string>& variables);

}  // namespace pithball::sim
