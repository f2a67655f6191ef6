#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/sweep_axes.hpp"

namespace pithball::app {

/// One run of a sweep.
struct SweepTask {
  Index number = 0;                                         ///< from 0
  std::uint64_t seed = 0;                                   ///< below 2⁵³, a function of (seed of the sweep, number)
  std::vector<SweepSetting> settings;                       ///< of all axes
  std::vector<std::pair<std::string, std::string>> labels;  ///< likewise
};

/// All tasks of a sweep, each a function of its number.
struct SweepTasks {
  std::uint64_t seed = 1;       ///< of the sweep
  std::vector<SweepAxis> axes;  ///< combinations multiply, the last axis fastest
  Index count = 0;              ///< product of their sizes

  /// The task of this number, from 0 to `count` − 1.
  SweepTask task(Index number) const;
};

/// The section `sweep:` of an experiment, read and checked.
struct SweepSpec {
  std::string name;                 ///< of the experiment
  std::string command;              ///< "simulate", "fit" or "identify"
  SweepTasks tasks;                 ///< the tasks that its axes define
  ExperimentDocument experiment;    ///< without `sweep:`, with absolute file names
  std::vector<std::string> doubts;  ///< notes to print before the first task
};

/// Reads the section, the experiment, and the experiment with every written value, so that errors are found before the
/// first task. Rejects unknown keys. Throws InvalidArgument.
SweepSpec read_sweep(const ExperimentDocument& document);

/// The tasks of the experiment of a plan, which is `SweepSpec::experiment` with its section `sweep:`. Nothing is
/// simulated or checked but the section. Throws InvalidArgument.
SweepTasks read_planned_tasks(const ExperimentDocument& plan);

/// Puts the settings of a task into an experiment. Throws InvalidArgument if part of a path does not exist.
ExperimentDocument with_settings(ExperimentDocument document, const std::vector<SweepSetting>& settings);

/// Asks the same questions as `read_sweep`, for the page of keys.
void describe_sweep(Node& root);

}  // namespace pithball::app
