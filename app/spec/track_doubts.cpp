#include "app/spec/track_doubts.hpp"

#include "app/spec/measurement_spec.hpp"
#include "optim/observation/track_swaps.hpp"

namespace pithball::app {

std::vector<std::string> find_track_doubts(const datasets::Capture& capture, const optim::MeasurementKind& kind) {
  std::vector<std::string> doubts = capture.notes;
  const optim::Observation seen = observe(capture, kind);
  if (std::string swaps = optim::say_track_swaps(seen, optim::find_track_swaps(seen)); !swaps.empty())
    doubts.push_back(std::move(swaps));
  return doubts;
}

}  // namespace pithball::app
