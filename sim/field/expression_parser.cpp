#include "sim/field/expression_parser.hpp"

#include <muparserx/mpParser.h>
#include <muparserx/mpValReader.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <set>

#include "sim/core/error.hpp"

namespace pithball::sim {
namespace {

/// What an expression in these variables may hold.
std::string offered(const std::vector<std::string>& variables) {
  std::string names;
  for (const std::string& variable : variables) names += variable + ", ";
  return "use " + names +
         "pi, e, + - * / ^ ( ) and sin cos tan asin acos atan sinh cosh tanh exp ln log log2 log10 sqrt pow";
}
constexpr const char* understood = "must be an expression that can be understood";
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

[[noreturn]] void refuse(const std::string& expression, std::size_t position, std::string required, std::string got,
                         std::string remedy) {
  throw InvalidArgument({"", "field expression '" + expression + "', character " + std::to_string(position + 1),
                         std::move(required), std::move(got), std::move(remedy)});
}

// Functions of a complex number that is real but for an infinitesimal imaginary part. Off the real domain of a
// function its complex continuation would bring in another branch, so it is NaN there.

Complex smooth_log(const Complex& z) { return z.real() < 0 ? Complex(nan, nan) : std::log(z); }
Complex smooth_sqrt(const Complex& z) { return z.real() < 0 ? Complex(nan, nan) : std::sqrt(z); }

/// f and its derivative to first order in the imaginary part: the general complex functions of the standard library
/// lose that part near their branch points.
Complex first_order(double f, double derivative, const Complex& z) {
  return {f, z.imag() == 0 ? 0 : derivative * z.imag()};
}
Complex smooth_asin(const Complex& z) {
  const double a = z.real();
  return first_order(std::asin(a), 1 / std::sqrt(1 - a * a), z);
}
Complex smooth_acos(const Complex& z) {
  const double a = z.real();
  return first_order(std::acos(a), -1 / std::sqrt(1 - a * a), z);
}
Complex smooth_atan(const Complex& z) {
  const double a = z.real();
  return first_order(std::atan(a), 1 / (1 + a * a), z);
}

/// zⁿ by repeated squaring. The library's complex power goes through the logarithm, whose imaginary part π at a
/// negative base leaves a rounding error far above the infinitesimal part that carries the derivative.
Complex integer_power(Complex z, double n) {
  Complex result = 1;
  for (auto k = static_cast<unsigned long>(std::abs(n)); k > 0; k >>= 1, z *= z)
    if (k & 1) result *= z;
  return n < 0 ? 1.0 / result : result;
}

Complex smooth_power(const Complex& base, const Complex& exponent) {
  const double a = base.real(), n = exponent.real();
  if (exponent.imag() == 0 && n == std::round(n) && std::abs(n) < 1e9) return integer_power(base, n);
  if (a > 0) return std::pow(base, exponent);
  if (a == 0 && exponent.imag() == 0) return first_order(std::pow(a, n), n * std::pow(a, n - 1), base);
  return {nan, nan};
}

Complex natural_log(const Complex& z) { return smooth_log(z); }
Complex binary_log(const Complex& z) { return smooth_log(z) / std::numbers::ln2; }
Complex decimal_log(const Complex& z) { return smooth_log(z) / std::numbers::ln10; }

using Unary = Complex (*)(const Complex&);
using Binary = Complex (*)(const Complex&, const Complex&);

class UnaryFunction final : public mup::ICallback {
 public:
  UnaryFunction(const char* name, Unary f) : ICallback(mup::cmFUNC, name, 1), f_(f) {}
  void Eval(mup::ptr_val_type& result, const mup::ptr_val_type* argument, int) override {
    *result = f_(argument[0]->GetComplex());
  }
  const mup::char_type* GetDesc() const override { return ""; }
  mup::IToken* Clone() const override { return new UnaryFunction(*this); }

 private:
  Unary f_;
};

class BinaryFunction final : public mup::ICallback {
 public:
  BinaryFunction(const char* name, Binary f) : ICallback(mup::cmFUNC, name, 2), f_(f) {}
  void Eval(mup::ptr_val_type& result, const mup::ptr_val_type* argument, int) override {
    *result = f_(argument[0]->GetComplex(), argument[1]->GetComplex());
  }
  const mup::char_type* GetDesc() const override { return ""; }
  mup::IToken* Clone() const override { return new BinaryFunction(*this); }

 private:
  Binary f_;
};

class BinaryOperator final : public mup::IOprtBin {
 public:
  BinaryOperator(const char* name, Binary f, mup::EOprtPrecedence precedence, mup::EOprtAsct side)
      : IOprtBin(name, precedence, side), f_(f) {}
  void Eval(mup::ptr_val_type& result, const mup::ptr_val_type* argument, int) override {
    *result = f_(argument[0]->GetComplex(), argument[1]->GetComplex());
  }
  const mup::char_type* GetDesc() const override { return ""; }
  mup::IToken* Clone() const override { return new BinaryOperator(*this); }

 private:
  Binary f_;
};

class SignOperator final : public mup::IOprtInfix {
 public:
  SignOperator(const char* name, Unary f) : IOprtInfix(name, mup::prINFIX), f_(f) {}
  void Eval(mup::ptr_val_type& result, const mup::ptr_val_type* argument, int) override {
    *result = f_(argument[0]->GetComplex());
  }
  const mup::char_type* GetDesc() const override { return ""; }
  mup::IToken* Clone() const override { return new SignOperator(*this); }

