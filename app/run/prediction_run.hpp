#pragma once
#include <functional>

#include "app/result/prediction_record.hpp"
#include "app/run_folder/run_folder.hpp"
#include "app/yaml/tree.hpp"

namespace pithball::app {

/// Writes the run folder of `identify`: run.yaml, identify.json, summary.json. `filled`: the experiment with every
/// default; `seconds`: computing time of the prediction. Throws InvalidArgument as RunFolder does.
void write_identify_run(const IdentifyRecord& record, const Tree& filled, double seconds, const RunOrder& order);
/// Writes further files into a run folder.
using WriteFiles = std::function<void(RunFolder& folder)>;
/// The same for `plan`: run.yaml, plan.json, summary.json, and what `more` writes before these last two.
void write_plan_run(const PlanRecord& record, const Tree& filled, double seconds, const RunOrder& order,
                    const WriteFiles& more = {});

}  // namespace pithball::app
