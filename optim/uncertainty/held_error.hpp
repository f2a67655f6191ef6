#pragma once
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "optim/uncertainty/uncertainty.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::optim {

/// Values of a recording that a fit holds although they have an uncertainty: an initial state estimated from its first
/// frames, a placement registered in one of them, a rest from which its displacements count.
struct ValueError {
  std::vector<Index> entries;  ///< as in `compute_value_gradients`
  Eigen::MatrixXd root;        ///< entries × k: their covariance is root rootᵀ, in SI units
};

/// Adds a covariance to that of θ, C ← C + `added`, and updates standard errors, half widths and correlations. Does
/// nothing if the residuals have no scale, or for a θ that is not identifiable.
void carry_error(const Eigen::MatrixXd& added, Uncertainty& u);

/// What an error of one value that a fit holds exactly would do to the estimates.
struct HeldEffect {
  std::string name;  ///< "mass", "clock_scale"; "scale": the factor of all readings of the instruments
  std::string part;  ///< what it belongs to: "model", "clock" or "measurement"
  std::string step;  ///< the error that is assumed, in words: "1 %", "0.1°", "10 % of a frame"
  /// The same in `unit`, of the first recording; of values with several entries that differ: a factor, without a unit.
  double size = std::numeric_limits<double>::quiet_NaN();
  std::string unit;  ///< in base units of SI, or px; empty: a pure number
  /// Change of each requested parameter for this error, in its standard errors; for a vector in space, the size of the
  /// change for an error in the worst direction.
  std::vector<std::pair<std::string, double>> changes;

  /// The largest change by size, with the name of its parameter; ("", 0) if there is none.
  std::pair<std::string, double> largest() const;
};

/// The values that a fit holds exactly, and the effect of errors in them: to first order an error δh of held values h
/// changes θ by −H⁺ JᵀW (∂r/∂h) δh/τ² (`carry_held_values`), in all recordings at once. A value is held exactly if no
/// parameter moves it and no error of it is known (`FitProblem::value_errors`): the values of the model, each for all
/// its particles, springs or entries together, and clock, placement, scale and the instrument's own values of the
/// recordings. A recording whose start state comes from its own frames moves that start with its clock and placement,
/// and does not count there.
struct HeldBudget {
  std::vector<HeldEffect> effects;  ///< largest first; empty: nothing is held, or not computed
  std::string failure;              ///< why it is not computed; empty: it is, or was not requested

  /// "held exactly: mass (1 % = 17 standard errors of stiffness), clock_scale (0.1 % = 6.9); a prior includes the
  /// error of a value": lists the effects of at least one standard error: at most three of the model, one of the clock
  /// and one of the measurement. Empty: there are none.
  std::string sentence() const;
};

/// An entry of `held.effects` in fit.json.
void fields(FieldVisitor& v, HeldEffect& effect);
/// `held` of fit.json.
void fields(FieldVisitor& v, HeldBudget& budget);

}  // namespace pithball::optim
