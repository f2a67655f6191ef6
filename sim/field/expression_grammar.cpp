#include "sim/field/expression_grammar.hpp"

#include <algorithm>
#include <numbers>

#include "sim/field/expression_token.hpp"

namespace pithball::sim {
namespace {

using Operation = ExpressionProgram::Operation;

/// A function for each rule of the grammar: it reads what the rule describes and appends its program.
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

  /// Every rule that contains itself does so through this one, which therefore counts how deep they are.
  void signed_power() {
    constexpr int deepest = 256;  // pure number: deeper than anybody writes, and far from the end of the call stack
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

  /// ( sum , … ) with this number of sums.
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
