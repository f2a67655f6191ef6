#include "app/run/prediction_run.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/base/json_text.hpp"
#include "app/base/version.hpp"
#include "app/result/json_fields.hpp"
#include "app/result/summary.hpp"
#include "optim/verdict/run_status.hpp"

namespace pithball::app {
namespace {

/// What both commands write; `file` holds the record.
struct Prediction {
  const char* command;
  const char* file;
  nlohmann::ordered_json record;
  std::string name;
  PredictionOutcome outcome;
  double seconds;
};

void write_run(const Prediction& told, const Tree& filled, const RunOrder& order, const WriteFiles& more = {}) {
  RunFolder folder(order.target, make_input_record(filled, order.provenance), order.earlier);
  folder.write_experiment(filled, order.provenance);
  if (more) more(folder);
  folder.write_text(told.file, json_text(told.record) + "\n");
  const Summary summary{
      .program = fmt::format("pithball {}", version),
      .command = told.command,
      .name = told.name,
      .status = to_string(told.outcome.explanation.empty() ? optim::RunStatus::Ok : optim::RunStatus::Failed),
      .seconds = told.seconds,
      .threads = order.provenance.threads,
      .folder = order.target.string()};
  folder.write_text("summary.json", json_text(to_json(summary, told.outcome)) + "\n");
  folder.finish();
}

}  // namespace

void write_identify_run(const IdentifyRecord& record, const Tree& filled, double seconds, const RunOrder& order) {
  const optim::IdentifyReport& found = record.prediction;
  write_run({"identify",
             "identify.json",
             to_json(record),
             record.name,
             {found.failure, found.sigmas.size(), found.parameters.size()},
             seconds},
            filled, order);
}

void write_plan_run(const PlanRecord& record, const Tree& filled, double seconds, const RunOrder& order,
                    const WriteFiles& more) {
  PredictionOutcome outcome;
  for (const PlannedAlternative& alternative : record.alternatives) {
    const optim::IdentifyReport& found = alternative.prediction;
    if (!found.ok())
      outcome.explanation +=
          fmt::format("{}{}: {}", outcome.explanation.empty() ? "" : "; ", alternative.name, found.failure);
  }
  const optim::IdentifyReport& first = record.alternatives.front().prediction;
  outcome.recordings = first.sigmas.size();
  outcome.parameters = first.parameters.size();
  write_run({"plan", "plan.json", to_json(record), record.name, outcome, seconds}, filled, order, more);
}

}  // namespace pithball::app
