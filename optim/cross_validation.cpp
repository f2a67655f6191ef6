#include "optim/cross_validation.hpp"

#include <algorithm>
#include <cmath>

#include "optim/fit.hpp"
#include "optim/fit/judged_starts.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

bool is_fitted(const Observation& o) { return !o.times.empty() && !o.is_validation(0); }

/// Returns the errors with which a fit that leaves out a recording predicts it.
CrossValidation judge_by_others(FitProblem problem, std::size_t recording, const MinimizerWatch& watch) {
  judge_recording(problem, recording);
  const std::string name = problem.scenarios[recording].name;
  const FitReport report = fit(problem, {watch.silent()});
  CrossValidation judged{report.search.status, {}};
  judged.errors.recording = name;
  judged.errors.part = Part::ValidationFrame;
  for (const RecordingErrors& errors : report.goodness.errors.recordings)
    if (errors.recording == name && errors.part == Part::ValidationFrame) judged.errors = errors;
  return judged;
}

}  // namespace

std::vector<CrossValidation> cross_validate(const FitProblem& problem, const MinimizerWatch& watch) {
  const auto fitted = std::ranges::count_if(problem.observations, is_fitted);
  if (fitted < 2)
    throw InvalidArgument({"", "cross_validate", "requires at least two recordings with role fit",
                           std::to_string(fitted), "omit it, or add a recording"});
  FitProblem bare = problem;  // only the estimates are needed
  bare.uncertainty.full_limit = 0;
  bare.uncertainty.profiles.clear();
  std::vector<CrossValidation> all;
  for (std::size_t s = 0; s < problem.observations.size(); ++s) {
    if (!is_fitted(problem.observations[s])) continue;
    if (watch.is_stopped()) break;
    all.push_back(judge_by_others(bare, s, watch));
  }
  return all;
}

}  // namespace pithball::optim
