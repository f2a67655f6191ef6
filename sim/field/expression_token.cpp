#include "sim/field/expression_token.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "sim/core/error.hpp"
#include "sim/field/expression_function.hpp"

namespace pithball::sim {
namespace {

using Kind = ExpressionToken::Kind;

/// Functions and operators that people know from elsewhere and that have no derivative everywhere.
constexpr std::string_view kinked[] = {"abs",  "min",   "max",  "sign",      "sgn", "floor", "ceil", "round",
                                       "rint", "trunc", "step", "heaviside", "mod", "if",    "real", "imag",
                                       "conj", "arg",   "norm", "and",       "or",  "not",   "atan2"};
constexpr const char* kinked_operators = "<>=!?:&|%";

bool is_digit(char c) { return '0' <= c && c <= '9'; }
bool is_letter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c == '_'; }
bool is_space(char c) { return std::strchr(" \t\r\n", c) && c != '\0'; }
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }  // inside a UTF-8 character

/// The expression, or what is around a place in it.
std::string excerpt(std::string_view expression, std::size_t position) {
  constexpr std::size_t longest = 160, around = 40;
  if (expression.size() <= longest) return std::string(expression);
  std::size_t begin = position > around ? position - around : 0, end = std::min(expression.size(), position + around);
  while (begin > 0 && is_continuation(expression[begin])) --begin;
  while (end < expression.size() && is_continuation(expression[end])) ++end;
  return (begin > 0 ? "…" : "") + std::string(expression.substr(begin, end - begin)) +
         (end < expression.size() ? "…" : "");
}

/// The character there, as messages show it.
std::string shown_character(std::string_view expression, std::size_t position) {
  const auto code = static_cast<unsigned char>(expression[position]);
  if (code < ' ' || code == 127) return "the control character " + std::to_string(code);
  std::size_t end = position + 1;
  while (end < expression.size() && is_continuation(expression[end])) ++end;
  return "'" + std::string(expression.substr(position, end - position)) + "'";
}

class TokenReader {
 public:
  TokenReader(std::string_view expression, const std::vector<std::string>& variables)
      : expression_(expression), variables_(variables) {}

  std::vector<ExpressionToken> read() {
    check_length();
    std::vector<ExpressionToken> tokens;
    while (skip_space()) tokens.push_back(next());
    tokens.push_back({Kind::End, expression_.size(), {}});
    return tokens;
  }

 private:
  void check_length() const {
    constexpr std::size_t longest = 10'000;  // pure number: far beyond what anybody writes, and read at once
    if (expression_.size() > longest)
      reject_expression(expression_, 0, "must have at most " + std::to_string(longest) + " characters",
                        std::to_string(expression_.size()), "simplify it, or give the field as a table");
  }

  bool skip_space() {
    while (at_ < expression_.size() && is_space(expression_[at_])) ++at_;
    return at_ < expression_.size();
  }

  ExpressionToken next() {
    const char c = expression_[at_];
    const bool fraction = c == '.' && at_ + 1 < expression_.size() && is_digit(expression_[at_ + 1]);
    if (is_digit(c) || fraction) return number();
    if (is_letter(c)) return name();
    return symbol();
  }

  ExpressionToken taken(Kind kind, std::size_t size, double value = 0) {
    const ExpressionToken token{kind, at_, expression_.substr(at_, size), value};
    at_ += size;
    return token;
  }

  ExpressionToken number() {
    const char* const begin = expression_.data() + at_;
    double value;
    const auto [end, error] = std::from_chars(begin, expression_.data() + expression_.size(), value);
    const std::size_t size = end - begin;
    if (error == std::errc::result_out_of_range)
      reject_expression(expression_, at_, "must have numbers from 1e-308 to 1e308",
                        std::string(expression_.substr(at_, size)), "choose other units");
    return taken(Kind::Number, size, value);
  }

  ExpressionToken name() {
    std::size_t size = 1;
    while (at_ + size < expression_.size() && (is_letter(expression_[at_ + size]) || is_digit(expression_[at_ + size])))
      ++size;
    const std::string_view word = expression_.substr(at_, size);
    if (std::find(std::begin(kinked), std::end(kinked), word) != std::end(kinked))
      reject_kink("'" + std::string(word) + "'", "use a smooth function, for example sqrt(x^2 + 1e-6) for abs(x)");
    return taken(Kind::Name, size);
  }

  ExpressionToken symbol() {
    const char c = expression_[at_];
    if (c != '\0' && std::strchr(kinked_operators, c))
      reject_kink(std::string("'") + c + "'", "write it without comparisons and conditionals, for example with tanh");
    if (c == '\0' || !std::strchr("+-*/^(),", c))
      reject_to_understand(expression_, at_, "unknown " + shown_character(expression_, at_),
                           offered_in_expressions(variables_));
    return taken(Kind::Symbol, 1);
  }

  [[noreturn]] void reject_kink(std::string got, std::string remedy) const {
    reject_expression(expression_, at_, "must be smooth, because its derivative is needed everywhere", std::move(got),
                      std::move(remedy));
  }

  std::string_view expression_;
  const std::vector<std::string>& variables_;
  std::size_t at_ = 0;
};

}  // namespace

std::string offered_in_expressions(const std::vector<std::string>& variables) {
  std::string names;
  for (const std::string& variable : variables) names += variable + ", ";
  std::string functions;
  for (const ExpressionFunction& f : expression_functions()) functions += std::string(f.name) + " ";
  return "use " + names + "pi, e, + - * / ^ ( ) and " + functions + "pow";
}

void reject_expression(std::string_view expression, std::size_t position, std::string required, std::string got,
                       std::string remedy) {
  throw InvalidArgument(
      {"", "field expression '" + excerpt(expression, position) + "', character " + std::to_string(position + 1),
       std::move(required), std::move(got), std::move(remedy)});
}

void reject_to_understand(std::string_view expression, std::size_t position, std::string got, std::string remedy) {
  reject_expression(expression, position, "must be a valid expression", std::move(got), std::move(remedy));
}

std::vector<ExpressionToken> read_tokens(std::string_view expression, const std::vector<std::string>& variables) {
  return TokenReader(expression, variables).read();
}

}  // namespace pithball::sim
