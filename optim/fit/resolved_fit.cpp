#include "optim/fit/resolved_fit.hpp"

#include "optim/fit/fit_profiles.hpp"
#include "optim/fit/multiple_shooting.hpp"
#include "optim/search/start_points.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// What is only predicted is looked at only after the search; what is wrong with it is said before.
void check_forecasts(const FitProblem& problem) {
  for (std::size_t s = 0; s < problem.scenarios.size(); ++s)
    for (const Part part : {Part::ValidationFrame, Part::ValidationMarker})
      MeasurementModel(problem.observations[s], problem.scenarios[s], part);
}

/// Throws InvalidArgument if a stage leaves nothing to fit or starts cannot be drawn.
void check_search(const FitProblem& problem, const ParameterMap& map) {
  check_starts(problem.starts);
  for (std::size_t k = 0; k < problem.stages.size(); ++k) {
    const SearchStage& stage = problem.stages[k];
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

}  // namespace

ResolvedFit::ResolvedFit(FitProblem problem) : problem_(std::move(problem)), residual_(problem_) {
  check_forecasts(problem_);
  find_parameters(map(), problem_.profile);
  find_parameters(map(), problem_.exact_standard_errors, "exact_standard_errors");
  check_search(problem_, map());
}

void ResolvedFit::want_profiles(std::vector<std::string> names) {
  find_parameters(map(), names);
  problem_.profile = std::move(names);
}

void ResolvedFit::want_exact_errors(std::vector<std::string> names) {
  find_parameters(map(), names, "exact_standard_errors");
  problem_.exact_standard_errors = std::move(names);
}

void ResolvedFit::watch(std::function<void(const IterationReport&)> on_iteration, const std::atomic<bool>* stop) {
  problem_.minimizer.on_iteration = std::move(on_iteration);
  problem_.minimizer.stop = stop;
}

void check(const FitProblem& problem) { ResolvedFit{problem}; }

}  // namespace pithball::optim
