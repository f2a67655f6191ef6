#include "app/spec/recording_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "app/spec/row_delay.hpp"

namespace pithball::app {
namespace {

/// Whether a parameter listed by the user changes this value of recording number `recording`.
bool is_declared(const std::vector<optim::Parameter>& parameters, const char* value, Index recording) {
  return std::ranges::any_of(parameters, [&](const optim::Parameter& p) {
    return p.value == value && !p.is_nuisance &&
           (p.recordings.scenarios.empty() ||
            std::ranges::find(p.recordings.scenarios, recording) != p.recordings.scenarios.end());
  });
}

/// Nuisance parts only if `parameters` does not contain them yet.
void add_free_recording_frame(const Recording& recording, Index index, std::vector<optim::Parameter>& parameters) {
  const FreeClock& clock = recording.free.clock;
  const FreePlacement& placement = recording.free.placement;
  const auto add = [&](const char* value, const std::optional<Range>& bounds, bool is_nuisance) {
    if (is_nuisance && is_declared(parameters, value, index)) return;
    optim::Parameter parameter;
    parameter.is_nuisance = is_nuisance;
    parameter.value = value;
    parameter.recordings.sharing = optim::RecordingSharing::Each;
    parameter.recordings.scenarios = {index};
    if (bounds) {
      parameter.range.lower = (*bounds)[0];
      parameter.range.upper = (*bounds)[1];
    }
    parameters.push_back(std::move(parameter));
  };
  if (clock.offset) add("clock_offset", clock.offset, false);
  if (clock.scale) add("clock_scale", clock.scale, false);
  if (placement.rotation) add("placement_rotation", {}, placement.is_nuisance);
  if (placement.translation) add("placement_translation", {}, placement.is_nuisance);
  if (placement.scale) add("placement_scale", {}, false);
}

void add_free_instrument(const Recording& recording, Index index, std::vector<optim::Parameter>& parameters) {
  for (const std::string& value : recording.free.own_values) {
    if (is_declared(parameters, value.c_str(), index)) continue;
    optim::Parameter parameter;
    parameter.value = value;
    parameter.recordings.sharing = optim::RecordingSharing::Each;
    parameter.recordings.scenarios = {index};
    if (const auto bounds = value == "row_time" ? row_time_bounds(recording) : std::nullopt) {
      parameter.range.lower = (*bounds)[0];
      parameter.range.upper = (*bounds)[1];
    }
    parameters.push_back(std::move(parameter));
  }
}

/// One number for each component of each particle of this recording alone.
optim::Parameter start_parameter(const char* value, Index recording) {
  optim::Parameter parameter;
  parameter.value = value;
  parameter.entries.sharing = optim::EntrySharing::None;
  parameter.recordings.sharing = optim::RecordingSharing::Each;
  parameter.recordings.scenarios = {recording};
  parameter.is_nuisance = true;
  return parameter;
}

/// A declaration for each number, because each has a prior of its own; all with one scale.
void add_believed_start(const Recording& recording, const char* value, Index index,
                        std::vector<optim::Parameter>& parameters) {
  const bool is_position = value == std::string_view("position");
  const sim::State& state = recording.own.scenario.initial;
  double scale = 0;
  for (const StartBelief& belief : recording.start.beliefs) {
    const double start = (is_position ? state.x : state.v)(belief.component, belief.particle);
    scale = std::max({scale, std::abs(start), is_position ? belief.position_deviation : belief.velocity_deviation});
  }
  for (const StartBelief& belief : recording.start.beliefs) {
    optim::Parameter& parameter = parameters.emplace_back(start_parameter(value, index));
    parameter.entries.components = "xyz"[belief.component];
    parameter.entries.selected = {belief.particle};
    parameter.range.scale = scale;
    const double deviation = is_position ? belief.position_deviation : belief.velocity_deviation;
    const double mean = (is_position ? state.x : state.v)(belief.component, belief.particle);
    if (deviation > 0) parameter.priors = {optim::GaussianPrior{mean, deviation}};
  }
}

void add_free_initial_state(const Recording& recording, Index index, std::vector<optim::Parameter>& parameters) {
  for (const char* value : {"position", "velocity"}) {
    if (is_declared(parameters, value, index)) continue;
    add_believed_start(recording, value, index, parameters);
    if (recording.start.kind != InitialStateKind::Free) continue;
    optim::Parameter parameter = start_parameter(value, index);
    parameter.entries.components = seen_components(recording.observation);
    for (Index i = 0; i < recording.own.scenario.model.particles(); ++i)
      if (!recording.own.scenario.model.is_held(i)) parameter.entries.selected.push_back(i);
    if (!parameter.entries.selected.empty()) parameters.push_back(std::move(parameter));
  }
}

}  // namespace

void add_recording_parameters(const std::vector<Recording>& recordings, std::vector<optim::Parameter>& parameters) {
  for (std::size_t k = 0; k < recordings.size(); ++k) {
    add_free_recording_frame(recordings[k], static_cast<Index>(k), parameters);
    add_free_instrument(recordings[k], static_cast<Index>(k), parameters);
  }
  for (std::size_t k = 0; k < recordings.size(); ++k)
    add_free_initial_state(recordings[k], static_cast<Index>(k), parameters);
}

}  // namespace pithball::app
