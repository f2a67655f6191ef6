#include "sim/field/expression_program.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/field/jet.hpp"

namespace pithball::sim {

/// A token of an expression: a number, a name, one of + - * / ^ ( ) and comma, or its end.
struct ExpressionToken {
  /// The kind of a token.
  enum class Kind { Number, Name, Symbol, End };
  Kind kind;              ///< of this token
  std::size_t position;   ///< index of its first character
  std::string_view text;  ///< a part of the expression; empty at the end
  double number = 0;      ///< the value of a number
};

/// Returns the names and operators allowed in an expression in these variables, for error messages.
std::string offered_in_expressions(const std::vector<std::string>& variables);

/// Throws an InvalidArgument that shows the expression, or the text around the position in a long one.
[[noreturn]] void reject_expression(std::string_view expression, std::size_t position, std::string required,
                                    std::string got, std::string remedy);
/// Throws the same exception for text that is not a valid expression.
[[noreturn]] void reject_to_understand(std::string_view expression, std::size_t position, std::string got,
                                       std::string remedy);

/// Returns the tokens of an expression; they refer to its text. Throws InvalidArgument for an expression that is too
/// long and for invalid characters; names comparisons, conditions and functions with kinks in the message.
std::vector<ExpressionToken> read_tokens(std::string_view expression, const std::vector<std::string>& variables);

void ExpressionProgram::append(const Instruction& instruction, Index operands) {
  instructions_.push_back(instruction);
  height_ += 1 - operands;
  depth_ = std::max(depth_, height_);
  if (operands == 0) return;
  // A constant operand is a single instruction: it was replaced by its value when it was complete.
  const auto tail =
      std::span(instructions_).last(std::min(instructions_.size(), static_cast<std::size_t>(operands) + 1));
  const bool constant = std::all_of(tail.begin(), tail.end() - 1,
                                    [](const Instruction& i) { return i.operation == Operation::Constant; });
  if (!constant) return;
  std::array<double, 2> stack;
  run<double>(tail, {}, 0, 1, 1, stack.data());
  instructions_.resize(instructions_.size() - tail.size());
  instructions_.push_back({Operation::Constant, stack[0], 0});
}

namespace {

using Kind = ExpressionToken::Kind;

/// Functions and operators known from other languages that are not differentiable everywhere.
constexpr std::string_view kinked[] = {"abs",  "min",   "max",  "sign",      "sgn", "floor", "ceil", "round",
                                       "rint", "trunc", "step", "heaviside", "mod", "if",    "real", "imag",
                                       "conj", "arg",   "norm", "and",       "or",  "not",   "atan2"};
constexpr const char* kinked_operators = "<>=!?:&|%";

bool is_digit(char c) { return '0' <= c && c <= '9'; }
bool is_letter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || c == '_'; }
bool is_space(char c) { return std::strchr(" \t\r\n", c) && c != '\0'; }
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }  // inside a UTF-8 character

/// Returns the expression, or the text around a position in a long one.
std::string excerpt(std::string_view expression, std::size_t position) {
  constexpr std::size_t longest = 160, around = 40;
  if (expression.size() <= longest) return std::string(expression);
  std::size_t begin = position > around ? position - around : 0, end = std::min(expression.size(), position + around);
  while (begin > 0 && is_continuation(expression[begin])) --begin;
  while (end < expression.size() && is_continuation(expression[end])) ++end;
  return (begin > 0 ? "…" : "") + std::string(expression.substr(begin, end - begin)) +
         (end < expression.size() ? "…" : "");
}

/// Returns the character at a position as error messages show it.
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
    constexpr std::size_t longest = 10'000;  // pure number: far longer than any real expression, and fast to read
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

namespace {

using Operation = ExpressionProgram::Operation;

/// A recursive-descent parser: one function per grammar rule reads the tokens of the rule and appends instructions.
class ExpressionCompiler {
 public:
  ExpressionCompiler(const std::string& expression, const std::vector<std::string>& variables)
      : expression_(expression), variables_(variables), tokens_(read_tokens(expression, variables)) {}

