#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/experiment_document.hpp"
#include "app/yaml/node.hpp"

namespace pithball::app {

/// Largest number of tasks of a sweep: each result is a small file.
inline constexpr Index most_tasks = 10'000'000;

/// A key of the experiment and its value in one task, as after `--set`.
struct SweepSetting {
  std::string path;  ///< "system.charge"
  Tree value;        ///< as written after `--set`
};

/// What one axis of a sweep contributes to a task.
struct SweepPoint {
  std::vector<SweepSetting> settings;                       ///< all that the task sets
  std::vector<std::pair<std::string, std::string>> labels;  ///< columns of the table: "system.charge [uC]", "3"
};

/// One factor of a sweep: a number of points, each made when it is needed.
struct SweepAxis {
  Index size = 0;  ///< number of points
  /// The point of this number, from 0; what it draws follows from the task's seed.
  std::function<SweepPoint(Index point, std::uint64_t task_seed)> at;
  std::vector<SweepPoint> to_check;  ///< points written in the file, or examples of those that are drawn
};

/// Reads the axes of a sweep from its section: those of `grid`, then `latin_hypercube`, `recordings`, `bootstrap`,
/// `starts` and `seeds`. `document`: the experiment, with all its recordings listed; `seed`: of the sweep. Throws
/// InvalidArgument.
std::vector<SweepAxis> read_sweep_axes(Node& sweep, const ExperimentDocument& document, std::uint64_t seed);

}  // namespace pithball::app
