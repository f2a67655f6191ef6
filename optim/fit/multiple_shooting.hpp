#pragma once
#include "optim/residual/trajectory_residual.hpp"
#include "optim/search/minimizer.hpp"

namespace pithball::optim {

struct FitProblem;

/// Minimizes the cost of a fit by multiple shooting (Bock & Plitt 1984): every recording is cut into
/// `segments`, each simulated from its own state, initially estimated from the recording (`states_from_recording`).
/// Values and states are optimized together, by Levenberg–Marquardt, for the minimum of
///    ½ |r(θ, s)|² + ½ w² Σ |gap/unit|²,
/// with gaps between the segments in units of the recordings' standard deviation (velocities: over a segment's
/// duration) and weights w from 0.1 to 1000, each search starting where the previous one ended. With loose segments the
/// values are determined from motion over short times; at the end the segments join. This is the penalty form of the
/// method: eliminating the states would bring back the growth of errors along the run. Losses and priors count as in
/// the fit itself.
///
/// A Jacobian costs one tangent run of P + 6·(free particles) directions, and a step the factorization of normal
/// equations in which only successive segments are coupled: proportional to the number of segments. The report's cost
/// excludes the gaps; its history includes them, one search after the other. The result is a starting point for the
/// same problem in one segment. Throws as `check_shooting` does. `counts` is incremented by the evaluations.
MinimizerReport multiple_shooting(const FitProblem& problem, Index segments, const Vector& start,
                                  EvaluationCounts& counts, const MinimizerWatch& watch = {});

/// Most numbers of a stored Jacobian: 256 MiB, of which a search holds some five copies.
inline constexpr Index largest_shooting = Index{1} << 25;

/// Throws InvalidArgument if `segments` < 2, a recording is not one of points, or the Jacobian would have more than
/// `largest_shooting` numbers.
void check_shooting(const FitProblem& problem, Index segments);

}  // namespace pithball::optim
