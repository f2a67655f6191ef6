#include "app/experiment/recording/recording_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "app/experiment/recording/recording.hpp"
#include "optim/measurement/recording_frame.hpp"

namespace pithball::app {
namespace {

/// Whether a parameter listed by the user changes this value in this recording.
bool is_declared(const std::vector<optim::Parameter>& parameters, const char* value, Index recording) {
  return std::ranges::any_of(parameters, [&](const optim::Parameter& p) {
    return p.value == value && !p.is_nuisance &&
           (p.recordings.scenarios.empty() ||
            std::ranges::find(p.recordings.scenarios, recording) != p.recordings.scenarios.end());
  });
}

/// Adds the free parts of clock and placement; nuisance parts only if `parameters` does not contain them yet.
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

/// Returns a parameter with a number for each component of each particle in this recording only.
optim::Parameter start_parameter(const char* value, Index recording) {
  optim::Parameter parameter;
  parameter.value = value;
  parameter.entries.sharing = optim::EntrySharing::None;
  parameter.recordings.sharing = optim::RecordingSharing::Each;
  parameter.recordings.scenarios = {recording};
  parameter.is_nuisance = true;
  return parameter;
}

/// Adds a declaration for each number, because each has its own prior; all have the same scale.
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

namespace {

/// A recording of a group and the first one.
struct Pair {
  const Recording& first;
  const Recording& other;
};

/// Returns why two recordings cannot show the same simulated motion; empty if they can.
std::string contradiction(const Pair& pair) {
  const diff::Scenario &a = pair.first.own.scenario, &b = pair.other.own.scenario;
  if (pair.first.start.kind != pair.other.start.kind) return "another `initial_state`";
  if (a.time_step != b.time_step || a.integrator.name() != b.integrator.name())
    return "another time step or integrator";
  if (a.model.particles() != b.model.particles() || a.model.values().size() != b.model.values().size())
    return "another body";
  if (a.model.values().data() != b.model.values().data()) return "other values of the body, by `set`";
  const auto& known = pair.first.known.offsets;
  const auto is_known = [&](const auto& offset) {
    const auto same = known.find(offset.first);
    return same != known.end() && same->second == offset.second;
  };
  if (known.size() != pair.other.known.offsets.size() || !std::ranges::all_of(pair.other.known.offsets, is_known))
    return "other `value_offsets`";
  return "";
}

Index find_recording(const Node& fit, const std::string& name, const std::vector<Recording>& recordings) {
  const auto found = std::ranges::find(recordings, name, &Recording::name);
  if (found != recordings.end()) return found - recordings.begin();
  std::string names;
  for (const Recording& recording : recordings) names += (names.empty() ? "" : ", ") + recording.name;
  fit.reject("same_motion", "must list names of recordings", "'" + name + "'", "the recordings are " + names);
}

void check_group(const Node& fit, const std::vector<Index>& group, const std::vector<Recording>& recordings) {
  if (group.size() < 2)
    fit.reject("same_motion", "must have at least two recordings in each group", fmt::format("{}", group.size()),
               "write `same_motion: [[left, right]]`");
  const Recording& first = recordings[group.front()];
  if (first.start.kind == InitialStateKind::FromRecording || first.start.refers_to_rest)
    fit.reject("same_motion", "requires a start that does not come from one recording alone",
               first.start.refers_to_rest ? "`reference: rest`" : "`initial_state: from_recording`",
               "write `initial_state: free`");
  if (first.start.kind == InitialStateKind::Free && first.free.clock.offset)
    fit.reject("same_motion", "must have a fixed clock offset in the first recording of a group with a free start",
               "`clock: {offset: …}` of '" + first.name + "'",
               "omit it: the clocks of the others are relative to this one");
  for (const Index member : group) {
    const Recording& other = recordings[member];
    if (const std::string other_way = contradiction({first, other}); !other_way.empty())
      fit.reject("same_motion", "must list recordings of one simulated motion",
                 fmt::format("{} in '{}' than in '{}'", other_way, other.name, first.name),
                 "write the same in both, as in `recording_defaults`");
  }
}

/// Returns the name of each recording's group, "left+right", or the name of a recording without a group.
std::vector<std::string> group_names(const SameMotion& groups, const std::vector<Recording>& recordings) {
  std::vector<std::string> names;
  for (const Recording& recording : recordings) names.push_back(recording.name);
  for (const std::vector<Index>& group : groups) {
    std::string joined;
    for (const Index member : group) joined += (joined.empty() ? "" : "+") + recordings[member].name;
    for (const Index member : group) names[member] = joined;
  }
  return names;
}

/// Whether a parameter belongs to the simulated motion; clock, placement and instrument belong to a recording.
bool is_of_motion(const optim::Parameter& parameter) {
  return std::ranges::find(optim::recording_frame_values(), parameter.value, &optim::RecordingFrameValue::name) ==
         optim::recording_frame_values().end();
}

/// Whether a parameter is the free start of this recording only.
bool is_start_of(const optim::Parameter& parameter, Index recording) {
  return parameter.is_nuisance && is_of_motion(parameter) &&
         parameter.recordings.scenarios == std::vector<Index>{recording};
}

/// Replaces the free starts of a group's recordings by a single one, with the components seen in any of these.
void join_starts(const std::vector<Index>& group, std::vector<optim::Parameter>& all) {
  const auto is_of_others = [&](const optim::Parameter& parameter) {
    return std::any_of(group.begin() + 1, group.end(), [&](Index other) { return is_start_of(parameter, other); });
  };
  for (optim::Parameter& first : all) {
    if (!is_start_of(first, group.front())) continue;
    std::string shown = first.entries.components;
    for (const optim::Parameter& other : all)
      if (is_of_others(other) && other.value == first.value) shown += other.entries.components;
    first.entries.components.clear();
    for (const char c : {'x', 'y', 'z'})
      if (shown.find(c) != std::string::npos) first.entries.components += c;
  }
  std::erase_if(all, is_of_others);
}

/// Adds all recordings of a group if one of them is chosen.
void choose_whole_groups(const SameMotion& groups, std::vector<Index>& chosen) {
  std::set<Index> all(chosen.begin(), chosen.end());
  for (const std::vector<Index>& group : groups)
    if (std::ranges::any_of(group, [&](Index member) { return all.contains(member); }))
      all.insert(group.begin(), group.end());
  chosen.assign(all.begin(), all.end());
}

}  // namespace

SameMotion read_same_motion(Node& fit, std::vector<Recording>& recordings) {
  SameMotion groups;
  if (!fit.document(
          "same_motion", "list of lists of recording names", "none",
          "groups of recordings of one motion, [[left, right]]: they share one initial state and all values of the "
          "body, and each has its own clock (`clock`), that of the first one fixed where the start is free"))
    return groups;
  std::set<Index> grouped;
  for (Node& item : fit.items("same_motion", "")) {
    std::vector<Index>& group = groups.emplace_back();
    for (const std::string& name : item.texts("", "")) {
      group.push_back(find_recording(fit, name, recordings));
      if (!grouped.insert(group.back()).second)
        fit.reject("same_motion", "must list each recording once", "'" + name + "' again", "join the two groups");
    }
    check_group(fit, group, recordings);
    const diff::Scenario& first = recordings[group.front()].own.scenario;
    for (const Index member : group) {
      Recording& other = recordings[member];
      other.own.scenario.initial = first.initial;
      other.own.scenario.rest_near = first.rest_near;
    }
  }
  return groups;
}

void share_in_groups(const SameMotion& groups, const std::vector<Recording>& recordings,
                     std::vector<optim::Parameter>& parameters) {
  if (groups.empty()) return;
  const std::vector<std::string> names = group_names(groups, recordings);
  for (const std::vector<Index>& group : groups) join_starts(group, parameters);
  for (optim::Parameter& parameter : parameters) {
    if (!is_of_motion(parameter)) continue;
    optim::RecordingSelection& chosen = parameter.recordings;
    if (!chosen.scenarios.empty()) choose_whole_groups(groups, chosen.scenarios);
    if (chosen.sharing == optim::RecordingSharing::Each) {
      chosen.sharing = optim::RecordingSharing::Label;
      chosen.labels = names;
    }
    if (chosen.sharing == optim::RecordingSharing::Label)
      for (const std::vector<Index>& group : groups)
        for (const Index member : group) chosen.labels[member] = chosen.labels[group.front()];
  }
}

namespace {

/// "z", "x and z": the unseen components that the fit varies for no particle, of start values that begin at `first` in
/// the flat values; empty if it varies all or none of them.
std::string held_axes(const diff::Scenario& scenario, const std::vector<optim::ParameterEntry>& entries, Index first,
                      const std::string& seen) {
  bool varied[3] = {};
  for (const optim::ParameterEntry& entry : entries)
    if (entry.index >= first && entry.index < first + 3 * scenario.model.particles())
      varied[(entry.index - first) % 3] = true;
  std::string held;
  for (int a = 0; a < 3; ++a)
    if (!varied[a] && seen.find("xyz"[a]) == std::string::npos)
      held += (held.empty() ? "" : " and ") + std::string(1, "xyz"[a]);
  return varied[0] || varied[1] || varied[2] ? held : "";
}

/// "z of the start", "z of the start velocity"; empty if the fit varies all of it.
std::string held_start(const diff::Scenario& scenario, const std::vector<optim::ParameterEntry>& entries,
                       const std::string& seen) {
  const std::string places = held_axes(scenario, entries, scenario.position_offset(), seen),
                    velocities = held_axes(scenario, entries, scenario.velocity_offset(), seen);
  if (places == velocities) return places.empty() ? "" : places + " of the start";
  if (places.empty()) return velocities + " of the start velocity";
  return places + " of the start position" + (velocities.empty() ? "" : ", " + velocities + " of the start velocity");
}

}  // namespace

std::vector<std::string> say_held_starts(const std::vector<Recording>& recordings, const optim::ParameterMap& map) {
  std::map<std::string, std::string> names;  // of the recordings, by what is held
  for (std::size_t s = 0; s < recordings.size(); ++s) {
    if (recordings[s].start.kind != InitialStateKind::Free) continue;
    std::string& list = names[held_start(map.scenarios()[s], map.entries(static_cast<Index>(s)),
                                         seen_components(recordings[s].observation))];
    list += (list.empty() ? "" : ", ") + recordings[s].name;
  }
  names.erase("");
  std::vector<std::string> notes;
  for (const auto& [held, list] : names)
    notes.push_back("held: " + held + " of " + list + ", as in the file, which no recording sees");
  return notes;
}

}  // namespace pithball::app
