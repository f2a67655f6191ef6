#include "app/export/motion_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "app/base/new_file.hpp"
#include "app/run_folder/finished_fit.hpp"
#include "app/run_folder/kept_states.hpp"
#include "sim/constraint/constraint_record.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

namespace fs = std::filesystem;

/// Returns the NAME in "trajectory-NAME.h5" for each recording of a fit; all names differ.
std::vector<std::string> recording_names(const FitResults& results) {
  std::vector<std::string> names;
  for (const FittedRecording& recording : results.fit.recordings) {
    const std::string stem = fs::path(recording.trajectory).stem().string();
    names.push_back(stem.substr(stem.find('-') + 1));
  }
  return names;
}

/// Returns the index of the requested recording.
std::size_t find_recording(const Run& run, const std::vector<std::string>& names, const std::string& wanted) {
  const auto found = std::find(names.begin(), names.end(), file_stem(wanted));
  if (found != names.end()) return found - names.begin();
  if (wanted.empty() && names.size() == 1) return 0;
  throw InvalidArgument({"--recording", "", "must be a recording of " + run.folder.string(),
                         wanted.empty() ? "none" : "'" + wanted + "'",
                         fmt::format("choose one of {}", fmt::join(names, ", "))});
}

std::vector<sim::BrokenLink> broken_links(const SimulationOutcome& outcome) {
  std::vector<sim::BrokenLink> links;
  for (const BrokenInStep& broken : outcome.broken) links.push_back(broken.link);
  return links;
}

/// Returns a motion without states as yet.
ExportedMotion make_motion(std::string name, const Experiment& experiment, const sim::Model& model) {
  return {.name = file_stem(std::move(name)),
          .model = model,
          .faces = experiment.body.mesh.faces,
          .step = {},
          .time = {},
          .first = {},
          .run = {.integrator = experiment.scenario.integrator.name(), .time_step = experiment.scenario.time_step}};
}

}  // namespace

ExportedMotion read_motion(const Run& run, const MotionChoice& choice) {
  const std::string folder = run.folder.string();
  if (std::holds_alternative<NoResults>(run.results))
    throw InvalidArgument({folder, "", "must contain a motion", "a run that is still in progress or was killed",
                           "wait for it to end, or complete it with --resume"});
  const auto* const simulation = std::get_if<SimulationResults>(&run.results);
  const auto* const fit = std::get_if<FitResults>(&run.results);
  if (!simulation && (!fit || fit->motions.empty()))
    throw InvalidArgument(
        {folder, "", "must contain a motion", "none", "give a folder of `pithball simulate` or `fit`"});
  if (simulation && !choice.recording.empty())
    throw InvalidArgument({"--recording", "", "requires the run folder of a fit", folder, "omit it"});
  std::size_t number = 0;
  std::optional<ExportedMotion> motion;
  if (fit) {
    const std::vector<std::string> names = recording_names(*fit);
    number = find_recording(run, names, choice.recording);
    const Experiment own = own_run(run, number).experiment;
    const sim::Model& start = own.scenario.model;
    motion = make_motion(run.experiment.name + "-" + names[number], own,
                         with_fitted_values(start, own_fitted_values(fit->fit.recordings[number], start)));
  } else {
    motion = make_motion(run.experiment.name, run.experiment, run.experiment.scenario.model);
  }
  const datasets::H5mdReader& kept = fit ? fit->motions[number] : simulation->motion;
  if (kept.size() == 0)
    throw InvalidArgument({folder, "", "must contain a snapshot of this motion",
                           "none: its initial state could not be found", "see the report of the fit"});
  motion->run.complete = kept.complete();
  motion->run.last_step = kept.steps().back();
  motion->run.every = run.experiment.every * choice.every;
  const std::size_t first = choice.time ? nearest_state(kept.times(), *choice.time) : 0;
  const std::size_t end = choice.time ? first + 1 : kept.size();
  for (std::size_t k = first; k < end; k += choice.every) {
    motion->step.push_back(kept.steps()[k]);
    motion->time.push_back(kept.times()[k]);
    motion->numbers.push_back(k);
  }
  motion->file = kept;
  motion->first = kept.frame(first);
  motion->attributes = kept.body().attributes.value_or(std::vector<std::string>());
  // Particles released by a broken link may have left the simulation.
  if (simulation && motion->come_and_go()) motion->model = motion->model.without(broken_links(simulation->outcome));
  // Values that change with time are written as they are in the first state.
  motion->model = motion->model.with_values(motion->model.at(motion->time.front()).values().data());
  return *std::move(motion);
}

namespace {

bool is_holdable(const sim::State& s) {
  const double largest = std::numeric_limits<float>::max();  // viewers of these formats use single precision
  return (s.x.array().abs() <= largest).all() && (s.v.array().abs() <= largest).all();
}

}  // namespace

std::string drop_unholdable_states(const ExportFormat& format, ExportedMotion& motion) {
  if (format.any_number) return "";
  datasets::H5mdPages states = motion.states();
  const std::size_t all = motion.size(), wanted = format.whole_motion ? all : 1;
  std::size_t left = 0;
  while (left < wanted && is_holdable(states[left].state)) ++left;
  if (left == wanted) return "";
  const std::string why = "is not finite or too large, which " + format.name + " cannot store";
  if (left == 0)
    throw InvalidArgument({"--format " + format.name, "", "requires a snapshot with finite numbers",
                           fmt::format("one at t = {:g} s that {}", motion.time.front(), why),
                           "choose an earlier snapshot, or another format (csv, npz, vtk)"});
  std::string note = fmt::format("the last {} of {} snapshots are omitted: the one at t = {:g} s {}", all - left, all,
                                 motion.time[left], why);
  motion.step.resize(left);
  motion.time.resize(left);
  motion.numbers.resize(left);
  return note;
}

}  // namespace pithball::app
