#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace pithball::sim {

/// aⁿ, with the real value for a negative base and integer n, and NaN where there is none.
double compute_power(double base, double exponent);

/// The first two derivatives of a function of one number.
struct Slopes {
  double first,  ///< f′(a)
      second;    ///< f″(a)
};

/// A number with its exact derivatives with respect to the first `Directions` variables of a function, up to `Order` 1
/// or 2: arithmetic with jets is the chain rule (forward automatic differentiation).
///
/// A jet also records on which variables it depends. A derivative with respect to any other variable is 0, even where a
/// slope is infinite: ∂√x/∂y at x = 0 is 0, and ∂√(x² + y²)/∂x at the origin is 0·∞, NaN.
template <int Directions, int Order>
class Jet {
  static_assert(Directions >= 1 && (Order == 1 || Order == 2));
  static constexpr std::size_t directions = Directions;
  static constexpr std::size_t pairs = Order == 2 ? directions * (directions + 1) / 2 : 0;

 public:
  Jet() = default;  ///< without a value
  /// A number that depends on no variable; converts implicitly, so that constants mix with jets.
  Jet(double constant) : value_(constant), depends_(0), first_{}, second_{} {}

  /// Variable k of the function with this value; a k beyond the directions is a constant.
  static Jet variable(double value, std::size_t k) {
    Jet result(value);
    if (k < directions) result.depends_ = 1u << k, result.first_[k] = 1;
    return result;
  }

  double value() const { return value_; }  ///< the number itself
  /// ∂/∂x_k; NaN where the value is not finite.
  double first(std::size_t k) const { return where_finite(first_[k]); }
  /// ∂²/∂x_j∂x_k; NaN where the value is not finite.
  double second(std::size_t j, std::size_t k) const { return where_finite(second_[pair(j, k)]); }
  bool is_constant() const { return depends_ == 0; }  ///< whether it depends on no variable at all

  /// f(a), given the value and the slopes of f at a.
  friend Jet compose(const Jet& a, double value, const Slopes& f) {
    return assembled(
        value, a.depends_, [&](std::size_t k) { return f.first * a.first_[k]; },
        [&](const Jet&, std::size_t j, std::size_t k, std::size_t p) {
          return f.first * a.second_[p] + f.second * a.first_[j] * a.first_[k];
        });
  }

  /// −a with its derivatives.
  friend Jet operator-(const Jet& a) {
    return assembled(
        -a.value_, a.depends_, [&](std::size_t k) { return -a.first_[k]; },
        [&](const Jet&, std::size_t, std::size_t, std::size_t p) { return -a.second_[p]; });
  }

  /// The sum with its derivatives.
  friend Jet operator+(const Jet& a, const Jet& b) {
    return assembled(
        a.value_ + b.value_, a.depends_ | b.depends_, [&](std::size_t k) { return a.first_[k] + b.first_[k]; },
        [&](const Jet&, std::size_t, std::size_t, std::size_t p) { return a.second_[p] + b.second_[p]; });
  }

  /// The difference with its derivatives.
  friend Jet operator-(const Jet& a, const Jet& b) {
    return assembled(
        a.value_ - b.value_, a.depends_ | b.depends_, [&](std::size_t k) { return a.first_[k] - b.first_[k]; },
        [&](const Jet&, std::size_t, std::size_t, std::size_t p) { return a.second_[p] - b.second_[p]; });
  }

  /// The product with its derivatives.
  friend Jet operator*(const Jet& a, const Jet& b) {
    return assembled(
        a.value_ * b.value_, a.depends_ | b.depends_,
        [&](std::size_t k) { return a.value_ * b.first_[k] + b.value_ * a.first_[k]; },
        [&](const Jet&, std::size_t j, std::size_t k, std::size_t p) {
          return a.value_ * b.second_[p] + b.value_ * a.second_[p] + a.first_[j] * b.first_[k] +
                 a.first_[k] * b.first_[j];
        });
  }