  ExpressionProgram compile() {
    sum();
    if (token().kind != ExpressionToken::Kind::End) reject_where("an operator or the end");
    return std::move(program_);
  }

 private:
  void sum() {
    product();
    while (is_at("+") || is_at("-")) {
      const Operation operation = take().text == "+" ? Operation::Add : Operation::Subtract;
      product();
      program_.append_binary(operation);
    }
  }

  void product() {
    signed_power();
    while (is_at("*") || is_at("/")) {
      const Operation operation = take().text == "*" ? Operation::Multiply : Operation::Divide;
      signed_power();
      program_.append_binary(operation);
    }
  }

  /// All recursion of the grammar passes through this rule, which therefore counts the nesting depth.
  void signed_power() {
    constexpr int deepest = 256;  // pure number: deeper than any real expression; the call stack allows far more
    if (++nesting_ > deepest)
      reject_expression(expression_, token().position,
                        "must not nest parentheses and powers more than " + std::to_string(deepest) + " deep", "",
                        "simplify it, or give the field as a table");
    bool negative = false;
    while (is_at("+") || is_at("-")) negative ^= take().text == "-";
    power_of_operand();
    if (negative) program_.append_negation();
    --nesting_;
  }

  void power_of_operand() {
    operand();
    if (!is_at("^")) return;
    take();
    signed_power();
    program_.append_binary(Operation::Power);
  }

  void operand() {
    if (token().kind == ExpressionToken::Kind::Number)
      program_.append_constant(take().number);
    else if (token().kind == ExpressionToken::Kind::Name)
      named();
    else if (is_at("("))
      in_parentheses(1);
    else
      reject_where("a number, a name or '('");
  }

  void named() {
    const ExpressionToken name = take();
    const auto functions = expression_functions();
    const auto variable = std::find(variables_.begin(), variables_.end(), name.text);
    const auto function =
        std::find_if(functions.begin(), functions.end(), [&](const auto& f) { return f.name == name.text; });
    if (variable != variables_.end()) {
      program_.append_variable(variable - variables_.begin());
    } else if (name.text == "pi") {
      program_.append_constant(std::numbers::pi);
    } else if (name.text == "e") {
      program_.append_constant(std::numbers::e);
    } else if (name.text == "pow") {
      in_parentheses(2);
      program_.append_binary(Operation::Power);
    } else if (function != functions.end()) {
      in_parentheses(1);
      program_.append_function(function - functions.begin());
    } else {
      reject_to_understand(expression_, name.position, "unknown '" + std::string(name.text) + "'",
                           offered_in_expressions(variables_));
    }
  }

  /// Parses ( sum , … ) with this number of sums.
  void in_parentheses(int sums) {
    expect("(", "'('");
    sum();
    for (int k = 1; k < sums; ++k) {
      expect(",", "an operator or a comma");
      sum();
    }
    expect(")", "an operator or ')'");
  }

  const ExpressionToken& token() const { return tokens_[next_]; }
  const ExpressionToken& take() { return tokens_[next_++]; }  // never the end, which no rule accepts
  bool is_at(std::string_view symbol) const { return token().text == symbol; }

  void expect(std::string_view symbol, const std::string& belongs) {
    if (!is_at(symbol)) reject_where(belongs);
    take();
  }

  [[noreturn]] void reject_where(const std::string& belongs) const {
    const std::string got = token().text.empty() ? "its end"
                            : is_at(",")         ? "a comma"
                                                 : "'" + std::string(token().text) + "'";
    reject_to_understand(expression_, token().position, got + " where " + belongs + " belongs",
                         offered_in_expressions(variables_));
  }

  std::string_view expression_;
  const std::vector<std::string>& variables_;
  std::vector<ExpressionToken> tokens_;
  std::size_t next_ = 0;
  int nesting_ = 0;
  ExpressionProgram program_;
};

}  // namespace

ExpressionProgram compile_expression(const std::string& expression, const std::vector<std::string>& variables) {
  return ExpressionCompiler(expression, variables).compile();
}

}  // namespace pithball::sim
