#include "app/spec/row_delay.hpp"

#include <algorithm>
#include <cmath>

namespace pithball::app {

optim::Delay largest_delay(const optim::Observation& seen) {
  optim::Delay largest;
  for (std::size_t f = 0; f < seen.times.size() && seen.instrument; ++f)
    for (Index m = 0; m < static_cast<Index>(seen.markers.size()); ++m)
      if (const optim::Delay delay = seen.instrument->delay(seen.sight(f, m)); delay.count > largest.count)
        largest = delay;
  return largest;
}

std::optional<Range> row_time_bounds(const Recording& recording) {
  const optim::Observation& seen = recording.observation;
  const optim::Delay delay = largest_delay(seen);
  if (delay.count == 0 || seen.times.size() < 2) return {};
  double interval = seen.times.back() - seen.times.front();
  for (std::size_t f = 1; f < seen.times.size(); ++f) interval = std::min(interval, seen.times[f] - seen.times[f - 1]);
  const FreeClock& clock = recording.free.clock;
  const double first = seen.times.front() + (clock.offset ? (*clock.offset)[0] : seen.recording_frame.clock_offset);
  const double initial = seen.recording_frame.values()[delay.value];
  return Range{std::min(initial, -std::min(interval, std::max(first, 0.0)) / delay.count),
               std::max(initial, interval / delay.count)};
}

void cover_row_delay(Recording& recording) {
  const optim::Observation& seen = recording.observation;
  const optim::Delay delay = largest_delay(seen);
  const auto bounds = row_time_bounds(recording);
  if (!bounds) return;
  const bool is_fitted = std::ranges::find(recording.free.own_values, "row_time") != recording.free.own_values.end();
  const double row_time = is_fitted ? (*bounds)[1] : seen.recording_frame.values()[delay.value];
  diff::Scenario& scenario = recording.own.scenario;
  const double last = latest_time(seen, recording.free.clock), step = scenario.time_step;
  constexpr double rounding = 1e-9;  // of a duration that is written as the last frame's time, in steps
  if (scenario.steps < last / step - rounding) return;
  const double covered = latest_time(seen, recording.free.clock, row_time * delay.count);
  scenario.steps = std::max(scenario.steps, static_cast<Index>(std::ceil(covered / step - rounding)));
}

}  // namespace pithball::app
