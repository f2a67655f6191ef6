#pragma once
#include <vector>

#include "optim/observation/observation.hpp"
#include "optim/parameter/parameter_map.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "optim/search/minimizer.hpp"

namespace pithball::optim {

/// Throws InvalidArgument if the count of starts is not from 1 to 100,000, or the factor not above 1.
void check_starts(const SearchStarts& starts);

/// Whether the range of a parameter can only be found from the recordings: it starts at 0, which has no size, without
/// two finite bounds, and is neither a nuisance parameter nor a rotation.
bool needs_range(const ParameterMap& map, Index parameter);

/// For each parameter, the change of θ_k that would move what the recordings show by as much as they differ from their
/// mean and from the model at θ together:
///    Δθ_k² = Σ ((y − ȳ)² + (y − y_model)²)/σ² / |∂r/∂θ_k|²,
/// with the sum over the fitted samples y of the recordings that depend on θ_k, and ȳ the mean of each component of a
/// recording. ∞ for a parameter without effect. Empty if the model cannot be simulated at θ. P.
Vector recorded_ranges(const TrajectoryResidual& residual, const std::vector<Observation>& observations,
                       const Vector& theta);

/// The given start and count − 1 points θ of a Latin hypercube (McKay, Beckman & Conover 1979): for each parameter one
/// point in each of count − 1 equal parts of its range. If both bounds are finite, the range is from bound to bound,
/// uniform in θ (that is, in the logarithm for a stiffness). Otherwise p is drawn log-uniformly from start/factor to
/// start·factor, with the start's sign, or, if it starts at 0, uniformly between −Δθ and Δθ of `ranges`
/// (`recorded_ranges`); always within the bounds. The three numbers of a rotation without bounds are drawn together,
/// uniformly from all rotations (Shoemake 1992), about the middle of the body if the translation is free as well; one
/// of them alone, uniformly over a turn. Nuisance parameters keep their start in all points: they are not of interest
/// and have no written bounds. Throws InvalidArgument like `check_starts`, and for a parameter that needs a range and
/// has none.
std::vector<Vector> make_start_points(const ParameterMap& map, const SearchStarts& starts, const Vector& ranges = {});

}  // namespace pithball::optim
