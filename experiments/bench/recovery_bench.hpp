#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "app/experiment/experiment.hpp"
#include "experiments/claim/claim.hpp"
#include "optim/fit/problem.hpp"
#include "optim/residual/trajectory_residual.hpp"

namespace pithball::experiments {

/// A body whose charges and stiffnesses, a number for each particle and for each spring, are to be found from its
/// motion beside a known charge. It starts with velocities that excite every spring.
struct RecoveryBody {
  std::string name;
  app::Experiment experiment;  ///< with one value for all charges and one for all stiffnesses: where the fit starts
  double rate = 0;             ///< frames per second [1/s]
  std::string solver = "levenberg_marquardt";
  double function_tolerance = 0;  ///< of the solver
  int max_iterations = 0;         ///< likewise; a fit that is cut off counts as not converged
  sim::Vector truth = {};         ///< the true values, as in `sim::Values`
  double mean_edge = 0;           ///< mean length of the springs as drawn [m]
};

/// "small" (a torus of 12 vertices), "torus" (the paper's 29×5), "cloth" (2,025 vertices).
const std::vector<std::string>& recovery_bodies();
/// Throws InvalidArgument for another name.
RecoveryBody make_recovery_body(const std::string& name);

/// How a recording of the body is spoilt.
struct RecoveryCase {
  double noise = 0;    ///< standard deviation of each coordinate, in mean edges
  double missing = 0;  ///< probability that a sample is lost
};

/// Results of the fits of one case, over all repetitions.
struct RecoveryFigures {
  sim::Index parameters = 0;
  int repetitions = 0, converged = 0;
  double charge_error = 0, stiffness_error = 0;  ///< medians of |estimate − truth| / truth
  /// Of the parameters that such a recording identifies, judged at the truth and so the same for all repetitions: their
  /// share of all, and the share of their intervals (95 %) that hold the truth; NaN where none is, and without noise.
  double identifiable_share = 0, coverage = 0;
  double seconds = 0;                   ///< median of a fit
  optim::EvaluationCounts evaluations;  ///< made by all fits
  /// Of errors from samples (optim::ErrorReport), in the mean over the fits: seconds of them, the part of the fit's
  /// seconds, and products with the Jacobian and as many with its transpose. NaN: errors come from the whole Jacobian.
  double error_seconds = 0, error_share = 0, error_products = 0;
};

/// Records the body by velocity Verlet at a tenth of the fit's step, spoils the recording `repetitions` times by noise
/// and gaps that depend on (seed, repetition) alone, and fits each time the charges of all free particles and the
/// stiffnesses of all springs that move, from one value for all of a kind, without priors. `progress` is called with
/// the share of fits made.
RecoveryFigures measure_recovery(const RecoveryBody& body, const RecoveryCase& spoilt, int repetitions,
                                 std::uint64_t seed, const std::function<void(double)>& progress);

/// That all fits of a case converged, and that its intervals hold the truth as often as they say.
std::vector<Claim> recovery_claims(const RecoveryCase& spoilt, const RecoveryFigures& figures);

}  // namespace pithball::experiments
