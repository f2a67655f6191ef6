#pragma once
#include <string>
#include <vector>

#include "optim/fit/problem.hpp"
#include "optim/observation/observation.hpp"
#include "optim/search/minimizer.hpp"

namespace pithball::optim {

/// Horizons of a search that fits early frames first, because late ones may be out of phase at the start.
struct HorizonSchedule {
  std::vector<double> horizons;  ///< simulated time, ascending, without the full duration [s]; empty: no horizons
  std::string parameter;         ///< the value that determines the first one; empty without horizons
  std::string recording;         ///< likewise
  double first = 0;  ///< time from which a change of that value by 1 % moves the markers by a tenth of their motion [s]

  /// The stages of these horizons, with loose tolerances, since each is followed by another stage.
  std::vector<SearchStage> stages() const;
  /// Description and reason in a sentence; empty without horizons.
  std::string sentence() const;
};

/// From residuals and derivatives J (R×P) of the trajectories at the start θ. The first horizon T₁ is the first frame f
/// of any recording with
///    0.01 max_k √(Σ_f |∂x/∂θ_k|² / samples) ≥ 0.1 extent,
/// for k over the requested values and extent the RMS distance of the recorded markers from their mean
/// (`SensitivityGrowth`): an error of 10 % in one value then shifts the motion by about its own size, beyond which the
/// cost of an oscillation has a minimum for every period. θ is a logarithm or in units of the start; one with a unit
/// changes by 1 % of itself. From there horizons grow by the constant factor closest to 2 that reaches the last fitted
/// frame T:
///    T_j = T₁ (T/T₁)^(j/n),   n = max(1, round(log₂ T/T₁)),   j = 0 … n − 1.
/// Horizons that leave a recording without a frame, fewer rows than parameters, or a lower rank than the full duration
/// are dropped. No horizons if T₁ is beyond T. All ratios are dimensionless: neither the size of a body nor its time
/// scale matters. Throws InvalidArgument if J does not have one row per residual.
HorizonSchedule find_horizons(const FitResidual& residual, const std::vector<Observation>& observations,
                              const Vector& theta, const Eigen::MatrixXd& J);

}  // namespace pithball::optim
