#include <optional>

#include "app/backend/backend_choice.hpp"
#include "app/base/json_text.hpp"
#include "app/report/sections.hpp"
#include "app/run_folder/fit_headline.hpp"
#include "optim/verdict/run_verdict.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// A list of facts in reading order; unknown ones are omitted.
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

template <class Model>
void add_size(const Model& model, Facts& facts) {
  facts.add("particles", model.particles);
  facts.add("springs", model.springs);
}

template <class Method>
void add_integrator(const Method& method, Facts& facts) {
  facts.add("integrator", method.integrator);
  facts.add("time step", method.time_step, "s");
}

/// Adds the facts about a run, by command.
struct AddFacts {
  Facts& facts;

  void operator()(const NoResults&) const {}

  void operator()(const SimulationResults& simulation) const {
    const SimulationOutcome& outcome = simulation.outcome;
    add_size(outcome.model, facts);
    add_integrator(outcome.method, facts);
    if (const StepsBy& by = outcome.steps_by; !by.name.empty() && by.name != own_backend) {
      facts.add("backend", by.version);
      facts.add("integration time", number_or_null(by.seconds), "s");
      facts.add("compilation time", number_or_null(by.compile_seconds), "s");
    }
    facts.add("completed steps", outcome.steps.completed);
    facts.add("requested steps", outcome.steps.requested);
    facts.add("simulated time", simulation.energy.back().t, "s");
    if (outcome.population) {
      facts.add("emitted particles", outcome.population->emitted);
      facts.add("removed particles", outcome.population->taken);
      facts.add("particles at the end", outcome.population->left);
    }
    facts.add("failed at step", value_or_null(outcome.steps.failed));
    facts.add("resumed from step", value_or_null(outcome.steps.resumed_from));
    facts.add("mean energy error, relative to exchanged energy", number_or_null(outcome.energy_error.mean));
    facts.add("largest energy error, relative to exchanged energy", number_or_null(outcome.energy_error.max));
    facts.add("force evaluations", outcome.cost.force_evaluations);
    facts.add("linear solves", outcome.cost.linear_solves);
    facts.add("conjugate gradient iterations", outcome.cost.cg_iterations);
    facts.add("linear solver", outcome.method.linear_solver);
    for (const std::string& note : outcome.notes) facts.add("note", note);
  }

  void operator()(const FitResults& results) const {
    const FitRecord& fit = results.fit;
    const optim::EvaluationCounts& counts = fit.search.evaluations;
    facts.add("recordings", results.outcome.recordings);
    facts.add("parameters", results.outcome.parameters);
    facts.add("reduced χ²", number_or_null(fit.goodness.quality.reduced()));
    const optim::MeasurementKind* kind = common_kind(fit.goodness.errors.recordings);
    const std::string unit = kind ? kind->unit : "";
    facts.add("RMS residual, fitted", number_or_null(fit.goodness.errors.fit.model), unit.c_str());
    facts.add("static baseline", number_or_null(fit.goodness.errors.fit.static_baseline), unit.c_str());
    facts.add("RMS residual, validation", number_or_null(fit.goodness.errors.validation_frames.model), unit.c_str());
    facts.add("condition of the scaled Jacobian", number_or_null(fit.estimates.condition));
    facts.add("model evaluations", counts.forward);
    facts.add("derivative evaluations", counts.tangent + counts.adjoint);
    if (fit.verdict.status != optim::RunStatus::Failed) facts.add("the search ended because", fit.search.message);
  }

  void operator()(const IdentifyResults& results) const {
    const optim::IdentifyReport& found = results.identify.prediction;
    add_prediction(results.outcome);
    facts.add("at", results.identify.at == "start" ? "starting values of the fit" : results.identify.at);
    facts.add("coordinates", found.rows);
    facts.add("condition of the scaled Jacobian", number_or_null(found.spectrum.condition));
  }

  void operator()(const PlanResults& results) const {
    add_prediction(results.outcome);
    facts.add("alternatives", results.plan.alternatives.size());
  }

  void operator()(const GradientResults& results) const {
    add_size(results.outcome, facts);
    add_integrator(results.outcome, facts);
    facts.add("steps", results.outcome.steps);
    facts.add("blocks of values", results.gradient.blocks.size());
  }

  void operator()(const CompareResults& results) const {
    add_size(results.outcome, facts);
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
    return optim::RunVerdict{optim::RunStatus::Ok, results.outcome.why, results.outcome.remedy}.explanation();
  }
  std::string operator()(const FitResults& results) const {
    const std::string more = results.fit.verdict.explanation();
    return fit_headline(results.fit) + (more.empty() || more == results.fit.search.message ? "" : " " + more);
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
                   {"grade", to_string(optim::grade_of(summary.status))},
                   {"explanation", text_or_null(std::visit(Explanation(), run.results))},
                   {"facts", facts.list()}}}};
}

}  // namespace pithball::app
