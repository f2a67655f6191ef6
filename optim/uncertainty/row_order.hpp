#pragma once
#include <vector>

#include "diff/rollout/rollout.hpp"
#include "optim/observation/observation.hpp"

namespace pithball::optim {

/// The rows of one frame of one recording, for all its markers: consecutive.
struct FrameRows {
  Index recording = 0;  ///< index among the recordings with rows
  Index first = 0,      ///< number of the first row
      end = 0;          ///< one past the last row
};

/// Structure of the rows.
struct RowOrder {
  std::vector<FrameRows> frames;  ///< in the order of the rows, all of them
  std::vector<Index> samples;     ///< first row of every sample, followed by the number of rows
  std::vector<Index> previous;    ///< by row: the row of the same marker and component one frame earlier; −1: none
  std::vector<Index> series;      ///< by row: its marker and component, 3 marker + component, within its recording
  std::vector<std::size_t> recordings;  ///< the scenario of each recording with rows
};

/// The order of the rows of a TrajectoryResidual of these scenarios and observations.
RowOrder find_row_order(const std::vector<diff::Scenario>& scenarios, const std::vector<Observation>& observations);

/// The rows of each recording with rows, which follow one another.
std::vector<FrameRows> recording_rows(const RowOrder& order);

/// Samples that a robust loss treats as outliers, in one recording.
struct Downweighted {
  Index scenario = 0;       ///< index of the recording
  Index samples = 0,        ///< number with a weight below one half
      of = 0;               ///< number of all its fitted samples
  Index worst_marker = -1;  ///< the marker with most of them
  Index worst_samples = 0;  ///< its number of them
  double first = 0,         ///< recorded time of the first of them [s]
      last = 0;             ///< of the last one [s]
};

/// Samples with `weight` < ½, by recording; recordings without any are omitted.
std::vector<Downweighted> find_downweighted(const std::vector<diff::Scenario>& scenarios,
                                            const std::vector<Observation>& observations, const Vector& weight);

}  // namespace pithball::optim
