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

/// Throws InvalidArgument if a prior has no width and nothing finds one.
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
  problem_.search.solver = chosen_solver(problem_.search.solver, map().size());
  check_forecasts(problem_);
  check_search(problem_, map());
  check_widths(*this);
  find_parameters(map(), problem_.uncertainty.profiles);
  find_parameters(map(), problem_.uncertainty.exact_standard_errors, "exact_standard_errors");
}

void check(const FitProblem& problem) { ResolvedFit{problem}; }

}  // namespace pithball::optim
