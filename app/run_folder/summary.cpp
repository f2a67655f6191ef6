#include "app/run_folder/summary.hpp"

#include "app/base/json_text.hpp"
#include "app/run_folder/json_reading.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// A summary with these keys between its first and its last.
ordered_json with_middle(const Summary& summary, const ordered_json& middle) {
  ordered_json json{{"program", summary.program},
                    {"command", summary.command},
                    {"name", summary.name},
                    {"status", summary.status},
                    {"complete", summary.complete}};
  json.update(middle);
  json["threads"] = summary.threads;
  json["folder"] = summary.folder;
  return json;
}

ordered_json steps_by_json(const StepsBy& by) {
  return {{"name", by.name},
          {"version", by.version},
          {"seconds", number_or_null(by.seconds)},
          {"compile_seconds", number_or_null(by.compile_seconds)}};
}

ordered_json step_cost_json(const StepCost& cost) {
  return {{"force_evaluations", cost.force_evaluations},
          {"linear_solves", cost.linear_solves},
          {"cg_iterations", cost.cg_iterations},
          {"capped_substeps", cost.capped_substeps}};
}

ordered_json broken_links_json(const std::vector<BrokenInStep>& all) {
  ordered_json list = ordered_json::array();
  for (const auto& [step, link] : all)
    list.push_back({{"step", step},
                    {"time", link.t},
                    {"constraint", link.constraint},
                    {"link", link.row.item},
                    {"particles", {link.row.particles[0], link.row.particles[1]}},
                    {"tension", link.tension}});
  return list;
}

BrokenInStep read_broken_link(const ordered_json& json) {
  BrokenInStep broken;
  broken.step = json.at("step");
  broken.link.t = number_of(json.at("time"));
  broken.link.constraint = json.at("constraint");
  broken.link.row.item = json.at("link");
  broken.link.row.count = 2;
  broken.link.row.particles[0] = json.at("particles").at(0);
  broken.link.row.particles[1] = json.at("particles").at(1);
  broken.link.tension = number_of(json.at("tension"));
  return broken;
}

ordered_json population_json(const std::optional<PassingParticles>& population) {
  if (!population) return nullptr;
  return {{"emitted", population->emitted}, {"taken", population->taken}, {"left", population->left}};
}

/// What summaries of older programs may lack.
void read_later_keys(const ordered_json& json, SimulationOutcome& outcome) {
  outcome.notes = texts_below(json, "notes");
  outcome.changing_values = texts_below(json, "changing_values");
  if (json.contains("backend")) {
    const ordered_json& by = json.at("backend");
    outcome.steps_by = {by.at("name"), by.at("version"), number_of(by.at("seconds")),
                        number_of(by.at("compile_seconds"))};
  }
  if (json.contains("contacts")) {
    outcome.most_contacts = json.at("contacts").at("most");
    outcome.deepest_contact = number_of(json.at("contacts").at("deepest"));
  }
  if (json.contains("broken_links"))
    for (const ordered_json& link : json.at("broken_links")) outcome.broken.push_back(read_broken_link(link));
  if (json.contains("population") && !json.at("population").is_null()) {
    const ordered_json& population = json.at("population");
    outcome.population = PassingParticles{population.at("emitted"), population.at("taken"), population.at("left")};
  }
}

}  // namespace

ordered_json to_json(const Summary& summary, const SimulationOutcome& outcome) {
  return with_middle(
      summary, {{"completed_steps", outcome.completed_steps},
                {"requested_steps", outcome.requested_steps},
                {"failed_step", value_or_null(outcome.failed_step)},
                {"why", text_or_null(outcome.why)},
                {"remedy", text_or_null(outcome.remedy)},
                {"notes", outcome.notes},
                {"changing_values", outcome.changing_values},
                {"energy_error",
                 {{"mean", number_or_null(outcome.energy_error.mean)},
                  {"max", number_or_null(outcome.energy_error.max)},
                  {"scale", outcome.energy_error.scale}}},
                {"seconds", summary.seconds},
                {"backend", steps_by_json(outcome.steps_by)},
                {"cost", step_cost_json(outcome.cost)},
                {"contacts", {{"most", outcome.most_contacts}, {"deepest", number_or_null(outcome.deepest_contact)}}},
                {"broken_links", broken_links_json(outcome.broken)},
                {"population", population_json(outcome.population)},
                {"resumed_from_step", value_or_null(outcome.resumed_from_step)},
                {"particles", outcome.particles},
                {"springs", outcome.springs},
                {"integrator", outcome.integrator},
                {"time_step", outcome.time_step},
                {"linear_solver", outcome.linear_solver}});
}

ordered_json to_json(const Summary& summary, const FitOutcome& outcome) {
  return with_middle(summary, {{"why", text_or_null(outcome.why)},
                               {"remedy", text_or_null(outcome.remedy)},
                               {"parameters", outcome.parameters},
                               {"recordings", outcome.recordings},
                               {"trajectories", outcome.trajectories},
                               {"seconds", summary.seconds}});
}

