#pragma once
#include "optim/fit/fit_residual.hpp"
#include "optim/fit/problem.hpp"

namespace pithball::optim {

/// A fit with everything derived from its problem before a run: parameters resolved against the scenarios,
/// measurements, residual, priors. Created once, which also checks the problem, and shared by search, uncertainty,
/// profiles, predictions, files and pages.
class ResolvedFit {
 public:
  /// Throws InvalidArgument on an invalid problem, without running anything.
  explicit ResolvedFit(FitProblem problem);
  ResolvedFit(const ResolvedFit&) = delete;
  ResolvedFit& operator=(const ResolvedFit&) = delete;

  /// The problem, with what `want_profiles`, `want_exact_errors`, `watch` and `keep_journal` changed.
  const FitProblem& problem() const { return problem_; }
  /// Its parameters: the entries of θ.
  const ParameterMap& map() const { return residual_.map(); }
  /// The function that the fit minimizes.
  const FitResidual& residual() const { return residual_; }

  /// Whether standard errors come from the whole Jacobian: not of more parameters than `FitProblem::uncertainty_limit`.
  bool has_full_errors() const { return map().size() <= problem_.uncertainty_limit; }

  /// Parameters whose profiles are requested (`FitProblem::profile`). Throws InvalidArgument for an unknown name.
  void want_profiles(std::vector<std::string> names);
  /// Parameters whose standard errors are requested exactly (`FitProblem::exact_standard_errors`); throws likewise.
  void want_exact_errors(std::vector<std::string> names);
  /// Sets the callback after each iteration, and the flag that stops the search.
  void watch(std::function<void(const IterationReport&)> on_iteration, const std::atomic<bool>* stop);
  /// From now on searches store their evaluations in this file (`FitProblem::journal`); empty: do not store.
  void keep_journal(std::string file) { problem_.journal = std::move(file); }

  /// The same parameters for a problem with the same models, for example at half the time step or in a stage.
  ParameterMap map_of(const FitProblem& other) const { return map().with_scenarios(other.scenarios); }

 private:
  FitProblem problem_;
  FitResidual residual_;
};

/// Throws InvalidArgument on an invalid problem, as `fit` does, without running anything.
void check(const FitProblem& problem);

}  // namespace pithball::optim
