#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/experiment/recording/recording.hpp"
#include "optim/fit/problem.hpp"

namespace pithball::app {

/// The section `fit:` of an experiment, read, checked and built.
struct FitSpec {
  Experiment base;                                ///< the experiment without the `set:` of any recording
  std::vector<Recording> recordings;              ///< in the order of the file
  std::shared_ptr<const optim::ResolvedFit> fit;  ///< the problem, resolved once and shared
  /// The problem of `fit`.
  const optim::FitProblem& problem() const { return fit->problem(); }
  Tree filled;                      ///< the document with every default filled in
  bool accept_misfit = false;       ///< a fit that does not fit counts as a success
  bool cross_validate = false;      ///< predict each recording with a fit to the others
  std::vector<std::string> doubts;  ///< notes to print before the search (recorded_noise.hpp)
  std::vector<std::string> notes;   ///< notes to print with the results: what the parameters multiply, what is held
  /// Those of the doubts that concern units and placement, by recording: omitted where a finding says more about them.
  std::multimap<std::string, std::string> placement_doubts = {};
  bool loss_is_written = false;  ///< `residual.loss` is in the file
};

/// Purpose of reading a fit section: a fit needs recorded data; a prediction of errors also accepts planned recordings.
enum class FitPurpose { Fit, Prediction };

/// Reads the whole document for a fit; rejects unknown keys. Throws InvalidArgument at any invalid value.
FitSpec read_fit(const ExperimentDocument& document, FitPurpose purpose = FitPurpose::Fit);

/// Asks the same questions as `read_fit`, for the page of keys.
void describe_fit(Node& root, const Experiment& placeholder);

}  // namespace pithball::app
