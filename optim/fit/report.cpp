#include "optim/fit/report.hpp"

#include "sim/core/error.hpp"

namespace pithball::optim {
RunVerdict judge(const FitReport& report, const HalvedStep* halved) {
  std::vector<OtherMinimum> others;
  for (const AlternativeEstimate& other : report.estimates.alternatives) others.push_back(other.minimum);
  return judge_fit({report.search.status, report.search.message, report.search.searches(),
                    report.estimates.parameters.empty(), std::move(others), report.goodness, halved,
                    report.search.gradients});
}

void fields(FieldVisitor& v, FitMinimum& minimum) {
  v.is("Minimum", "end of the search from one start in one stage");
  v("start", minimum.start, "number of the start; 0: the given one");
  v("status", as_word(minimum.status, minimizer_statuses), "how the search ended");
  v("cost", minimum.cost, "cost at its end");
  v("iterations", minimum.iterations, "number of iterations");
  v("place", value_if(minimum.place >= 0, minimum.place),
    "0: at the estimates; k: at their k-th alternative; null: elsewhere, or not examined");
  v("parameters", by_name(minimum.parameters), of_parameter, "physical values at its end, by parameter",
    only(!minimum.parameters.empty(), "with several starts"));
}

void fields(FieldVisitor& v, FitStage& stage) {
  v.is("Stage", "a stage of the search");
  v("horizon", stage.horizon, in("s"), "recorded time up to which frames count; null: all");
  v("integrator", or_null(stage.integrator), "its integrator; null: that of the experiment");
  v("time_step", stage.time_step, in("s"), "its time step; null: that of the experiment");
  v("segments", stage.segments, "number of segments; more than 1: multiple shooting");
  v("minima", stage.minima, "one for each start, lowest cost first");
}

void fields(FieldVisitor& v, FitSearch& search) {
  v("message", search.message, "why the search ended, in a sentence");
  v("cost_history", search.cost_history, "cost after each iteration of the last stage, from its start on");
  v("path", search.path, of_parameter, "the parameters after each iteration; empty: too many");
  v("search", search.stages, "every minimum found, by stage");
  v("search_summary", search.summary, "how the search went and what it found, one sentence each");
  v.block("evaluations", "Evaluations", "number of evaluations of the model and its derivatives", [&] {
    EvaluationCounts& counts = search.evaluations;
    v("forward", counts.forward, "runs without derivatives");
    v.computed(
        "gradient", [&] { return counts.tangent + counts.adjoint; }, "tangents and adjoints");
    v("tangent", counts.tangent, "directions or runs with tangents");
    v("adjoint", counts.adjoint, "adjoints of recorded runs");
    v("failed", search.failed_evaluations, "points at which a simulation failed");
  });
}

void fields(FieldVisitor& v, AlternativeEstimate& other) {
  v.is("AlternativeEstimate", "another minimum that the recordings do not distinguish from the estimates");
  v("delta_chi_square", other.minimum.delta_chi_square, "its χ² minus that of the estimates");
  v("searches", other.minimum.searches, "number of searches of the last stage that ended there");
  v("parameters", other.parameters, "with their own errors, in the order of the estimates");
}

void fields(FieldVisitor& v, Estimates& estimates) {
  v("confidence", known(estimates.confidence), "level of the intervals");
  v("parameters", estimates.parameters, "one for each fitted value");
  v("correlation", estimates.correlation, "a row and a column for each parameter; empty: not computed");
  v.after_reading([&] {
    const Eigen::MatrixXd& all = estimates.correlation;
    const auto count = static_cast<Index>(estimates.parameters.size());
    if (all.rows() > 0 && (all.rows() != count || all.cols() != count))
      throw InvalidArgument(
          {"fit.json", "correlation", "must have a row and a column for each parameter", "others", "repeat the fit"});
  });
  v("weak_directions", estimates.weak_directions, "directions that the recordings do not determine");
  v("condition", estimates.condition,
    "largest / smallest singular value of the scaled Jacobian; null: ∞, or not computed");
  v("residual_scale", estimates.residual_scale,
    "scale of the residuals in units of sigma: 1 if sigma and model are right");
  v("degrees_of_freedom", estimates.degrees_of_freedom, "number of residuals − number of values that they determine");
  v("uncertainty", value_if(estimates.uncertainty.frames > 0, estimates.uncertainty),
    "how the standard errors were computed; null: they were not");
  v("profile", estimates.profiles, "requested profiles, and those of values that are not linear enough");
  v("alternatives", estimates.alternatives, "other estimates that fit as well, best first");
  fields(v, estimates.held);
}

}  // namespace pithball::optim
