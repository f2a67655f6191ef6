#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "sim/constraint/constraint_record.hpp"

namespace pithball::sim {

/// How a step ended. A run continues only after `Ok`.
enum class StepStatus {
  Ok,
  NotConverged,  ///< the stage problem did not reach its tolerance
  Diverged,      ///< a position or velocity is not finite, or a velocity changed far too much (`has_diverged`)
};

/// The status as written in summaries: "ok", "not_converged", "diverged".
std::string to_string(StepStatus status);

/// The work of computing a step.
struct StepWork {
  int force_evaluations = 0;  ///< evaluations of all explicit forces (each includes one Coulomb sum)
  int linear_solves = 0;      ///< solves with the stage Hessian (Newton iterations)
  int cg_iterations = 0;      ///< conjugate-gradient (or GMRES) iterations within them
  int capped_substeps = 0;    ///< substeps of an adaptive integrator that were longer than it requested

  /// Adds that of a substep.
  void add(const StepWork& substep) {
    force_evaluations += substep.force_evaluations;
    linear_solves += substep.linear_solves;
    cg_iterations += substep.cg_iterations;
    capped_substeps += substep.capped_substeps;
  }
};

/// Report of one step.
struct StepRecord {
  double t = 0;                        ///< time at the end of the step [s]
  double h = 0;                        ///< step [s]
  StepStatus status = StepStatus::Ok;  ///< `Ok` until something fails
  StepWork work = {};                  ///< its cost
  int escapes = 0;                     ///< random directions out of a saddle
  double residual = 0;                 ///< of the stage problem, relative to the forces on each particle
  std::vector<double> substeps = {};   ///< the parts of a divided step [s], with the sum h; empty if it was not divided
  Pushing pushing = {};  ///< most contacts active in a substep, and largest overlap in any; only with constraints
  std::vector<BrokenLink> broken = {};  ///< links that broke; they are absent from the rest of the step and of the run
  bool derivative_reliable = true;      ///< false where the stage Hessian is nearly singular (buckling)

  /// Adds the cost of a substep, whose status becomes the step's.
  void add(const StepRecord& substep) {
    status = substep.status;
    work.add(substep.work);
    escapes += substep.escapes;
    residual = std::max(substep.residual, residual);  // this order keeps NaN
    derivative_reliable = derivative_reliable && substep.derivative_reliable;
  }
};

}  // namespace pithball::sim
