#pragma once
#include <vector>

#include "diff/rollout/rollout.hpp"
#include "optim/observation/observation.hpp"

namespace pithball::optim {

/// The rows of one frame of one recording, those of all its markers: consecutive.
struct FrameRows {
  Index recording = 0;  ///< number among those with rows
  Index first = 0, end = 0;
};

/// How rows hang together.
struct RowOrder {
  std::vector<FrameRows> frames;  ///< in the order of the rows, all of them
  std::vector<Index> samples;     ///< first row of every sample (one marker in one frame), and the number of rows
  std::vector<Index> previous;    ///< by row: that of the same marker and component one frame earlier, −1 without one
  std::vector<std::size_t> recordings;  ///< the scenario of each recording with rows
};

/// The order of the rows of a TrajectoryResidual of these scenarios and observations.
RowOrder find_row_order(const std::vector<diff::Scenario>& scenarios, const std::vector<Observation>& observations);

/// Samples that a loss has taken for outliers, in one recording.
struct Downweighted {
  Index scenario = 0;
  Index samples = 0, of = 0;   ///< how many count less than half, and how many there are
  Index worst_marker = -1;     ///< the marker that most of them belong to
  Index worst_samples = 0;     ///< how many of them
  double first = 0, last = 0;  ///< recorded time of the first and the last of them [s]
};

/// Where samples count less than half (`weight` < ½), by recording; those without any are left out.
std::vector<Downweighted> find_downweighted(const std::vector<diff::Scenario>& scenarios,
                                            const std::vector<Observation>& observations, const Vector& weight);

}  // namespace pithball::optim