ordered_json to_json(const Summary& summary, const ComparisonOutcome& outcome) {
  return with_middle(summary, {{"explanation", outcome.explanation},
                               {"seconds", summary.seconds},
                               {"particles", outcome.particles},
                               {"springs", outcome.springs},
                               {"duration", outcome.duration},
                               {"methods", outcome.methods},
                               {"time_steps", outcome.time_steps},
                               {"reference", outcome.reference},
                               {"reference_step", outcome.reference_step}});
}

ordered_json to_json(const Summary& summary, const ScanOutcome& outcome) {
  return with_middle(summary, {{"explanation", outcome.explanation},
                               {"seconds", summary.seconds},
                               {"over", outcome.over},
                               {"points", outcome.points},
                               {"methods", outcome.methods},
                               {"time_steps", outcome.time_steps},
                               {"reference", outcome.reference},
                               {"reference_step", outcome.reference_step}});
}

ordered_json to_json(const Summary& summary, const GradientOutcome& outcome) {
  return with_middle(summary, {{"steps", outcome.steps},
                               {"explanation", outcome.explanation},
                               {"seconds", summary.seconds},
                               {"particles", outcome.particles},
                               {"springs", outcome.springs},
                               {"integrator", outcome.integrator},
                               {"time_step", outcome.time_step}});
}

ordered_json to_json(const Summary& summary, const PredictionOutcome& outcome) {
  return with_middle(summary, {{"explanation", outcome.explanation},
                               {"seconds", summary.seconds},
                               {"recordings", outcome.recordings},
                               {"parameters", outcome.parameters}});
}

Summary read_summary(const ordered_json& json) {
  Summary summary;
  summary.command = json.at("command");  // first, as it says what else must be there
  summary.program = json.value("program", "");
  summary.name = json.at("name");
  summary.status = json.at("status");
  summary.complete = json.value("complete", true);
  summary.seconds = number_of(json.at("seconds"));
  summary.threads = json.at("threads");
  summary.folder = json.value("folder", "");
  return summary;
}

SimulationOutcome read_simulation_outcome(const ordered_json& json) {
  SimulationOutcome outcome;
  outcome.completed_steps = json.at("completed_steps");
  outcome.requested_steps = json.at("requested_steps");
  outcome.failed_step = optional_of<Index>(json.at("failed_step"));
  outcome.why = text_of(json.at("why"));
  outcome.remedy = text_of(json.at("remedy"));
  const ordered_json& error = json.at("energy_error");
  outcome.energy_error = {number_of(error.at("mean")), number_of(error.at("max")), number_of(error.at("scale"))};
  const ordered_json& cost = json.at("cost");
  outcome.cost = {cost.at("force_evaluations"), cost.at("linear_solves"), cost.at("cg_iterations"),
                  cost.value("capped_substeps", 0L)};
  outcome.resumed_from_step = optional_of<Index>(json.at("resumed_from_step"));
  outcome.particles = json.at("particles");
  outcome.springs = json.at("springs");
  outcome.integrator = json.at("integrator");
  outcome.time_step = json.at("time_step");
  outcome.linear_solver = json.at("linear_solver");
  read_later_keys(json, outcome);
  return outcome;
}

FitOutcome read_fit_outcome(const ordered_json& json) {
  FitOutcome outcome;
  outcome.why = text_of(json.at("why"));
  outcome.remedy = text_of(json.at("remedy"));
  outcome.parameters = json.at("parameters");
  outcome.recordings = json.at("recordings");
  outcome.trajectories = texts_below(json, "trajectories");
  return outcome;
}

ComparisonOutcome read_comparison_outcome(const ordered_json& json) {
  ComparisonOutcome outcome;
  outcome.explanation = json.at("explanation");
  outcome.particles = json.at("particles");
  outcome.springs = json.at("springs");
  outcome.duration = json.at("duration");
  outcome.methods = json.at("methods");
  outcome.time_steps = numbers_of(json.at("time_steps"));
  outcome.reference = json.at("reference");
  outcome.reference_step = json.at("reference_step");
  return outcome;
}

ScanOutcome read_scan_outcome(const ordered_json& json) {
  ScanOutcome outcome;
  outcome.explanation = json.at("explanation");
  outcome.over = texts_below(json, "over");
  outcome.points = json.at("points");
  outcome.methods = json.at("methods");
  outcome.time_steps = numbers_of(json.at("time_steps"));
  outcome.reference = json.at("reference");
  outcome.reference_step = json.at("reference_step");
  return outcome;
}

PredictionOutcome read_prediction_outcome(const ordered_json& json) {
  return {json.at("explanation"), json.at("recordings"), json.at("parameters")};
}

GradientOutcome read_gradient_outcome(const ordered_json& json) {
  GradientOutcome outcome;
  outcome.steps = json.at("steps");
  outcome.explanation = json.at("explanation");
  outcome.particles = json.at("particles");
  outcome.springs = json.at("springs");
  outcome.integrator = json.at("integrator");
  outcome.time_step = json.at("time_step");
  return outcome;
}

}  // namespace pithball::app
