#include "app/result/gradient_record.hpp"

namespace pithball::app {

void fields(FieldVisitor& v, diff::GradientBlock& block) {
  v.is("GradientBlock", "check of one block of physical values");
  v("name", block.name, "of the values, or \"position\" or \"velocity\" of the initial state");
  v("size", block.size, "number of entries");
  v("largest", block.largest, "largest entry of the adjoint gradient");
  v("adjoint_vs_tangent", block.adjoint_vs_tangent, "worst difference, relative to the largest entry");
  v("adjoint_vs_difference", block.adjoint_vs_difference,
    "likewise, against finite differences; null: none could be computed");
  v("difference_error", block.difference_error, "estimated error of the finite differences, likewise");
  v("worst", block.worst, "the entry or direction with the largest disagreement, with its numbers");
  v("passed", block.passed, "whether both differences are within their tolerances");
}

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
}

}  // namespace pithball::app
