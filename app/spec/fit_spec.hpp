#pragma once
#include <memory>
#include <vector>

#include "app/spec/recording.hpp"
#include "optim/fit/resolved_fit.hpp"

namespace pithball::app {

/// The section `fit:` of an experiment, read, checked and built.
struct FitSpec {
  Experiment base;
  std::vector<Recording> recordings;
  std::shared_ptr<optim::ResolvedFit> fit;  ///< the problem, resolved once for all that ask of it
  const optim::FitProblem& problem() const { return fit->problem(); }
  Tree filled;                      ///< the document with every default filled in
  bool accept_misfit = false;       ///< a fit that does not fit is what was wanted
  bool cross_validate = false;      ///< each recording is to be judged by a fit to the others
  std::vector<std::string> doubts;  ///< what is to be said before the search (recorded_noise.hpp)
};

/// What a fit section is read for: only what is recorded can be fitted; a prediction of errors may be of recordings
/// that are not made yet.
enum class FitPurpose { Fit, Prediction };

/// Reads the whole document for a fit; unknown keys are rejected. Throws InvalidArgument at whatever cannot be fitted.
FitSpec read_fit(const ExperimentDocument& document, FitPurpose purpose = FitPurpose::Fit);

/// Asks what `read_fit` asks, for the page of keys.
void describe_fit(Node& root, const Experiment& placeholder);

}  // namespace pithball::app
