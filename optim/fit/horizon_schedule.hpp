#pragma once
#include <string>
#include <vector>

#include "optim/fit/fit_residual.hpp"
#include "optim/observation/observation.hpp"
#include "optim/search/search_stage.hpp"

namespace pithball::optim {

/// The early frames first: horizons of a search whose start may be out of step with the late ones.
struct HorizonSchedule {
  std::vector<double> horizons;  ///< simulated time, ascending, without the whole [s]; empty: the whole at once
  std::string parameter;         ///< the value that says where the first one ends, empty without horizons
  std::string recording;         ///< likewise
  double first = 0;  ///< from there on a change of it by 1 % moves the markers by a tenth of their motion [s]

  /// Their stages: each only has to come near, as the next one begins there.
  std::vector<SearchStage> stages() const;
  /// Which, and why, in a sentence; empty without horizons.
  std::string sentence() const;
};

/// From residuals and derivatives J (R×P) of the trajectories at the start θ. The first horizon T₁ is the first frame f
/// of any recording with
///    0.01 max_k √(Σ_f |∂x/∂θ_k|² / samples) ≥ 0.1 extent,
/// k over the values that were asked for, extent the root mean square distance of the recorded markers from their mean
/// (`SensitivityGrowth`): an error of 10 % in one value is then out of step by about the motion itself, which is where
/// the cost of a swing begins to have a minimum for every period. θ is a logarithm or in units of the start; one that
/// has a unit changes by 1 % of itself. From there horizons grow by the constant factor nearest to 2 that leads to the
/// last fitted frame T:
///    T_j = T₁ (T/T₁)^(j/n),   n = max(1, round(log₂ T/T₁)),   j = 0 … n − 1.
/// A horizon that leaves a recording without a frame, fewer rows than parameters, or less rank than the whole has, is
/// left out. No horizons where T₁ is beyond T. All ratios are pure numbers: neither the size of a body nor the speed of
/// its clock changes what is fitted. Throws InvalidArgument if J has not one row for each residual.
HorizonSchedule find_horizons(const FitResidual& residual, const std::vector<Observation>& observations,
                              const Vector& theta, const Eigen::MatrixXd& J);

}  // namespace pithball::optim
