#include "optim/fit/resolved_fit.hpp"

namespace pithball::optim {
namespace {

/// What is only predicted is looked at only after the search; what is wrong with it is said before.
void check_forecasts(const FitProblem& problem) {
  for (std::size_t s = 0; s < problem.scenarios.size(); ++s)
    for (const Part part : {Part::ValidationFrame, Part::ValidationMarker})
      MeasurementModel(problem.observations[s], problem.scenarios[s], part);
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

}  // namespace pithball::optim
