#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/spec/sweep_axes.hpp"

namespace pithball::app {

/// One run of a sweep.
struct SweepTask {
  Index number = 0;                                         ///< from 0
  std::uint64_t seed = 0;                                   ///< below 2⁵³, a function of (seed of the sweep, number)
  std::vector<SweepSetting> settings;                       ///< of all axes
  std::vector<std::pair<std::string, std::string>> labels;  ///< likewise
};

/// The most tasks of a sweep: each is a small file.
inline constexpr std::size_t most_tasks = 10'000'000;

/// The section `sweep:` of an experiment, read and checked.
struct SweepSpec {
  std::string name;                 ///< of the experiment
  std::string command;              ///< "simulate", "fit" or "identify"
  std::uint64_t seed = 1;           ///< of the sweep
  std::vector<SweepAxis> axes;      ///< combinations multiply, the last axis fastest
  Index tasks = 1;                  ///< product of their sizes
  ExperimentDocument experiment;    ///< without `sweep:`, with absolute file names
  std::vector<std::string> doubts;  ///< notes to print before the first task

  /// The task of this number, from 0 to `tasks` − 1.
  SweepTask task(Index number) const;
};

/// Reads the section, the experiment, and the experiment with every written value, so that errors are found before the
/// first task. Rejects unknown keys. Throws InvalidArgument.
SweepSpec read_sweep(const ExperimentDocument& document);

/// Puts the settings of a task into an experiment. Throws InvalidArgument if part of a path does not exist.
ExperimentDocument with_settings(ExperimentDocument document, const std::vector<SweepSetting>& settings);

/// Asks the same questions as `read_sweep`, for the page of keys.
void describe_sweep(Node& root);

}  // namespace pithball::app
