#pragma once
#include "app/run_folder/prediction_record.hpp"
#include "app/run_folder/run_folder.hpp"
#include "app/yaml/tree.hpp"

namespace pithball::app {

/// Writes the run folder of `identify`: run.yaml, identify.json, summary.json. `filled`: the experiment with every
/// default; `seconds`: computing time of the prediction. Throws InvalidArgument as RunFolder does.
void write_identify_run(const IdentifyRecord& record, const Tree& filled, double seconds, const RunOrder& order);
/// The same for `plan`: run.yaml, plan.json, summary.json.
void write_plan_run(const PlanRecord& record, const Tree& filled, double seconds, const RunOrder& order);

}  // namespace pithball::app
