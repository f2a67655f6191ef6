#include "optim/fit/judged_starts.hpp"

#include <algorithm>
#include <iterator>

#include "optim/fit/problem.hpp"
#include "optim/fit/search.hpp"
#include "optim/observation/local_start.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// Returns the number of frames of a judged recording from which its start is found.
Index start_frames(const Observation& o) {
  const auto frames = static_cast<Index>(o.times.size());
  return std::min(std::max(least_start_frames, (frames + 3) / 4), frames - 1);
}

bool is_own_nuisance(const Parameter& p, std::size_t recording) {
  return p.is_nuisance && p.recordings.scenarios == std::vector<Index>{static_cast<Index>(recording)};
}

bool is_of_state(const Parameter& p) { return p.value == "position" || p.value == "velocity"; }

/// Returns the problem of this recording alone, with only its start free.
FitProblem start_problem(const FitProblem& problem, const StartFit& start, const diff::Scenario& scenario,
                         const Observation& observation) {
  FitProblem one;
  one.scenarios = {scenario};
  one.observations = {observation};
  one.parameters = start.parameters;
  for (Parameter& p : one.parameters) p.recordings.scenarios = {0};
  one.loss = problem.loss;
  one.search.minimizer = problem.search.minimizer;
  one.adjoint_budget_mb = problem.adjoint_budget_mb;
  return one;
}

}  // namespace

void judge_recording(FitProblem& problem, std::size_t recording) {
  Observation& o = problem.observations[recording];
  o.validation.from = -std::numeric_limits<double>::infinity();
  const auto kept = std::stable_partition(problem.parameters.begin(), problem.parameters.end(),
                                          [&](const Parameter& p) { return !is_own_nuisance(p, recording); });
  StartFit start{
      recording, {std::make_move_iterator(kept), std::make_move_iterator(problem.parameters.end())}, start_frames(o)};
  problem.parameters.erase(kept, problem.parameters.end());
  std::erase_if(start.parameters, [](const Parameter& p) { return !is_of_state(p); });
  if (!start.parameters.empty() && start.frames > 0) problem.start_fits.push_back(std::move(start));
}

JudgedStarts find_judged_starts(const ResolvedFit& fit, const Vector& theta, const MinimizerWatch& watch) {
  const FitProblem& problem = fit.problem();
  JudgedStarts starts{problem.scenarios, problem.observations, {}, {}};
  for (const StartFit& start : problem.start_fits) {
    const auto number = static_cast<Index>(start.recording);
    Observation early = problem.observations[start.recording];
    early.validation.from = early.times[start.frames];
    starts.observations[start.recording].validation.from = early.validation.from;
    early.recording_frame = fit.map().recording_frame(theta, number);
    const diff::Scenario held = fit.map().scatter(theta, number);
    try {
      const ResolvedFit one(start_problem(problem, start, held, early));
      const MinimizerReport found = search(one, {watch.silent()}).best;
      if (found.status == MinimizerStatus::Failed) throw InvalidArgument({"", "start", found.message, "", ""});
      const sim::State state = one.map().scatter(found.theta, 0).initial;
      starts.scenarios[start.recording].initial = state;
      starts.found.push_back({start.recording, state});
    } catch (const InvalidArgument& error) {
      starts.notes.push_back(held.name +
                             ": no initial state was found that reproduces its first frames: " + error.what());
    }
  }
  return starts;
}

std::vector<diff::Scenario> fitted_scenarios(const ResolvedFit& fit, const FitReport& report) {
  std::vector<diff::Scenario> scenarios = fit.map().scatter(report.theta);
  for (const FoundStart& start : report.started) scenarios[start.recording].initial = start.state;
  return scenarios;
}

}  // namespace pithball::optim
