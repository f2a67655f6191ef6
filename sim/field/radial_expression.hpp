#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sim/field/expression_program.hpp"

namespace pithball::sim {

class Settings;

/// A function U(r) of one distance, given by an expression in r [m] as in `AnalyticField`. U' and U'' are those of the
/// expression, exact to rounding. Where the expression has no real value, all are NaN.
class RadialExpression {
 public:
  /// U, U' and U'' at a distance.
  struct Jet {
    double value,   ///< U
        slope,      ///< U′ [unit of U per m]
        curvature;  ///< U″ [unit of U per m²]
  };

  /// Throws InvalidArgument with the expression, the position of the error and what is available, if it cannot be
  /// parsed.
  explicit RadialExpression(std::string expression);

  const std::string& expression() const { return expression_; }  ///< as it was written
  double value(double r) const;                                  ///< U at r [m]
  double slope(double r) const;                                  ///< U′ at r [m]
  Jet jet(double r) const;                                       ///< all three at r [m]

  // At many distances in one call, which is faster; `out` has the length of `r`.
  void compute_values(std::span<const double> r, std::span<double> out) const;  ///< out[k] = U(r[k])
  void compute_slopes(std::span<const double> r, std::span<double> out) const;  ///< out[k] = U′(r[k])
  void compute_jets(std::span<const double> r, std::span<Jet> out) const;       ///< out[k] = U, U′ and U″ at r[k]

 private:
  std::string expression_;
  ExpressionProgram program_;
};

/// Reads an expression in r [m] with a value in this unit.
std::shared_ptr<const RadialExpression> ask_radial(Settings& settings, std::string_view key, std::string_view unit,
                                                   std::string_view meaning);

}  // namespace pithball::sim
