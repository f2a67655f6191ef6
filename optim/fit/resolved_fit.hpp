#pragma once
#include "optim/fit/fit.hpp"
#include "optim/fit/fit_residual.hpp"

namespace pithball::optim {

/// A fit with all that follows from its problem before anything is run: parameters resolved against the scenarios,
/// measurements, residual, priors. Made once, checked by that, and handed to whatever asks: search, uncertainty,
/// profiles, predictions, files and pages.
class ResolvedFit {
 public:
  /// Throws InvalidArgument on a wrong problem, without running anything.
  explicit ResolvedFit(FitProblem problem);
  ResolvedFit(const ResolvedFit&) = delete;
  ResolvedFit& operator=(const ResolvedFit&) = delete;

  const FitProblem& problem() const { return problem_; }
  const ParameterMap& map() const { return residual_.map(); }
  const FitResidual& residual() const { return residual_; }

  /// Parameters whose profiles are wanted besides (`FitProblem::profile`). Throws InvalidArgument for a name that is
  /// none.
  void want_profiles(std::vector<std::string> names);
  /// Likewise, whose standard errors are wanted exactly (`FitProblem::exact_standard_errors`).
  void want_exact_errors(std::vector<std::string> names);
  /// What is called after each iteration, and what ends the search when it becomes true.
  void watch(std::function<void(const IterationReport&)> on_iteration, const std::atomic<bool>* stop);
  /// From now on searches keep their evaluations in this file (`FitProblem::journal`); empty: in none.
  void keep_journal(std::string file) { problem_.journal = std::move(file); }

  /// The same parameters of a problem with the same models: at half the step, say, or at a stage of a search.
  ParameterMap map_of(const FitProblem& other) const { return map().with_scenarios(other.scenarios); }

 private:
  FitProblem problem_;
  FitResidual residual_;
};

}  // namespace pithball::optim
