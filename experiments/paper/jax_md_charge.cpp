#include "experiments/paper/jax_md_charge.hpp"

#include <cmath>

#include "app/backend/backend_choice.hpp"
#include "app/backend/jax_md.hpp"
#include "app/base/json_text.hpp"
#include "sim/core/error.hpp"
#include "sim/integrator/integrator.hpp"

namespace pithball::experiments::paper {

using namespace app;

namespace {

using nlohmann::ordered_json;

/// Returns the particles' positions in the only frame [m], 3×N. Throws InvalidArgument unless the frame has all of
/// them.
Points final_positions(const diff::Scenario& scenario, const optim::Observation& observation) {
  const Index particles = scenario.model.particles();
  Points target = Points::Constant(3, particles, NAN);
  if (observation.times.size() == 1)
    for (std::size_t m = 0; m < observation.markers.size(); ++m) {
      const auto& vertices = observation.markers[m].vertices;
      if (vertices.size() == 1) target.col(vertices[0].first) = observation.sight(0, m);
    }
  if (!target.allFinite())
    throw InvalidArgument({"jax_md_charge", "fit.recordings", "must be one frame that shows every particle",
                           std::to_string(observation.times.size()) + " frames of " +
                               std::to_string(observation.markers.size()) + " markers",
                           "keep the last frame of a recording of all particles"});
  return target;
}

}  // namespace

void require_charge_of_final_positions(const FitSpec& fit) {
  const optim::FitProblem& problem = fit.problem();
  const auto& parameters = problem.parameters;
  const bool one_charge = parameters.size() == 1 && parameters[0].value == "charge" &&
                          !parameters[0].factor.value_or(false) &&
                          parameters[0].entries.sharing == optim::EntrySharing::All && parameters[0].initial;
  if (problem.scenarios.size() != 1 || !one_charge)
    throw InvalidArgument(
        {"jax_md_charge", "fit", "must have one recording and one charge that all particles share",
         std::to_string(problem.scenarios.size()) + " recordings, " + std::to_string(parameters.size()) + " parameters",
         "use `fit` for anything else"});
  final_positions(problem.scenarios[0], problem.observations[0]);
  require_counterparts(*find_backend("jax_md"), problem.scenarios[0].model, 0, "jax_md_charge");
}

ordered_json estimate_charge_by_jax_md(const FitSpec& fit) {
  require_charge_of_final_positions(fit);
  diff::Scenario scenario = fit.problem().scenarios[0];
  scenario.model.place_held(scenario.initial.t, scenario.initial.x, &scenario.initial.v);
  const Points target = final_positions(scenario, fit.problem().observations[0]);
  const optim::Parameter& charge = fit.problem().parameters[0];
  const BackendJob job{&scenario.model, scenario.initial, scenario.time_step, {scenario.steps}};
  const double initial = *charge.initial;
  JaxMd jax_md;
  // As in our own runs, a run counts as diverged if particles are absurdly far away.
  const double extent = (target.rowwise().maxCoeff() - target.rowwise().minCoeff()).norm();
  const double away = std::sqrt(jax_md.charge_loss(job, target, initial).loss);
  const bool failed = !(away <= sim::absurd_flight * extent * scenario.steps);
  const JaxMd::ChargeEstimate found = jax_md.estimate_charge(job, target, initial, charge.range.lower.value_or(0),
                                                             charge.range.upper.value_or(10 * initial));
  const auto told = [&](double number) { return failed ? ordered_json(nullptr) : number_or_null(number); };
  return {{"status", failed            ? "failed"
                     : found.converged ? "converged"
                                       : "not_converged"},
          {"version", jax_md.version()},
          {"time_step", scenario.time_step},
          {"steps", scenario.steps},
          {"parameters", {{{"name", "charge"}, {"initial", initial}, {"estimate", told(found.charge)}}}},
          {"errors", {{"fit", told(std::sqrt(found.loss))}}},
          {"evaluations", found.evaluations},
          {"seconds", found.seconds},
          {"compile_seconds", found.compile_seconds}};
}

Sections jax_md_charge_sections(const ordered_json& result) {
  const ordered_json& charge = result.at("parameters").at(0);
  ordered_json rows = ordered_json::array();
  rows.push_back({result.at("version"), result.at("time_step"), charge.at("initial"), charge.at("estimate"),
                  result.at("errors").at("fit"), result.at("evaluations"), result.at("status")});
  return {{"table",
           {{"title", "JAX MD"},
            {"note", "The charge from final positions by JAX MD's velocity Verlet, JAX's derivative and L-BFGS-B."},
            {"columns",
             {{{"label", "program"}},
              {{"label", "step"}, {"unit", "s"}},
              {{"label", "start"}, {"unit", "C"}},
              {{"label", "estimate"}, {"unit", "C"}},
              {{"label", "error of positions"}, {"unit", "m"}},
              {{"label", "evaluations"}},
              {{"label", "status"}}}},
            {"rows", rows}}}};
}

}  // namespace pithball::experiments::paper
