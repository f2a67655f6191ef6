#include "app/result/gradient_record.hpp"

namespace pithball::app {

void fields(FieldVisitor& v, GradientRecord& record) {
  v.is("GradientResult", "adjoint, tangent and finite-difference derivatives of a run compared");
  v("passed", record.passed, "whether the run completed and every block agrees");
  v("status", record.status, "of the run: \"ok\", \"diverged\" or \"not_converged\"");
  v("unreliable_step", record.unreliable_step, "first step whose derivative is unreliable; null: none");
  v("loss", record.loss, "loss of the run");
  v("steps", record.steps, "number of steps of the run");
  v("crossings", record.crossings, "number of particles that changed their cell during a finite difference");
  v.block("tolerances", "GradientTolerances", "relative to a block's largest entry", [&] {
    v("tangent", known(record.tangent_tolerance), "of adjoint against tangent");
    v("difference", known(record.difference_tolerance), "of adjoint against finite differences");
  });
  v("blocks", record.blocks, "by block of values");
  v("doubts", record.doubts, "why derivatives that agree are not those of the motion, one sentence each");
}

}  // namespace pithball::app
