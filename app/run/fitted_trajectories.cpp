#include "app/run/fitted_trajectories.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/base/file_stem.hpp"
#include "app/run_folder/trajectory_body.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::app {

std::vector<FittedFiles> fitted_files(const std::vector<diff::Scenario>& scenarios) {
  std::vector<FittedFiles> files;
  std::vector<std::string> stems;
  for (const diff::Scenario& scenario : scenarios) {
    const std::string first = file_stem(scenario.name);
    std::string stem = first;
    for (int k = 2; std::find(stems.begin(), stems.end(), stem) != stems.end(); ++k)
      stem = fmt::format("{}-{}", first, k);
    stems.push_back(stem);
    files.push_back({"trajectory-" + stem + ".h5", "markers-" + stem + ".csv"});
  }
  return files;
}

FittedTrajectories::Writer& FittedTrajectories::writer(std::size_t recording, const diff::Scenario& fitted) {
  const auto found = writers_.find(recording);
  if (found != writers_.end()) return found->second;
  datasets::H5mdWriter states(folder_.file(files_[recording].trajectory).string(),
                              trajectory_body(fitted.model, fitted.initial.t));
  return writers_.emplace(recording, Writer{std::move(states)}).first->second;
}

void FittedTrajectories::keep(std::size_t recording, const diff::Scenario& fitted, const sim::Stepper& at) {
  const bool is_last = at.n() == fitted.steps;
  if (at.n() % every_ != 0 && !is_last) return;
  const datasets::H5mdBody now = trajectory_body(fitted.model, at.state().t);
  const sim::State state = at.synchronized();
  const std::lock_guard lock(one_at_a_time_);
  if (at.n() == 0) writers_.erase(recording);  // the fit went on from a better point, and runs again
  Writer& file = writer(recording, fitted);
  file.states.append(at.n(), state, nullptr, &now);
  file.complete = is_last;
}

void FittedTrajectories::finish(const std::vector<diff::Scenario>& fitted) {
  for (std::size_t s = 0; s < fitted.size(); ++s) {
    Writer& file = writer(s, fitted[s]);
    file.states.finish(file.complete);
  }
  writers_.clear();
}

}  // namespace pithball::app
