#include "optim/diagnosis/remedy.hpp"

#include <algorithm>
#include <cmath>

#include "optim/diagnosis/model_candidates.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

/// Half width of the bounds in standard errors; at least the length of the Gauss–Newton step, which may be wrong by as
/// much.
constexpr double standard_errors_of_bounds = 5;

/// Bounds of a clock value that contain the predicted one and the one in the file.
struct ClockBounds {
  double lower, upper;

  explicit ClockBounds(const TestedCandidate& finding) {
    const double held = finding.candidate.held[0], shift = finding.test.shift[0];
    const double width = std::max(standard_errors_of_bounds * finding.test.error[0], std::abs(shift));
    lower = std::min(held, held + shift - width);
    upper = std::max(held, held + shift + width);
  }
};

/// Leaves out early frames that probably precede the start of the simulation, which no frame may do.
std::string offset_key(const TestedCandidate& finding, const Observation& observation) {
  ClockBounds bounds(finding);
  const double earliest = -observation.times.front();
  if (bounds.lower < earliest && finding.candidate.held[0] + finding.test.shift[0] >= earliest) bounds.lower = earliest;
  const auto bounds_text = [&] { return formatted("clock: {offset: [%.6g s, %.6g s]}", bounds.lower, bounds.upper); };
  if (bounds.lower >= earliest) return bounds_text();
  const auto from = std::ranges::lower_bound(observation.times, -bounds.lower);
  if (from == observation.times.end()) return {};
  return bounds_text() + formatted(", frames: {from: %.9g s}", *from);
}

/// Formats the key for a spring with the predicted strength.
std::string spring_key(const TestedCandidate& finding, const MissingSpring& spring) {
  const Candidate& candidate = finding.candidate;
  const double strength = candidate.stepped(finding.test.shift)[0];
  if (!(strength > 0)) return {};
  return formatted("system.springs.added: [{between: [%td, %td], %s: %.4g %s, rest_length: %.9g m}]", spring.ends.i,
                   spring.ends.j, candidate.value.c_str(), strength, candidate.unit.c_str(), spring.rest_length);
}

}  // namespace

std::string remedy_of(const TestedCandidate& finding, const std::vector<Observation>& observations,
                      const std::vector<diff::Scenario>& scenarios) {
  const Candidate& candidate = finding.candidate;
  if (candidate.missing) return spring_key(finding, *candidate.missing);
  if (candidate.concern == Concern::Computation)
    return formatted("simulation.time_step: %.6g s", sufficient_step(finding.test, scenarios.front()));
  if (candidate.concern != Concern::Measurement) return {};
  const auto recording = std::ranges::find(scenarios, candidate.recording, &diff::Scenario::name);
  if (recording == scenarios.end()) return {};
  const Observation& observation = observations[recording - scenarios.begin()];
  const std::string& value = candidate.value;
  if (value == "clock_offset") return offset_key(finding, observation);
  if (value == "clock_scale") {
    const ClockBounds bounds(finding);
    return bounds.lower > 0 ? formatted("clock: {scale: [%.9g, %.9g]}", bounds.lower, bounds.upper) : "";
  }
  if (value == "start_position" || value == "start_velocity") return "initial_state: free";
  const std::vector<RecordingFrameValue>& values = recording_frame_values();
  const auto of_frame = std::ranges::find(values, value, &RecordingFrameValue::name);
  if (of_frame == values.end()) return {};
  if (!of_frame->key.empty()) return of_frame->key;
  return scenarios.size() == 1 ? "parameters: [" + value + "]" : "parameters: [{" + value + ": {share: recording}}]";
}

}  // namespace pithball::optim
