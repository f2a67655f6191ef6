#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "app/experiment/plan_spec.hpp"
#include "app/result/prediction_record.hpp"
#include "app/run/prediction_run.hpp"
#include "optim/fit/fit_prior.hpp"

namespace pithball::app {

/// A finished fit on which a plan builds.
struct EarlierFit {
  std::string folder;                 ///< empty: none
  optim::EarlierEstimates estimates;  ///< without `folder`: empty
  optim::IdentifyReport known;        ///< its estimates and errors in the form of a prediction
  std::vector<std::string> notes;     ///< doubts about it
};

/// The estimates of a run folder's fit with the covariance of its reported standard errors, without nuisance values and
/// without parameters that it did not identify. Throws InvalidArgument if it is not a finished fit, or its search
/// failed.
EarlierFit read_earlier_fit(const std::filesystem::path& folder);

/// Predicts all alternatives of a plan; after an earlier fit, `EarlierFit::known` comes first.
PlanRecord predict_plan_after(const PlanSpec& plan, const EarlierFit& earlier);

/// A plan with an optimized design.
struct OptimizedPlan {
  PlanRecord record;  ///< plan.json
  FitSpec spec;       ///< of the optimized experiment, for a prediction
};

/// Predicts all alternatives of a plan and the design found for `plan.optimize`, the last alternative. Throws
/// InvalidArgument for errors in that section, and if a parameter that counts is not identifiable.
OptimizedPlan optimize_plan(const PlanSpec& plan, const EarlierFit& earlier);

/// Writes the run folder of `plan --optimize`: that of `plan`, planned.yaml (the optimized experiment), and motion and
/// markers of each designed recording, simulated at the values of the prediction.
void write_optimized_run(const OptimizedPlan& plan, const PlanSpec& written, const EarlierFit& earlier, double seconds,
                         const RunOrder& order);

}  // namespace pithball::app
