#pragma once
// The scale and the origin of a system in a test, so that the same system can be had at another one.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sim/core/state.hpp"
#include "sim/field/vector_field.hpp"

namespace pithball::tests {

/// Exponents of length, mass, time and charge.
using Dimension = std::array<int, 4>;

/// The dimension of a unit as values, settings and documents write it: factors with exponents between blanks, those
/// after a slash below the line ("N m2/kg2", "m/s^2", "1/s", "Pa s"). Throws std::invalid_argument for a symbol that is
/// not listed here: what has an unknown unit cannot be scaled, and so cannot pass by mistake.
inline Dimension dimension_of(std::string_view unit) {
  struct Symbol {
    std::string_view name;
    Dimension dimension;
  };
  static constexpr std::array<Symbol, 11> symbols{{{"m", {1, 0, 0, 0}},
                                                   {"kg", {0, 1, 0, 0}},
                                                   {"s", {0, 0, 1, 0}},
                                                   {"C", {0, 0, 0, 1}},
                                                   {"N", {1, 1, -2, 0}},
                                                   {"J", {2, 1, -2, 0}},
                                                   {"V", {2, 1, -2, -1}},
                                                   {"Pa", {-1, 1, -2, 0}},
                                                   {"T", {0, 1, -1, -1}},
                                                   {"1", {}},
                                                   {"", {}}}};
  Dimension sum{};
  int sign = 1;
  for (std::size_t at = 0; at < unit.size();) {
    const std::size_t end = std::min(unit.find_first_of(" /", at), unit.size());
    const std::string_view factor = unit.substr(at, end - at);
    const std::size_t digits = std::min(factor.find_first_of("^23456789", 1), factor.size());
    const bool caret = digits < factor.size() && factor[digits] == '^';
    const int power = digits < factor.size() ? std::stoi(std::string(factor.substr(digits + caret))) : 1;
    bool known = false;
    for (const Symbol& symbol : symbols)
      if (!factor.empty() && symbol.name == factor.substr(0, digits)) {
        known = true;
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += sign * power * symbol.dimension[k];
      }
    if (!known) throw std::invalid_argument("unknown unit '" + std::string(unit) + "'");
    if (end < unit.size() && unit[end] == '/') sign = -1;
    at = end + 1;
  }
  return sum;
}

/// The scale at which a test writes a system down: 4^length times as large as with the numbers that it is given in,
/// 4^mass times as heavy, 4^time times as slow, and moved to another origin. Charges grow by √(m l³)/t, so that k_c
/// keeps its value. All factors are powers of two, and lengths, masses and times grow by powers of four: also the
/// square root of what has grown has the digits that it had.
struct Scale {
  int length = 0, mass = 0, time = 0;
  sim::Vec3 origin = sim::Vec3::Zero();  ///< where the system's origin lies [4^length m]

  /// By what factor a number with this unit grows: 4^length for "m".
  double of(std::string_view unit) const {
    const auto [l, m, t, q] = dimension_of(unit);
    return std::exp2(2 * (length * l + mass * m + time * t) + q * (mass + 3 * length - 2 * time));
  }
  sim::Vec3 place(const sim::Vec3& x) const { return of("m") * (x + origin); }
  sim::Points places(const sim::Points& x) const { return of("m") * (x.colwise() + origin); }
  sim::State state(const sim::State& s) const { return {of("s") * s.t, places(s.x), of("m/s") * s.v}; }
  /// The state whose scaled one is given.
  sim::State original(const sim::State& s) const {
    return {s.t / of("s"), (s.x / of("m")).colwise() - origin, s.v / of("m/s")};
  }
  bool is_unit() const { return length == 0 && mass == 0 && time == 0 && origin.isZero(0); }

  std::string text() const {
    return "4^" + std::to_string(length) + " m, 4^" + std::to_string(mass) + " kg, 4^" + std::to_string(time) + " s";
  }
};

/// An expression in x, y, z or r, and t, of the original system, at a scale.
inline std::string scaled_expression(const std::string& expression, const Scale& scale, std::string_view unit) {
  if (scale.is_unit()) return expression;
  const auto number = [](double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return std::string(text);
  };
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
  std::string out;
  for (std::size_t at = 0, end = 0; at < expression.size(); at = end) {
    while (end < expression.size() && is_word(expression[end])) ++end;
    const std::string word = expression.substr(at, end - at);
    if (word == "x" || word == "y" || word == "z")
      out += "(" + word + "/" + number(scale.of("m")) + " - (" + number(scale.origin[word[0] - 'x']) + "))";
    else if (word == "r" || word == "t")
      out += "(" + word + "/" + number(scale.of(word == "r" ? "m" : "s")) + ")";
    else
      out += word.empty() ? std::string(1, expression[end++]) : word;
  }
  return number(scale.of(unit)) + "*(" + out + ")";
}

}  // namespace pithball::tests
