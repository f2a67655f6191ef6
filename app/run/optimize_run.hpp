#pragma once
#include "app/run/earlier_fit.hpp"
#include "app/run/prediction_run.hpp"
#include "app/spec/plan_spec.hpp"

namespace pithball::app {

/// Predicts all alternatives of a plan; after an earlier fit, what that knows comes first.
PlanRecord predict_plan_after(const PlanSpec& plan, const EarlierFit& earlier);

/// A plan with an optimized design.
struct OptimizedPlan {
  PlanRecord record;  ///< plan.json
  FitSpec spec;       ///< of the optimized experiment, for a prediction
};

/// Predicts all alternatives of a plan and the design found for `plan.optimize`, the last alternative. Throws
/// InvalidArgument for what that section gets wrong, and if a parameter that counts is not identifiable.
OptimizedPlan optimize_plan(const PlanSpec& plan, const EarlierFit& earlier);

/// Writes the run folder of `plan --optimize`: that of `plan`, planned.yaml (the optimized experiment), and motion and
/// markers of each designed recording, simulated at the values of the prediction.
void write_optimized_run(const OptimizedPlan& plan, const PlanSpec& written, const EarlierFit& earlier, double seconds,
                         const RunOrder& order);

}  // namespace pithball::app
