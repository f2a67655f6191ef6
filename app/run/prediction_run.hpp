#pragma once
#include <filesystem>
#include <functional>

#include "app/experiment/plan_spec.hpp"
#include "app/result/prediction_record.hpp"
#include "app/run_folder/run_folder.hpp"
#include "app/yaml/tree.hpp"
#include "optim/fit/identify.hpp"

namespace pithball::app {

/// The θ of a prediction: the start of the fit, or, if `run` is not empty, the estimates in fit.json of a finished
/// fit's folder. Throws InvalidArgument if that fit had other parameters or has no estimates.
optim::Vector prediction_point(const optim::ParameterMap& map, const std::filesystem::path& run);

/// The problem of a fit in which planned recordings have the motion simulated at θ.
optim::FitProblem with_simulated_positions(const FitSpec& spec, const optim::Vector& theta);

/// Predicts what the experiment's recordings, existing and planned, determine at θ. Planned recordings get the motion
/// simulated at θ. `earlier`: the information from an earlier fit.
optim::IdentifyReport identify_recordings(const FitSpec& spec, const optim::Vector& theta,
                                          const optim::EarlierEstimates& earlier = {});

/// Predicts the same for every alternative of a plan, at the plan's start or at the earlier estimates.
PlanRecord predict_plan(const PlanSpec& plan, const optim::EarlierEstimates& earlier = {});

/// Writes the run folder of `identify`: run.yaml, identify.json, summary.json. `filled`: the experiment with every
/// default; `seconds`: computing time of the prediction. Throws InvalidArgument as RunFolder does.
void write_identify_run(const IdentifyRecord& record, const Tree& filled, double seconds, const RunOrder& order);
/// Writes further files into a run folder.
using WriteFiles = std::function<void(RunFolder& folder)>;
/// The same for `plan`: run.yaml, plan.json, summary.json, and what `more` writes before these last two.
void write_plan_run(const PlanRecord& record, const Tree& filled, double seconds, const RunOrder& order,
                    const WriteFiles& more = {});

}  // namespace pithball::app
