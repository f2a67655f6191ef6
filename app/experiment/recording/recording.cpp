#include "app/experiment/recording/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "app/backend/backend_choice.hpp"
#include "app/experiment/recording/brownian_spec.hpp"
#include "app/experiment/recording/capture_source.hpp"
#include "app/experiment/recording/marker_list.hpp"
#include "app/experiment/recording/recorded_identities.hpp"
#include "app/experiment/recording/recorded_motion.hpp"
#include "app/experiment/recording/recording_list.hpp"
#include "datasets/capture/capture_spec.hpp"
#include "optim/residual/trajectory_residual.hpp"

namespace pithball::app {
namespace {

/// Reads the experiment with the recording's `set:` applied.
Experiment read_with_set(Node& node, const ExperimentDocument& document, double last_time) {
  Node set = node.child("set", "");
  for (const Tree& entry : set.tree() ? set.tree()->entries : std::vector<Tree>{})
    set.ignore(entry.key);  // keys below it are read where they are inserted
  Experiment own = read_experiment(own_document(document, set.tree()), last_time);
  require_own_backend(own.backend, "fit");
  return own;
}

/// Reads the known parts of values, to which a parameter is added: {mass: {tip: 200 g, rest: 0}}.
void read_offsets(Node& node, Recording& recording) {
  Node offsets =
      node.child("value_offsets",
                 "known parts of the values under `system` (with `set`): {mass: {tip: 200 g, rest: 0}}. The parameter "
                 "of that name is the remainder: the model uses offset + parameter, with `multiplier: true` offset + "
                 "parameter · (value − offset). For a known load in addition to `mass`, use `system.payload`");
  offsets.document("VALUE", "per particle []", "optional", "offsets of the value with this name, in its unit");
  if (!offsets.tree()) return;
  const sim::Values& values = recording.own.scenario.model.values();
  for (auto& [name, entry] : offsets.entries("VALUE")) {
    const auto block = values.find(name);
    if (!block || values.block(*block).owner == sim::ValueOwner::Term)
      entry.reject("", "must be a value of particles or springs", "'" + name + "'", "see `pithball list parameters`");
    const sim::ValueBlock& info = values.block(*block);
    const ItemSpace space =
        info.owner == sim::ValueOwner::Spring ? recording.own.body.springs() : recording.own.body.particles();
    if (name == "mass" && recording.own.body.known_mass.payload.any())
      entry.reject("", "must not be given together with `system.payload`", "both", "keep one of the two");
    recording.known.offsets[name] = read_per_item(entry, "", {info.unit, ""}, space);
  }
}

/// Returns the recorded frames, with the clock that determines their simulated times.
optim::Observation read_observation(Node& node, const datasets::Capture& capture, const optim::MeasurementKind& kind,
                                    bool starts_with_recording) {
  const char* meaning =
      "simulated time = recorded time + this (default: 0 for from_system and equilibrium; otherwise, and with `part` "
      "or "
      "`frames.after`, the first frame is at 0)";
  const auto offset = node.optional_number("time_offset", "s", meaning);
  if (node.describing()) return {};
  optim::Observation seen = observe(capture, kind);
  seen.markers.clear();  // read from `markers:`, and the instrument from `measurement:`
  seen.instrument.reset();
  double& clock_offset = seen.recording_frame.clock_offset;
  clock_offset = offset.value_or(starts_with_recording ? -seen.times.front() : 0.0);
  // Rounding error of the sum of a recorded time and an offset that is written with nine digits.
  const double rounding = 1e-9 * std::max(std::abs(seen.times.front()), std::abs(clock_offset));
  if (seen.times.front() + clock_offset < -rounding)
    node.reject(
        "time_offset", "must not put a frame before the start of the simulation",
        fmt::format("frames from {:g} to {:g} s", seen.times.front() + clock_offset, seen.times.back() + clock_offset),
        fmt::format("use later frames, or write `time_offset: {:.9g} s` if the body starts with the recording",
                    -seen.times.front()));
  return seen;
}

std::vector<double> simulated_times(const optim::Observation& seen) {
  std::vector<double> times;
  for (std::size_t f = 0; f < seen.times.size(); ++f) times.push_back(seen.simulated_time(f));
  return times;
}

/// Rejects, for a planned recording, searches that need recorded data.
void reject_search_of_places(const Node& node, const MarkerList& list, const FreePlacement& placement) {
  for (const std::optional<WantedAttachment>& wanted : list.attached)
    if (wanted)
      node.reject("markers", "must give the particles of markers in a planned recording",
                  wanted->to_face ? "nearest_face" : "nearest_vertex",
                  "write `markers: [0, ring4, …]`, one particle or group for each");
  if (placement.to_register)
    node.reject("placement", "must be given for a planned recording", "register: true",
                "write rotation and translation, or omit it");
}

/// Sets the sigma of markers that have none to the `planned_sigma` of their kind. This is a guess, to which predicted
/// standard errors are proportional.
void suppose_sigma(optim::Observation& observation) {
  for (double& sigma : observation.noise.sigma) {
    if (!std::isnan(sigma)) continue;
    sigma = optim::kind_of(observation).planned_sigma;
    observation.noise.origin = optim::SigmaOrigin::Guess;
  }
}

void read_use(Node& node, Recording& recording) {
  const std::string role =
      node.choice("role", {"fit", "validation"},
                  "`validation`: exclude the recording from the fit and report its prediction error", "fit");
  const auto from = node.optional_number(
      "validation_from", "s",
      "frames from this recorded time on are excluded from the fit, and their prediction error is reported");
  if (role == "validation" && from)
    node.reject("validation_from", "must not be given together with `role: validation`", "both", "keep one of the two");
  if (role == "validation" && recording.motion.detections.are_open())
    node.reject("role", "must be fit where `identities` are not known", role,
                "name its points, or write `validation_from` to leave out its later frames");
  if (role == "validation") recording.observation.validation.from = -std::numeric_limits<double>::infinity();
  if (from) recording.observation.validation.from = *from;
}

/// Returns the entry of each marker as written; empty for a mapping.
std::vector<std::string> marker_entries(const Node& node, const Recording& recording) {
  std::vector<std::string> entries(recording.observation.markers.size());
  if (!recording.kind->follows_markers()) return entries;
  const Tree* list = node.form_tree("markers");
  for (std::size_t m = 0; m < entries.size(); ++m) {
    if (!list)
      entries[m] = std::to_string(m);
    else if (m < list->entries.size() && list->entries[m].kind == Tree::Kind::Scalar)
      entries[m] = list->entries[m].text;
  }
  return entries;
}

/// Collects how the recording is read, as written in the file: axes, marker entries and unit.
optim::RecordingReading read_reading(Node& node, const Recording& recording, bool attaches) {
  optim::RecordingReading reading;
  reading.scale = std::abs(recording.motion.capture.file_scale[0]);
  if (recording.kind->components.size() == 3) {
    if (node.is_written("axes")) {
      const std::vector<std::string> axes = node.texts("axes", "");
      std::ranges::copy(axes, reading.axes.begin());
    } else if (node.is_written("up")) {
      reading.axes = datasets::axes_with_up(node.text("up", ""));
    }
  }
  const bool has_names = !recording.motion.detections.are_open();
  if (!attaches && has_names) reading.entries = marker_entries(node, recording);
  reading.entries_key = recording.kind->channels_key;
  reading.placement_is_free = recording.free.placement.is_free();
  return reading;
}

/// Reads the frames of the recording, existing or planned.
RecordedMotion read_motion(Node& node, const Body& body) {
  if (is_planned(node)) return {read_planned(node, body.mesh.vertices.cols()), {}, {}, {}, false};
  if (!node.describing()) return read_capture_source(node);
  describe_capture_source(node);
  read_planned(node, 0);
  read_split(node);
  return {};
}

/// Reads the experiment that simulates the recording.
OwnExperiment read_own_experiment(Node& node, const Experiment& base, const ExperimentDocument& document,
                                  const Recording& recording) {
  const optim::Observation& seen = recording.observation;
  require_near_start(node, seen, recording.free.clock);
  Experiment own = read_with_set(node, document, latest_time(seen, recording.free.clock));
  own.scenario.name = recording.name;
  std::erase_if(own.notes,
                [&](const std::string& note) { return std::ranges::find(base.notes, note) != base.notes.end(); });
  require_overlap(node, seen, recording.free.clock, own.scenario.time_step * own.scenario.steps);
  return {std::move(own.scenario), std::move(own.body), std::move(own.notes)};
}

/// Adds the markers to the recording, with the noise stated in the file.
MarkerList take_markers(Node& node, std::optional<double> default_sigma, optim::KnownIdentities identities,
                        Recording& recording) {
  const std::vector<std::string> names = find_marker_names(node, identities, recording);
  const RecordedChannels channels{names, *recording.kind, recording.own.body, read_file_unit(node, *recording.kind)};
  const bool in_meters = recording.kind->geometry.is_place;
  WrittenSigma sigma = read_sigma(node, channels, in_meters ? default_sigma : std::nullopt);
  MarkerList list = read_markers(node, channels, sigma.value);
  optim::Observation& seen = recording.observation;
  seen.markers = list.markers;
  seen.noise.sigma = list.sigma;
  seen.noise.factor = std::move(sigma.factor);
  read_brownian(node, recording);
  seen.validation.markers = list.validation;
  return list;
}

/// Adds the instrument to the recording; its kind, body and markers must already be set.
void take_instrument(Node& node, Recording& recording) {
  optim::Observation& seen = recording.observation;
  FreePlacement& placement = recording.free.placement;
  std::vector<optim::WeightedVertices> followed;
  for (const optim::Marker& marker : seen.markers) followed.push_back(marker.vertices);
  const std::vector<std::string>& columns = recording.motion.capture.markers;
  optim::InstrumentSettings read =
      read_instrument(node, *recording.kind, recording.own.body,
                      {recording.own.scenario.model, columns, followed, seen.positions, placement.moves_camera()});
  seen.instrument = std::move(read.instrument);
  for (std::size_t m = 0; m < read.channels.size(); ++m) seen.markers.push_back({columns[m], read.channels[m]});
  for (const auto& [name, value] : read.own_values) seen.recording_frame.set_own(name, value);
  for (std::size_t a = 0; a < read.flipped.size(); ++a)
    if (read.flipped[a])
      for (Points& frame : seen.positions) frame.row(a) = *read.flipped[a] - 1 - frame.row(a).array();
  recording.free.own_values = std::move(read.free_own_values);
  cover_row_delay(recording);
  std::ranges::move(read.doubts, std::back_inserter(placement.doubts));
}

}  // namespace

PlacedMarkers Recording::placed() const {
  return {observation, own.scenario, std::ranges::find(free.own_values, "focal_length") != free.own_values.end()};
}

Recording read_recording(Node node, const Experiment& base, const ExperimentDocument& document,
                         std::optional<double> default_sigma) {
  Recording recording{"", "", &read_measurement_kind(node), is_planned(node), {}, {}, {base.scenario, base.body}};
  optim::Observation& seen = recording.observation;
  node.document("set", "{PATH: value}", "optional",
                "keys of this file that have a different value for this recording: {system.mass.tip: 200 g}");
  recording.motion = read_motion(node, base.body);
  recording.name =
      node.text_or("name", "name of the recording in tables", {"from the file", recording.motion.capture.name});
  recording.label =
      node.text("label", "recordings with the same label share every parameter that has `recordings: label`", "");
  recording.start = read_initial_state(node, recording.planned, recording.motion.rest);
  seen = read_observation(node, recording.motion.capture, *recording.kind,
                          !recording.start.is_written() || recording.motion.begins_within);
  if (read_unwrap(node, *recording.kind)) unwrap(recording.kind->period, seen.positions);
  seen.frame_weight = read_weight(node, simulated_times(seen));
  recording.free.clock = read_clock(node, seen);
  recording.free.placement = read_placement(node, *recording.kind, seen.recording_frame);
  if (!node.describing()) recording.own = read_own_experiment(node, base, document, recording);
  const optim::KnownIdentities identities = read_identities(node, recording);
  const MarkerList list = take_markers(node, default_sigma, identities, recording);
  take_instrument(node, recording);
  take_detections(node, identities, recording);
  if (recording.planned) suppose_sigma(seen);
  if (recording.planned) reject_search_of_places(node, list, recording.free.placement);
  seen.recording_frame = register_placement(node, recording.placed(), recording.free.placement);
  recording.attachment_distance = attach_markers(node, list.attached, recording.own.body, recording.own.scenario, seen);
  recording.screening.reading = read_reading(node, recording, list.attaches());
  recording.screening.answers = read_finding_answers(node);
  mask_filled_samples(node, seen);
  read_offsets(node, recording);
  read_use(node, recording);
  set_initial_state(recording.start.kind, seen, recording.own.scenario);
  if (recording.start.refers_to_rest) refer_to_rest(node, recording.motion.rest, recording.own.scenario, seen);
  if (recording.planned)
    for (Points& frame : seen.positions) frame.setZero();
  return recording;
}

Points rest_errors(const Recording& recording) {
  Points errors = recording.motion.rest_error;
  const optim::ReadingNoise& noise = recording.observation.noise;
  for (Index m = 0; m < errors.cols(); ++m)
    for (Index a = 0; a < 3; ++a)
      if (std::isnan(errors(a, m)))
        errors(a, m) = noise.origin == optim::SigmaOrigin::Guess ? 0 : noise.component_sigma(m, static_cast<int>(a));
  return errors;
}

void hold_rest_error(Recording& recording) {
  const Points errors = rest_errors(recording);
  optim::ValueError held;
  held.root = errors.reshaped().asDiagonal();
  for (Index k = 0; k < errors.size(); ++k)
    held.entries.push_back(optim::reference_entry(recording.own.scenario, k / 3, k % 3));
  recording.known.errors.push_back(std::move(held));
}

void refer_to_rest(const Node& node, const Points& rest, diff::Scenario& scenario, optim::Observation& seen) {
  if (!scenario.rest_near) {
    scenario.rest_near = scenario.initial.x;
    scenario.initial.x.setZero();  // displacement from rest
    scenario.initial.v.setZero();
  }
  seen.reference.kind = optim::Reference::Kind::Start;
  seen.reference.observed = rest;
  const sim::Mat3 turned_back = seen.recording_frame.rotation_matrix().transpose() / seen.recording_frame.scale();
  for (std::size_t m = 0; m < seen.markers.size(); ++m) {
    Vec3 displacement = Vec3::Zero();
    for (const auto& [vertex, weight] : seen.markers[m].vertices)
      displacement += weight * scenario.initial.x.col(vertex);
    seen.reference.observed.col(m) += turned_back * displacement;
    for (Index a = 0; a < 3; ++a) {
      bool used = false;
      for (std::size_t f = 0; f < seen.times.size() && !used; ++f) used = !std::isnan(seen.sight(f, m)[a]);
      if (used && std::isnan(rest(a, m)))
        node.reject("rest_frames", "must show every marker that is used", "marker '" + seen.markers[m].name + "' never",
                    "choose other frames, or leave the marker out");
    }
  }
}

optim::Delay largest_delay(const optim::Observation& seen) {
  optim::Delay largest;
  for (std::size_t f = 0; f < seen.times.size() && seen.instrument; ++f)
    for (Index m = 0; m < seen.positions[f].cols(); ++m)  // of all points, whether or not they are markers yet
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
  constexpr double rounding = 1e-9;  // in steps; the duration is written as the time of the last frame
  if (scenario.steps < last / step - rounding) return;
  const double covered = latest_time(seen, recording.free.clock, row_time * delay.count);
  scenario.steps = std::max(scenario.steps, static_cast<Index>(std::ceil(covered / step - rounding)));
}

}  // namespace pithball::app
