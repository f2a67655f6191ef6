#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace pithball::sim {

/// A token of an expression: a number, a name, one of + - * / ^ ( ) and comma, or its end.
struct ExpressionToken {
  /// What a token is.
  enum class Kind { Number, Name, Symbol, End };
  Kind kind;              ///< of this token
  std::size_t position;   ///< index of its first character
  std::string_view text;  ///< a part of the expression; empty at the end
  double number = 0;      ///< the value of a number
};

/// What an expression in these variables may contain, for messages.
std::string offered_in_expressions(const std::vector<std::string>& variables);

/// Throws InvalidArgument that shows the expression and the position in it; for a long one, the text around it.
[[noreturn]] void reject_expression(std::string_view expression, std::size_t position, std::string required,
                                    std::string got, std::string remedy);
/// The same for a value that is not an expression.
[[noreturn]] void reject_to_understand(std::string_view expression, std::size_t position, std::string got,
                                       std::string remedy);

/// The tokens of an expression, which refer to its text. Throws InvalidArgument for an expression that is too long, for
/// invalid characters, and for comparisons, conditions and functions with kinks, by name.
std::vector<ExpressionToken> read_tokens(std::string_view expression, const std::vector<std::string>& variables);

}  // namespace pithball::sim