 private:
  Unary f_;
};

void define_language(mup::ParserX& parser) {
  parser.AddValueReader(new mup::DblValReader());
  parser.DefineConst("pi", std::numbers::pi);
  parser.DefineConst("e", std::numbers::e);

  const auto function = [&](const char* name, Unary f) { parser.DefineFun(new UnaryFunction(name, f)); };
  function("sin", [](const Complex& z) { return std::sin(z); });
  function("cos", [](const Complex& z) { return std::cos(z); });
  function("tan", [](const Complex& z) { return std::tan(z); });
  function("sinh", [](const Complex& z) { return std::sinh(z); });
  function("cosh", [](const Complex& z) { return std::cosh(z); });
  function("tanh", [](const Complex& z) { return std::tanh(z); });
  function("exp", [](const Complex& z) { return std::exp(z); });
  function("asin", smooth_asin);
  function("acos", smooth_acos);
  function("atan", smooth_atan);
  function("ln", natural_log);
  function("log", natural_log);
  function("log2", binary_log);
  function("log10", decimal_log);
  function("sqrt", smooth_sqrt);
  parser.DefineFun(new BinaryFunction("pow", smooth_power));

  const auto op = [&](const char* name, mup::EOprtPrecedence precedence, mup::EOprtAsct side, Binary f) {
    parser.DefineOprt(mup::TokenPtr<mup::IOprtBin>(new BinaryOperator(name, f, precedence, side)));
  };
  op("+", mup::prADD_SUB, mup::oaLEFT, [](const Complex& a, const Complex& b) { return a + b; });
  op("-", mup::prADD_SUB, mup::oaLEFT, [](const Complex& a, const Complex& b) { return a - b; });
  op("*", mup::prMUL_DIV, mup::oaLEFT, [](const Complex& a, const Complex& b) { return a * b; });
  op("/", mup::prMUL_DIV, mup::oaLEFT, [](const Complex& a, const Complex& b) { return a / b; });
  op("^", mup::prPOW, mup::oaRIGHT, smooth_power);
  parser.DefineInfixOprt(mup::TokenPtr<mup::IOprtInfix>(new SignOperator("-", [](const Complex& z) { return -z; })));
  parser.DefineInfixOprt(mup::TokenPtr<mup::IOprtInfix>(new SignOperator("+", [](const Complex& z) { return z; })));
}

/// What muParserX or a user might know and the complex step cannot differentiate is refused by name.
void check_smooth(const std::string& expression, const std::vector<std::string>& variables) {
  static const std::set<std::string> kinked{"abs",  "min",   "max",  "sign",      "sgn", "floor", "ceil", "round",
                                            "rint", "trunc", "step", "heaviside", "mod", "if",    "real", "imag",
                                            "conj", "arg",   "norm", "and",       "or",  "not",   "atan2"};
  constexpr const char* smooth = "must be smooth, because its derivative is needed everywhere";
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t i = 0; i < expression.size(); ++i) {
    if (std::strchr("<>=!?:&|%", expression[i]))
      refuse(expression, i, smooth, std::string("'") + expression[i] + "'",
             "write it without comparisons and conditionals, for example with tanh");
    if (std::strchr("[]{}\"'", expression[i]))
      refuse(expression, i, understood, std::string(1, expression[i]), offered(variables));
    if (!letter(expression[i])) continue;
    std::size_t end = i;
    while (end < expression.size() &&
           (letter(expression[end]) || std::isdigit(static_cast<unsigned char>(expression[end]))))
      ++end;
    const std::string name = expression.substr(i, end - i);
    if (kinked.contains(name))
      refuse(expression, i, smooth, "'" + name + "'", "use a smooth function, for example sqrt(x^2 + 1e-6) for abs(x)");
    i = end - 1;
  }
}

}  // namespace

struct ExpressionParser::Impl {
  std::array<mup::Value, 4> values;  ///< what the parser's variables point to
  mup::ParserX parser{0u};           ///< without muParserX's own packages: the language is the one above
};

ExpressionParser::~ExpressionParser() = default;

ExpressionParser::ExpressionParser(const std::string& expression, const std::vector<std::string>& variables)
    : impl_(std::make_unique<Impl>()) {
  check_smooth(expression, variables);
  define_language(impl_->parser);
  for (std::size_t k = 0; k < variables.size(); ++k)
    impl_->parser.DefineVar(variables[k], mup::Variable(&impl_->values[k]));
  try {
    impl_->parser.SetExpr(expression);
    (*this)({0.0, 0.0, 0.0, 0.0});
  } catch (const mup::ParserError& error) {
    const auto position = static_cast<std::size_t>(std::max(error.GetPos(), 0));
    const bool unknown = error.GetCode() == mup::ecUNASSIGNABLE_TOKEN;
    const std::string message = error.GetMsg();
    refuse(expression, position, understood,
           unknown ? "unknown '" + error.GetToken() + "'" : "\"" + message.substr(0, message.find(" found at")) + "\"",
           offered(variables));
  }
}

Complex ExpressionParser::operator()(const std::array<Complex, 4>& arguments) {
  for (std::size_t k = 0; k < 4; ++k) impl_->values[k] = arguments[k];
  return impl_->parser.Eval().GetComplex();
}

}  // namespace pithball::sim
