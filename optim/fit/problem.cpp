#include "optim/fit/problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "optim/fit/multiple_shooting.hpp"
#include "optim/fit/report.hpp"
#include "optim/search/start_points.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {

std::string to_string(IntervalMethod method) {
  switch (method) {
    case IntervalMethod::Linear:
      return "linear";
    case IntervalMethod::Profile:
      return "profile";
    case IntervalMethod::Bootstrap:
      return "bootstrap";
    case IntervalMethod::Scan:
      return "scan";
  }
  return "";
}

ParameterMap make_parameter_map(const FitProblem& problem) {
  std::vector<RecordingFrame> recording_frames;
  for (const Observation& observation : problem.observations) recording_frames.push_back(observation.recording_frame);
  return ParameterMap(problem.scenarios, problem.parameters, std::move(recording_frames));
}

FitProblem with_halved_step(FitProblem problem) {
  for (diff::Scenario& scenario : problem.scenarios) {
    scenario.time_step /= 2;
    scenario.steps *= 2;
  }
  return problem;
}

FitProblem at_stage(FitProblem problem, const SearchStage& stage) {
  for (std::size_t s = 0; s < problem.scenarios.size(); ++s) {
    diff::Scenario& scenario = problem.scenarios[s];
    if (stage.integrator) scenario.integrator = *stage.integrator;
    if (stage.time_step) {
      const double steps = scenario.steps * scenario.time_step / *stage.time_step;
      scenario.steps = static_cast<Index>(std::ceil(steps - 1e-9));
      scenario.time_step = *stage.time_step;
    }
    Observation& observation = problem.observations[s];
    observation.validation.from = std::min(observation.validation.from, observation.recorded_time(stage.horizon));
  }
  if (stage.max_iterations) problem.search.minimizer.max_iterations = *stage.max_iterations;
  if (stage.function_tolerance) problem.search.minimizer.function_tolerance = *stage.function_tolerance;
  return problem;
}

FitResidual::FitResidual(const FitProblem& problem) : FitResidual(problem, make_parameter_map(problem)) {}

FitResidual::FitResidual(const FitProblem& problem, ParameterMap map)
    : trajectories_(std::move(map), problem.observations),
      known_(trajectories_),
      data_(known_, problem.loss, trajectories_.samples()),
      priors_(trajectories_.map(), problem.parameters),
      all_(data_, priors_) {
  if (trajectories_.map().size() == 0 && trajectories_.rows() > 0)
    throw InvalidArgument({"", "parameters", "must be at least one where there are positions to fit", "none",
                           "give a value to fit, such as charge or stiffness; or let every recording only be judged"});
  trajectories_.set_adjoint_budget(problem.adjoint_budget_mb);
}

void FitResidual::set_known_point(Vector theta, Vector r, Eigen::MatrixXd jacobian) {
  known_.set_known_point(std::move(theta), std::move(r), std::move(jacobian));
}

namespace {

/// Forecasts are evaluated only after the search; errors in them are reported before it.
void check_forecasts(const FitProblem& problem) {
  for (std::size_t s = 0; s < problem.scenarios.size(); ++s)
    for (const Part part : {Part::ValidationFrame, Part::ValidationMarker})
      MeasurementModel(problem.observations[s], problem.scenarios[s], part);
}

/// Throws InvalidArgument if a stage has nothing to fit or if starts cannot be drawn.
void check_search(const FitProblem& problem, const ParameterMap& map) {
  check_starts(problem.search.starts);
  for (std::size_t k = 0; k < problem.search.stages.size(); ++k) {
    const SearchStage& stage = problem.search.stages[k];
    const std::string name = "stages[" + std::to_string(k) + "]";
    if (stage.keep < 1) throw InvalidArgument({"", name + ".keep", "must be >= 1", std::to_string(stage.keep), ""});
    if (stage.segments < 1)
      throw InvalidArgument({"", name + ".segments", "must be >= 1", std::to_string(stage.segments), ""});
    if (stage.segments > 1) check_shooting(problem, stage.segments);
    try {
      const FitProblem there = at_stage(problem, stage);
      const FitResidual residual(there, map.with_scenarios(there.scenarios));
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(
          {"", name, "must leave a problem that can be fitted", error.what(), "lengthen its horizon"});
    }
  }
}

/// Throws InvalidArgument if a prior has no width and none will be estimated.
void check_widths(const ResolvedFit& fit) {
  const std::vector<OpenWidth>& open = fit.residual().priors().open_widths();
  if (open.empty() || fit.has_full_errors()) return;
  const Parameter& declared = fit.problem().parameters[open.front().declaration];
  throw InvalidArgument({"", "prior smooth of " + declared.printed_name(),
                         "must have a width where standard errors do not come from the whole Jacobian (at most " +
                             std::to_string(fit.problem().uncertainty.full_limit) + " values)",
                         "none, and " + std::to_string(fit.map().size()) + " values",
                         "write `smooth: {relative_standard_deviation: 5 %}`"});
}

}  // namespace

ResolvedFit::ResolvedFit(FitProblem problem) : problem_(std::move(problem)), residual_(problem_) {
  problem_.search.solver = choose_minimizer(problem_.search.solver, map().size()).name;
  check_forecasts(problem_);
  check_search(problem_, map());
  check_widths(*this);
  find_parameters(map(), problem_.uncertainty.profiles);
  find_parameters(map(), problem_.uncertainty.exact_standard_errors, "exact_standard_errors");
}

void check(const FitProblem& problem) { ResolvedFit{problem}; }

}  // namespace pithball::optim
