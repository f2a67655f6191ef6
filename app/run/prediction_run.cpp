#include "app/run/prediction_run.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/base/json_text.hpp"
#include "app/base/version.hpp"
#include "app/result/json_fields.hpp"
#include "app/result/summary.hpp"
#include "optim/verdict/run_verdict.hpp"

namespace pithball::app {
namespace {

/// What both commands write; `file` holds the record.
struct Prediction {
  const char* command;
  const char* file;
  nlohmann::ordered_json record;
  std::string name;
  optim::RunVerdict verdict;
  PredictionOutcome outcome;
  double seconds;
};

/// Adds what one prediction says of itself; `prefix`: which one it is.
void judge(const optim::IdentifyReport& found, const std::string& prefix, optim::RunVerdict& verdict) {
  for (const std::string& doubt : found.doubts) verdict.doubt(prefix + doubt, "");
  if (found.ok()) return;
  if (verdict.grade() == optim::Grade::Bad)
    verdict.why += "; " + prefix + found.failure;
  else
    verdict.fail(optim::RunStatus::Failed, prefix + found.failure, "");
}

void write_run(Prediction told, const Tree& filled, const RunOrder& order, const WriteFiles& more = {}) {
  told.outcome.explanation = told.verdict.explanation();
  RunFolder folder(order.target, make_input_record(filled, order.provenance), order.earlier);
  folder.write_experiment(filled, order.provenance);
  if (more) more(folder);
  folder.write_text(told.file, json_text(told.record) + "\n");
  const Summary summary{.program = fmt::format("pithball {}", version),
                        .command = told.command,
                        .name = told.name,
                        .status = to_string(told.verdict.status),
                        .seconds = told.seconds,
                        .threads = order.provenance.threads,
                        .folder = order.target.string()};
  folder.write_text("summary.json", json_text(to_json(summary, told.outcome)) + "\n");
  folder.finish();
}

}  // namespace

void write_identify_run(const IdentifyRecord& record, const Tree& filled, double seconds, const RunOrder& order) {
  const optim::IdentifyReport& found = record.prediction;
  optim::RunVerdict verdict{optim::RunStatus::Ok, "", ""};
  judge(found, "", verdict);
  write_run({"identify",
             "identify.json",
             to_json(record),
             record.name,
             std::move(verdict),
             {"", found.sigmas.size(), found.parameters.size()},
             seconds},
            filled, order);
}

void write_plan_run(const PlanRecord& record, const Tree& filled, double seconds, const RunOrder& order,
                    const WriteFiles& more) {
  PredictionOutcome outcome;
  optim::RunVerdict verdict{optim::RunStatus::Ok, "", ""};
  for (const PlannedAlternative& alternative : record.alternatives)
    judge(alternative.prediction, alternative.name + ": ", verdict);
  const optim::IdentifyReport& first = record.alternatives.front().prediction;
  outcome.recordings = first.sigmas.size();
  outcome.parameters = first.parameters.size();
  write_run({"plan", "plan.json", to_json(record), record.name, std::move(verdict), outcome, seconds}, filled, order,
            more);
}

}  // namespace pithball::app
