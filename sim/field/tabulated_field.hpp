#pragma once
#include <limits>
#include <memory>
#include <string_view>

#include "sim/field/potential_field.hpp"
#include "sim/field/scalar_field.hpp"

namespace pithball::sim {

class Settings;

/// The field e(x, t) = −w(t) ∇φ(x) of a tabulated potential, with w = 1 for from ≤ t < until and 0 at other times; with
/// a time constant τ of the electrodes, w is the voltage of a capacitor behind a resistor: 1 − e^{−(t − from)/τ} until
/// the end, then w(until) e^{−(t − until)/τ}.
///
/// Outside the table the field is NaN, so that the run of a charge there ends as diverged, unless linear extrapolation
/// is allowed. An integrator uses the table that is active at the times of its force evaluations; steps end where it
/// switches (`make_step_parts`).
class TabulatedField final : public PotentialField {
 public:
  /// The field outside the table.
  enum class Outside {
    Fail,    ///< NaN
    Linear,  ///< from the potential extrapolated linearly with its slope at the border
  };
  /// Times at which the potential acts [s].
  struct Span {
    double from = -std::numeric_limits<double>::infinity(),  ///< beginning, included; must be < `until`
        until = std::numeric_limits<double>::infinity();     ///< end, excluded
    double time_constant = 0;                                ///< τ [s]; 0: switched instantly
  };
  /// Throws InvalidArgument unless from < until and τ ≥ 0.
  TabulatedField(std::shared_ptr<const ScalarField> potential, Outside outside, const Span& span);

  /// e; NaN where the table has no value and extrapolation is not allowed.
  Vec3 value(const Vec3& x, double t) const override;
  Mat3 jacobian(const Vec3& x, double t) const override;
  double potential(const Vec3& x, double t) const override;
  bool changes_between(double from, double to) const override { return weight(from) != weight(to); }
  /// It switches at the ends of its span, and varies after them with a time constant.
  void add_course(double from, double to, TimeCourse&) const override;

 private:
  double weight(double t) const;  // w
  bool known(const Vec3& x) const { return outside_ == Outside::Linear || potential_->contains(x); }
  std::shared_ptr<const ScalarField> potential_;
  Outside outside_;
  Span span_;
};

/// Reads a field [unit] from the file named by `table`, with its units, position and time: two columns s, φ along a
/// line or four x, y, z, φ on a regular grid, u = −∇φ.
std::shared_ptr<const VectorField> ask_tabulated_field(Settings& settings, std::string_view unit);

}  // namespace pithball::sim
