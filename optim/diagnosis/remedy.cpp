#include "optim/diagnosis/remedy.hpp"

#include <algorithm>
#include <cmath>

#include "optim/diagnosis/marker_clocks.hpp"
#include "optim/diagnosis/model_candidates.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

PredictedClock clock_of(const TestedCandidate& finding) {
  return {finding.candidate.held[0], finding.test.shift[0], finding.test.error[0]};
}

/// Formats the key for a spring with the predicted strength.
std::string spring_key(const TestedCandidate& finding, const MissingSpring& spring) {
  const Candidate& candidate = finding.candidate;
  const double strength = candidate.stepped(finding.test.shift)[0];
  if (!(strength > 0)) return {};
  return formatted("system.springs.added: [{between: [%td, %td], %s: %.4g %s, rest_length: %.9g m}]", spring.ends.i,
                   spring.ends.j, candidate.value.c_str(), strength, candidate.unit.c_str(), spring.rest_length);
}

/// Formats the key for a start of which the fit varies some components only: those that a recording sees. Then the list
/// of parameters names it, with the particles that are free.
std::string start_key(const Candidate& candidate, const sim::Model& model) {
  if (!candidate.name.starts_with(candidate.value + ".")) return "initial_state: free";
  std::string free;
  for (Index i = 0; i < model.particles(); ++i)
    if (!model.is_held(i)) free += (free.empty() ? "" : ", ") + std::to_string(i);
  return formatted("parameters: [%s: {share: none, recordings: each, select: [%s]}]",
                   candidate.value == "start_position" ? "position" : "velocity", free.c_str());
}

}  // namespace

std::string effect_of_remedy(const Candidate& candidate) {
  if (!candidate.missing || candidate.key.empty()) return {};
  return "a `" + candidate.value +
         "` that is fitted is then a factor of all springs, of this one too, unless `select` names the others; "
         "`pithball diagnose --refit` fits both";
}

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
  if (value == "clock_offset") return clock_key(clock_of(finding), observation);
  if (value == "marker_clocks") return candidate.key;
  if (value == "clock_scale") {
    const ClockBounds bounds(clock_of(finding));
    const bool is_possible = bounds.lower > 0 && !(observation.noise.thermal_energy > 0);
    return is_possible ? "clock: {scale: " + bounds.text() + "}" : "";
  }
  if (value == "start_position" || value == "start_velocity") return start_key(candidate, recording->model);
  const std::vector<RecordingFrameValue>& values = recording_frame_values();
  const auto of_frame = std::ranges::find(values, value, &RecordingFrameValue::name);
  if (of_frame == values.end()) return {};
  if (!of_frame->key.empty()) return of_frame->key;
  return scenarios.size() == 1 ? "parameters: [" + value + "]" : "parameters: [{" + value + ": {share: recording}}]";
}

}  // namespace pithball::optim
