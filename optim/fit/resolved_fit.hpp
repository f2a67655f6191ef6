#pragma once
#include "optim/fit/fit_residual.hpp"
#include "optim/fit/problem.hpp"

namespace pithball::optim {

/// A fit with everything derived from its problem before a run: parameters resolved against the scenarios,
/// measurements, residual, priors. Created once, which also checks the problem, never changed, and shared by search,
/// uncertainty, profiles, predictions, files and pages.
class ResolvedFit {
 public:
  /// Throws InvalidArgument on an invalid problem, without running anything.
  explicit ResolvedFit(FitProblem problem);
  ResolvedFit(const ResolvedFit&) = delete;
  ResolvedFit& operator=(const ResolvedFit&) = delete;

  /// The problem, as given, with its solver chosen.
  const FitProblem& problem() const { return problem_; }
  /// Its parameters: the entries of θ.
  const ParameterMap& map() const { return residual_.map(); }
  /// The function that the fit minimizes.
  const FitResidual& residual() const { return residual_; }

  /// Whether standard errors come from the whole Jacobian: not of more parameters than
  /// `UncertaintyAnalysis::full_limit`.
  bool has_full_errors() const { return map().size() <= problem_.uncertainty.full_limit; }

  /// The same parameters for a problem with the same models, for example at half the time step or in a stage.
  ParameterMap map_of(const FitProblem& other) const { return map().with_scenarios(other.scenarios); }

 private:
  FitProblem problem_;
  FitResidual residual_;
};

/// Throws InvalidArgument on an invalid problem, as `fit` does, without running anything.
void check(const FitProblem& problem);

}  // namespace pithball::optim
