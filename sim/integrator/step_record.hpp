#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "sim/constraint/broken_link.hpp"

namespace pithball::sim {

/// How a step ended. Only `Ok` lets a run go on.
enum class StepStatus {
  Ok,
  NotConverged,  ///< the stage problem did not reach its tolerance
  Diverged,      ///< a position or velocity is not finite, or a velocity changed absurdly (`has_diverged`)
};

/// The status as it is written into summaries: "ok", "not_converged", "diverged".
std::string to_string(StepStatus status);

/// What happened in one step; a plain report.
struct StepRecord {
  double t = 0;  ///< time at the end of the step [s]
  double h = 0;  ///< step [s]
  StepStatus status = StepStatus::Ok;
  int force_evaluations = 0;  ///< sums over all explicit forces (each includes one Coulomb sum)
  int linear_solves = 0;      ///< solves with the stage Hessian (Newton iterations)
  int cg_iterations = 0;      ///< conjugate-gradient (or GMRES) iterations within them
  int escapes = 0;            ///< directions out of a saddle that the step drew
  double residual = 0;        ///< of the stage problem, relative to what acts on each particle
  std::vector<double> substeps =
      {};                   ///< accepted substeps of an adaptive integrator [s], which add up to h; empty otherwise
  int capped_substeps = 0;  ///< of them, those that had to be longer than the integrator wanted
  Index contacts = 0;       ///< that pushed at once, at most; of an integrator that projects on constraints
  double deepest = 0;       ///< the largest overlap that they met [m]
  std::vector<BrokenLink> broken = {};  ///< links that broke; they are gone, in the rest of the step and of the run
  bool derivative_reliable = true;      ///< false where the stage Hessian is nearly singular (buckling)

  /// Adds what a substep took; its status becomes the step's.
  void add(const StepRecord& substep) {
    status = substep.status;
    force_evaluations += substep.force_evaluations;
    linear_solves += substep.linear_solves;
    cg_iterations += substep.cg_iterations;
    escapes += substep.escapes;
    residual = std::max(substep.residual, residual);  // in this order NaN stays
    derivative_reliable = derivative_reliable && substep.derivative_reliable;
  }
};

}  // namespace pithball::sim