  /// The quotient with its derivatives, infinite or NaN at b = 0.
  friend Jet operator/(const Jet& a, const Jet& b) {  // from a = q b
    const double value = a.value_ / b.value_;
    return assembled(
        value, a.depends_ | b.depends_, [&](std::size_t k) { return (a.first_[k] - value * b.first_[k]) / b.value_; },
        [&](const Jet& q, std::size_t j, std::size_t k, std::size_t p) {
          return (a.second_[p] - value * b.second_[p] - q.first_[j] * b.first_[k] - q.first_[k] * b.first_[j]) /
                 b.value_;
        });
  }

  /// aᵇ. If b depends on a variable, its logarithm requires a > 0; otherwise derivatives with respect to that variable
  /// are NaN.
  friend Jet power(const Jet& a, const Jet& b) {
    const double x = a.value_, n = b.value_, value = compute_power(x, n);
    // n = 0 and n = 1 are constant and linear at x = 0 too.
    const Slopes by_base{n == 0 ? 0 : n * compute_power(x, n - 1),
                         Order == 1 || n == 0 || n == 1 ? 0 : n * (n - 1) * compute_power(x, n - 2)};
    if (b.is_constant()) return compose(a, value, by_base);
    const double log = std::log(x), by_exponent = value * log;
    const Jet exponential = compose(b, value, {by_exponent, by_exponent * log});
    if (a.is_constant()) return exponential;
    const Jet base = compose(a, value, by_base);
    const double mixed = compute_power(x, n - 1) * (1 + n * log);
    return assembled(
        value, a.depends_ | b.depends_, [&](std::size_t k) { return base.first_[k] + exponential.first_[k]; },
        [&](const Jet&, std::size_t j, std::size_t k, std::size_t p) {
          double sum = base.second_[p] + exponential.second_[p];
          if (a.depends(j) && b.depends(k)) sum += mixed * a.first_[j] * b.first_[k];
          if (a.depends(k) && b.depends(j)) sum += mixed * a.first_[k] * b.first_[j];
          return sum;
        });
  }

 private:
  static constexpr std::size_t pair(std::size_t j, std::size_t k) { return j < k ? pair(k, j) : j * (j + 1) / 2 + k; }
  bool depends(std::size_t k) const { return depends_ >> k & 1u; }
  double where_finite(double derivative) const {
    return std::isfinite(value_) ? derivative : std::numeric_limits<double>::quiet_NaN();
  }

  /// The jet with first(k) and second(itself, j, k, pair(j, k)) for the variables on which it depends, 0 for others.
  template <class First, class Second>
  static Jet assembled(double value, unsigned depends, First first, Second second) {
    Jet result;
    result.value_ = value;
    result.depends_ = depends;
    for (std::size_t k = 0; k < directions; ++k) result.first_[k] = result.depends(k) ? first(k) : 0;
    if constexpr (Order == 2)
      for (std::size_t j = 0; j < directions; ++j)
        for (std::size_t k = 0; k <= j; ++k)
          result.second_[pair(j, k)] = result.depends(j) && result.depends(k) ? second(result, j, k, pair(j, k)) : 0;
    return result;
  }

  double value_;
  unsigned depends_;  // bit k: on variable k
  std::array<double, directions> first_;
  std::array<double, pairs> second_;  // symmetric: the lower triangle, row after row
};

/// base^exponent.
inline double power(double base, double exponent) { return compute_power(base, exponent); }

/// A function of one number available in expressions. Outside its real domain its value is NaN.
struct ExpressionFunction {
  const char* name;                          ///< as in an expression: "sin"
  double (*value)(double x);                 ///< f(x); NaN outside the domain
  Slopes (*slopes)(double x, double value);  ///< given f(x); in the domain only
};

/// All of them, in the order of messages.
std::span<const ExpressionFunction> expression_functions();

/// f(x).
inline double apply(const ExpressionFunction& f, double x) { return f.value(x); }

/// f(x) with its derivatives.
template <int Directions, int Order>
Jet<Directions, Order> apply(const ExpressionFunction& f, const Jet<Directions, Order>& x) {
  const double value = f.value(x.value());
  return compose(x, value, f.slopes(x.value(), value));
}

}  // namespace pithball::sim
