#include <optional>

#include "app/backend/backend_choice.hpp"
#include "app/base/json_text.hpp"
#include "app/report/sections.hpp"
#include "app/run/run_verdict.hpp"
#include "app/run_folder/fit_headline.hpp"

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

template <class Outcome>
void add_body(const Outcome& outcome, Facts& facts) {
  facts.add("particles", outcome.particles);
  facts.add("springs", outcome.springs);
  facts.add("integrator", outcome.integrator);
  facts.add("time step", outcome.time_step, "s");
}

/// Adds the facts about a run, by command.
struct AddFacts {
  Facts& facts;

  void operator()(const NoResults&) const {}

  void operator()(const SimulationResults& simulation) const {
    const SimulationOutcome& outcome = simulation.outcome;
    add_body(outcome, facts);
    if (const StepsBy& by = outcome.steps_by; !by.name.empty() && by.name != own_backend) {
      facts.add("backend", by.version);
      facts.add("integration time", number_or_null(by.seconds), "s");
      facts.add("compilation time", number_or_null(by.compile_seconds), "s");
    }
    facts.add("completed steps", outcome.completed_steps);
    facts.add("requested steps", outcome.requested_steps);
    facts.add("simulated time", simulation.energy.back().t, "s");
    if (outcome.population) {
      facts.add("emitted particles", outcome.population->emitted);
      facts.add("removed particles", outcome.population->taken);
      facts.add("particles at the end", outcome.population->left);
    }
    facts.add("failed at step", value_or_null(outcome.failed_step));
    facts.add("resumed from step", value_or_null(outcome.resumed_from_step));
    facts.add("mean energy error, relative to exchanged energy", number_or_null(outcome.energy_error.mean));
    facts.add("largest energy error, relative to exchanged energy", number_or_null(outcome.energy_error.max));
    facts.add("force evaluations", outcome.cost.force_evaluations);
    facts.add("linear solves", outcome.cost.linear_solves);
    facts.add("conjugate gradient iterations", outcome.cost.cg_iterations);
    facts.add("linear solver", outcome.linear_solver);
    for (const std::string& note : outcome.notes) facts.add("note", note);
  }

  void operator()(const FitResults& results) const {
    const FitRecord& fit = results.fit;
    const optim::EvaluationCounts& counts = fit.evaluations.counts;
    facts.add("recordings", results.outcome.recordings);
    facts.add("parameters", results.outcome.parameters);
    if (fit.quality) facts.add("reduced χ²", number_or_null(fit.quality->reduced_chi_square));
    const optim::MeasurementKind* kind = common_kind(fit.errors.recordings);
    const std::string unit = kind ? kind->unit : "";
    facts.add("RMS residual, fitted", number_or_null(fit.errors.fit.model), unit.c_str());
    facts.add("static baseline", number_or_null(fit.errors.fit.static_baseline), unit.c_str());
    facts.add("RMS residual, validation", number_or_null(fit.errors.validation_frames.model), unit.c_str());
    facts.add("condition of the scaled Jacobian", number_or_null(fit.condition));
    facts.add("model evaluations", counts.forward);
    facts.add("derivative evaluations", counts.tangent + counts.adjoint);
    if (fit.ended() != RunStatus::Failed) facts.add("the search ended because", fit.message);
  }

  void operator()(const IdentifyResults& results) const {
    const PredictionRecord& found = results.identify.prediction;
    add_prediction(results.outcome);
    facts.add("at", results.identify.at == "start" ? "starting values of the fit" : results.identify.at);
    facts.add("coordinates", found.residuals);
    facts.add("condition of the scaled Jacobian", number_or_null(found.condition));
  }

  void operator()(const PlanResults& results) const {
    add_prediction(results.outcome);
    facts.add("alternatives", results.plan.alternatives.size());
  }

  void operator()(const GradientResults& results) const {
    add_body(results.outcome, facts);
    facts.add("steps", results.outcome.steps);
    facts.add("blocks of values", results.gradient.blocks.size());
  }

  void operator()(const CompareResults& results) const {
    facts.add("particles", results.outcome.particles);
    facts.add("springs", results.outcome.springs);
    facts.add("simulated time", results.outcome.duration, "s");
    add_methods(results.outcome);
  }

  void operator()(const ScanResults& results) const {
    for (const std::string& key : results.outcome.over) facts.add("over", key);
    facts.add("points", results.outcome.points);
    add_methods(results.outcome);
  }

 private:
  void add_prediction(const PredictionOutcome& outcome) const {
    facts.add("recordings", outcome.recordings);
    facts.add("parameters", outcome.parameters);
  }

  template <class Outcome>
  void add_methods(const Outcome& outcome) const {
    facts.add("methods", outcome.methods);
    facts.add("time steps", outcome.time_steps.size());
    facts.add("reference", outcome.reference);
    facts.add("time step of the reference", outcome.reference_step, "s");
  }
};

/// The sentence below the status; empty if there is none.
struct Explanation {
  std::string operator()(const NoResults& none) const { return none.explanation; }
  std::string operator()(const SimulationResults& results) const {
    return RunVerdict{RunStatus::Ok, results.outcome.why, results.outcome.remedy}.explanation();
  }
  std::string operator()(const FitResults& results) const {
    const std::string more = RunVerdict{RunStatus::Ok, results.fit.why, results.fit.remedy}.explanation();
    return fit_headline(results.fit) + (more.empty() || more == results.fit.message ? "" : " " + more);
  }
  template <class Results>
  std::string operator()(const Results& results) const {
    return results.outcome.explanation;
  }
};

}  // namespace

Sections summary_sections(const Run& run) {
  const Summary& summary = run.summary;
  Facts facts;
  std::visit(AddFacts{facts}, run.results);
  facts.add("run time", number_or_null(summary.seconds), "s");
  facts.add("threads", summary.threads > 0 ? ordered_json(summary.threads) : ordered_json());
  return {Section{"summary",
                  {{"title", "Summary"},
                   {"name", summary.name},
                   {"command", summary.command},
                   {"status", summary.status},
                   {"grade", to_string(grade_of(summary.status))},
                   {"explanation", text_or_null(std::visit(Explanation(), run.results))},
                   {"facts", facts.list()}}}};
}

}  // namespace pithball::app
