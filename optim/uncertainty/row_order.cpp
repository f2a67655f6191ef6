#include "optim/uncertainty/row_order.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "optim/observation/measurement_model.hpp"

namespace pithball::optim {
namespace {

/// Row of each marker and component in one frame, −1: not seen.
using RowsOfFrame = std::vector<std::array<Index, 3>>;

RowsOfFrame empty_frame(const Observation& o) {
  return RowsOfFrame(o.markers.size(), std::array<Index, 3>{-1, -1, -1});
}

/// Adds the rows of one recording, which begin at `first_row`.
void add_recording(const MeasurementModel& measurement, const Observation& o, Index first_row, RowOrder& order) {
  const auto recording = static_cast<Index>(order.recordings.size()) - 1;
  RowsOfFrame here = empty_frame(o), before = here;
  Index frame = -1, frame_before = -1;
  for (const MeasurementModel::Sample& sample : measurement.samples()) {
    Index row = first_row + sample.first_row;
    if (sample.frame != frame) {
      before = std::exchange(here, empty_frame(o));
      frame_before = std::exchange(frame, sample.frame);
      order.frames.push_back({recording, row, row});
    }
    order.samples.push_back(row);
    const Vec3 seen = o.sight(static_cast<std::size_t>(sample.frame), sample.marker);
    for (int a = 0; a < 3; ++a) {
      if (std::isnan(seen[a])) continue;
      here[sample.marker][a] = row;
      order.previous.push_back(frame_before == frame - 1 ? before[sample.marker][a] : -1);
      order.series.push_back(3 * sample.marker + a);
      ++row;
    }
    order.frames.back().end = row;
  }
}

}  // namespace

RowOrder find_row_order(const std::vector<diff::Scenario>& scenarios, const std::vector<Observation>& observations) {
  RowOrder order;
  Index first_row = 0;
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    const MeasurementModel measurement(observations[s], scenarios[s], Part::Fit);
    if (measurement.rows() == 0) continue;
    order.recordings.push_back(s);
    add_recording(measurement, observations[s], first_row, order);
    first_row += measurement.rows();
  }
  order.samples.push_back(first_row);
  return order;
}

std::vector<FrameRows> recording_rows(const RowOrder& order) {
  std::vector<FrameRows> spans;
  for (const FrameRows& frame : order.frames) {
    if (spans.empty() || spans.back().recording != frame.recording) spans.push_back(frame);
    spans.back().end = frame.end;
  }
  return spans;
}

std::vector<Downweighted> find_downweighted(const std::vector<diff::Scenario>& scenarios,
                                            const std::vector<Observation>& observations, const Vector& weight) {
  std::vector<Downweighted> found;
  Index number = 0;
  for (std::size_t s = 0; s < scenarios.size(); ++s) {
    const Observation& o = observations[s];
    const MeasurementModel measurement(o, scenarios[s], Part::Fit);
    if (measurement.rows() == 0) continue;
    Downweighted here;
    here.scenario = static_cast<Index>(s);
    here.of = static_cast<Index>(measurement.samples().size());
    std::vector<Index> by_marker(o.markers.size(), 0);
    for (const MeasurementModel::Sample& sample : measurement.samples()) {
      if (!(weight[number++] < 0.5)) continue;
      const double time = o.times[sample.frame];
      if (here.samples++ == 0) here.first = time;
      here.last = time;
      ++by_marker[sample.marker];
    }
    if (here.samples == 0) continue;
    const auto worst = std::max_element(by_marker.begin(), by_marker.end());
    here.worst_marker = worst - by_marker.begin();
    here.worst_samples = *worst;
    found.push_back(here);
  }
  return found;
}

}  // namespace pithball::optim
