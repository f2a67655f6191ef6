#pragma once
#include "optim/residual/trajectory_residual.hpp"
#include "optim/search/minimizer.hpp"

namespace pithball::optim {

struct FitProblem;

/// Minimizes the cost of a fit by multiple shooting (Bock & Plitt 1984): every recording is simulated in `segments`
/// pieces, each from a state of its own, at first where the recording sees the body (`states_from_recording`). Values
/// and states are searched together, by Levenberg–Marquardt, for the least
///    ½ |r(θ, s)|² + ½ w² Σ |gap/unit|²,
/// gaps between the pieces in units of the recordings' standard deviation (velocities: over a piece's duration), under
/// weights w from 0.1 to 1000, each search beginning where the one before it ended: with loose pieces the values are
/// found from motion over short times, and at the end the pieces join. That is the method's penalty form: condensing
/// the states away would bring back the growth of errors from end to end that cutting was to avoid. Losses and priors
/// count as in the fit itself.
///
/// A Jacobian costs one tangent run of P + 6·(free particles) directions. The report's cost is that without gaps, its
/// history that with them, one search after the other. What it finds is where the same problem in one piece can be
/// searched from. Throws as `check_shooting` does. `counts` gets what it evaluates.
MinimizerReport multiple_shooting(const FitProblem& problem, Index segments, const Vector& start,
                                  EvaluationCounts& counts);

/// Unknowns that a dense Jacobian can still hold.
inline constexpr Index largest_shooting = 3000;

/// Throws InvalidArgument where `segments` < 2, a recording is not one of points, or values and states are more than
/// `largest_shooting`.
void check_shooting(const FitProblem& problem, Index segments);

}  // namespace pithball::optim
