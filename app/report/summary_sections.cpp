#include "app/base/json_text.hpp"
#include "app/report/sections.hpp"
#include "app/run/run_verdict.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// Facts in reading order; those that the run does not know are left out.
class Facts {
 public:
  void add(const char* label, const ordered_json& value, const char* unit = nullptr) {
    if (value.is_null() || value == "") return;
    ordered_json fact{{"label", label}, {"value", value}};
    if (unit) fact["unit"] = unit;
    facts_.push_back(std::move(fact));
  }
  const ordered_json& list() const { return facts_; }

 private:
  ordered_json facts_ = ordered_json::array();
};

void add_body(const Run& run, Facts& facts) {
  const ordered_json& summary = run.summary;
  facts.add("particles", summary.at("particles"));
  facts.add("springs", summary.at("springs"));
  facts.add("integrator", summary.at("integrator"));
  facts.add("time step", summary.at("time_step"), "s");
}

void add_simulation(const Run& run, Facts& facts) {
  const ordered_json& summary = run.summary;
  add_body(run, facts);
  if (const auto backend = summary.find("backend"); backend != summary.end() && backend->at("name") != "pithball") {
    facts.add("steps by", backend->at("version"));
    facts.add("time of the steps alone", backend->at("seconds"), "s");
    facts.add("time of compiling them", backend->at("compile_seconds"), "s");
  }
  facts.add("steps made", summary.at("steps"));
  facts.add("steps wanted", summary.at("steps_wanted"));
  facts.add("simulated time", run.energy.back().t, "s");
  facts.add("failed at step", summary.at("failed_step"));
  facts.add("resumed from step", summary.at("resumed_from_step"));
  facts.add("energy error beside what moves, mean", summary.at("energy_error").at("mean"));
  facts.add("energy error beside what moves, largest", summary.at("energy_error").at("max"));
  facts.add("force evaluations", summary.at("cost").at("force_evaluations"));
  facts.add("linear solves", summary.at("cost").at("linear_solves"));
  facts.add("iterations of conjugate gradients", summary.at("cost").at("cg_iterations"));
  facts.add("linear solver", summary.at("linear_solver"));
  for (const ordered_json& note : summary.value("notes", ordered_json::array())) facts.add("note", note);
}

void add_fit(const Run& run, Facts& facts) {
  const ordered_json& fit = *run.fit;
  facts.add("recordings", run.summary.at("recordings"));
  facts.add("parameters", run.summary.at("parameters"));
  facts.add("root mean square error, fitted", fit.at("errors").at("fit"), "m");
  facts.add("the same if nothing moved", fit.at("errors").at("baselines").at("fit").at("still"), "m");
  facts.add("root mean square error, forecast", fit.at("errors").at("forecast"), "m");
  facts.add("condition of the scaled Jacobian", fit.at("condition"));
  facts.add("evaluations of the model", fit.at("evaluations").at("forward"));
  facts.add("evaluations of its derivative", fit.at("evaluations").at("gradient"));
}

void add_gradient(const Run& run, Facts& facts) {
  add_body(run, facts);
  facts.add("steps", run.summary.at("steps"));
  facts.add("blocks of values", run.gradient->at("blocks").size());
}

void add_compare(const Run& run, Facts& facts) {
  facts.add("particles", run.summary.at("particles"));
  facts.add("springs", run.summary.at("springs"));
  facts.add("simulated time", run.summary.at("duration"), "s");
  facts.add("methods", run.summary.at("methods"));
  facts.add("time steps", run.summary.at("time_steps").size());
  facts.add("reference", run.summary.at("reference"));
  facts.add("step of the reference", run.summary.at("reference_step"), "s");
}

void add_scan(const Run& run, Facts& facts) {
  for (const ordered_json& key : run.summary.at("over")) facts.add("over", key);
  facts.add("points", run.summary.at("points"));
  facts.add("methods", run.summary.at("methods"));
  facts.add("time steps", run.summary.at("time_steps").size());
  facts.add("reference", run.summary.at("reference"));
  facts.add("step of the reference", run.summary.at("reference_step"), "s");
}

std::string explanation_of(const Run& run) {
  if (run.fit) return run.fit->at("message");
  if (run.command() != "simulate" || !run.has_results) return run.summary.at("explanation");
  const auto text = [&](const char* key) { return run.summary.at(key).is_null() ? "" : run.summary.at(key); };
  return RunVerdict{run.summary.at("status"), text("why"), text("remedy")}.explanation();
}

}  // namespace

Sections summary_sections(const Run& run) {
  const ordered_json& summary = run.summary;
  Facts facts;
  if (run.command() == "simulate" && run.has_results) add_simulation(run, facts);
  if (run.fit) add_fit(run, facts);
  if (run.gradient) add_gradient(run, facts);
  if (run.compare) add_compare(run, facts);
  if (run.scan) add_scan(run, facts);
  facts.add("computing time", summary.at("seconds"), "s");
  facts.add("threads", summary.at("threads"));
  const std::string status = summary.at("status"), explanation = explanation_of(run);
  return {Section{"summary",
                  {{"title", "Summary"},
                   {"name", summary.at("name")},
                   {"command", summary.at("command")},
                   {"status", status},
                   {"grade", to_string(grade_of(status))},
                   {"explanation", text_or_null(explanation)},
                   {"facts", facts.list()}}}};
}

}  // namespace pithball::app
