#include "app/spec/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/backend/backend_choice.hpp"
#include "app/spec/capture_source.hpp"
#include "app/spec/frame_weight.hpp"
#include "app/spec/groups.hpp"
#include "app/spec/initial_state.hpp"
#include "app/spec/planned_spec.hpp"
#include "app/spec/recorded_noise.hpp"
#include "app/spec/rest_reference.hpp"
#include "app/spec/smooth_start.hpp"
#include "app/spec/split_spec.hpp"
#include "app/yaml/nearest.hpp"
#include "app/yaml/quantity.hpp"

namespace pithball::app {
namespace {

/// The experiment with the recording's `set:` applied.
Experiment read_own_experiment(Node& node, const ExperimentDocument& document, double last_time) {
  Node set = node.child("set", "");
  for (const Tree& entry : set.tree() ? set.tree()->entries : std::vector<Tree>{})
    set.ignore(entry.key);  // what is below the key is read in its new place
  Experiment own = read_experiment(own_document(document, set.tree()), last_time);
  require_own_backend(own.backend, "fit");
  return own;
}

/// A number without a unit beside `scale` is in the unit of the file: what it is multiplied by.
double unit_of_bare(const Tree& written, const Recording& recording) {
  return read_plain_number(written.text) ? recording.reading.scale : 1;
}

/// `12`, `ring4`, {vertices: […], weights: …} or {group: ring4, weights: …}.
optim::Marker read_marker(Node item, Recording& recording, std::size_t number, double& sigma) {
  optim::Marker marker;
  marker.name = number < recording.capture.markers.size() ? recording.capture.markers[number] : std::to_string(number);
  std::vector<Index> vertices;
  std::vector<double> weights;
  const Index count = recording.body.mesh.vertices.cols();
  const std::optional<WantedAttachment> attachment = read_attachment(item);
  if (!item.describing()) recording.wanted_attachments[number] = attachment;
  if (attachment && item.is_scalar()) return marker;
  if (item.is_scalar()) {
    vertices = read_particles(item, "", "", count, recording.body.vertex_groups);
  } else {
    if (item.describing() || item.is_written("vertices"))
      vertices = read_particles(item, "vertices", "particles that the marker follows: numbers and group names", count,
                                recording.body.vertex_groups);
    else if (!attachment)
      vertices = read_particles(item, "group", "", count, recording.body.vertex_groups);
    item.document("group", "group name", "optional",
                  "group of particles that the marker follows; instead of `vertices`");
    item.document("weights", "mean, or list of numbers", "mean",
                  "weights w in: position = Σ w · particle; they add up to 1 for a rigid attachment");
    if (!attachment && item.is_list("weights"))
      weights = item.numbers("weights", "", "");
    else if (!attachment && !item.describing())
      item.choice("weights", {"mean"}, "", "mean");
    marker.name =
        item.text("name", "name of the marker in tables", item.describing() ? "from the columns" : marker.name);
    sigma = item.optional_number("sigma", recording.kind->unit,
                                 "standard deviation of each coordinate of this marker (default: as in the recording)",
                                 sim::ValueSign::Positive)
                .value_or(sigma);
    if (item.is_written("sigma")) sigma *= unit_of_bare(*item.form_tree("sigma"), recording);
    const std::string role =
        item.choice("role", {"fit", "validation"},
                    "`validation`: exclude the marker from the fit and report its prediction error", "fit");
    if (role == "validation") {
      recording.observation.validation_markers.resize(recording.capture.markers.size(), false);
      recording.observation.validation_markers[number] = true;
    }
  }
  if (item.describing() || attachment) return marker;
  if (vertices.empty())
    item.reject("", "must follow at least one particle", "none", "write a particle number or a group");
  if (weights.empty()) weights.assign(vertices.size(), 1 / static_cast<double>(vertices.size()));
  if (weights.size() != vertices.size())
    item.reject("weights", fmt::format("must have one entry for each of the {} particles", vertices.size()),
                fmt::format("{}", weights.size()), "write `weights: mean`, or a list of that length");
  for (std::size_t k = 0; k < vertices.size(); ++k) marker.vertices.emplace_back(vertices[k], weights[k]);
  return marker;
}

void read_markers(Node& node, Recording& recording, double default_sigma) {
  auto& seen = recording.observation;
  if (node.describing()) {
    double sigma = default_sigma;
    for (Node& item : node.items("markers",
                                 "particles that each recorded point follows, in the order of the columns; optional if "
                                 "there are as many points as particles")) {
      item.document("", "particle number or group name", "optional", "a marker in short");
      read_marker(item, recording, 0, sigma);
    }
    node.document("markers", "as `fit.recordings[].markers[]`", "optional", "the same way to attach all markers");
    return;
  }
  const std::size_t count = recording.capture.markers.size();
  std::vector<double> sigmas(count, default_sigma);
  recording.wanted_attachments.assign(count, {});
  if (node.has("markers") && !node.is_list("markers")) {
    Node all = node.form("markers");
    const std::optional<WantedAttachment> wanted = read_attachment(all);
    if (!wanted)
      node.reject("markers", "must be a list, or one way to attach all markers", "something else",
                  "write nearest_vertex, nearest_face, or {attach: nearest_face, max_distance: 1 cm}");
    node.ignore("markers");
    recording.wanted_attachments.assign(count, wanted);
    for (const std::string& name : recording.capture.markers) seen.markers.push_back({name, {}});
  } else if (!node.has("markers")) {
    node.ignore("markers");
    if (static_cast<Index>(count) != recording.body.mesh.vertices.cols())
      node.reject("markers", "is required if the numbers of points and particles differ",
                  fmt::format("{} points, {} particles", count, recording.body.mesh.vertices.cols()),
                  "add `markers: [0, …]`, one particle or group for each point");
    for (std::size_t m = 0; m < count; ++m)
      seen.markers.push_back({recording.capture.markers[m], {{static_cast<Index>(m), 1.0}}});
  } else {
    std::vector<Node> items = node.items("markers", "");
    if (items.size() != count)
      node.reject("markers", fmt::format("must have one entry for each of the {} recorded points", count),
                  fmt::format("{}", items.size()),
                  "give the particles of every point, or select points with `columns.points`");
    for (std::size_t m = 0; m < count; ++m) seen.markers.push_back(read_marker(items[m], recording, m, sigmas[m]));
  }
  seen.sigma = Eigen::Map<const Vector>(sigmas.data(), count);
}

/// The standard deviation of each component, which is relative to what this returns; NaN: none is written.
double read_sigma(Node& node, std::optional<double> fallback, Recording& recording) {
  node.document("sigma", "number > 0, or one for each component", "as under `residual`; else the recording's own noise",
                "standard deviation of the recorded numbers; beside `scale`, a number without a unit is in the unit of "
                "the file");
  if (node.describing() || !node.has("sigma")) return fallback.value_or(NAN);
  const std::string& unit = recording.kind->unit;
  const Tree& written = *node.form_tree("sigma");
  if (!node.is_list("sigma"))
    return unit_of_bare(written, recording) * node.number("sigma", unit, "", {}, sim::ValueSign::Positive);
  std::vector<double> each = node.numbers("sigma", unit, "", sim::ValueSign::Positive);
  for (std::size_t a = 0; a < each.size(); ++a) each[a] *= unit_of_bare(written.entries[a], recording);
  const std::vector<std::string>& components = recording.kind->components;
  if (each.size() != components.size())
    node.reject("sigma", fmt::format("must have one number for each of {}", fmt::join(components, ", ")),
                fmt::format("{}", each.size()), "write one number for all, or one for each");
  Points& factor = recording.observation.sigma_factor;
  factor = Points::Ones(3, static_cast<Index>(recording.capture.markers.size()));
  for (std::size_t a = 0; a < each.size(); ++a) factor.row(static_cast<Index>(a)).setConstant(each[a] / each[0]);
  return each[0];
}

/// Of a kind whose settings say what its columns look at.
void reject_markers(Node& node, double sigma, Recording& recording) {
  if (node.is_written("markers"))
    node.reject("markers", "must be omitted for `measurement: " + recording.kind->name + "`", "a list of markers",
                "its settings say which particles each column measures");
  const std::size_t count = recording.capture.markers.size();
  recording.wanted_attachments.assign(count, {});
  recording.observation.sigma = Vector::Constant(static_cast<Index>(count), sigma);
}

/// {mass: {tip: 200 g, rest: 0}}: known parts of values that a parameter adds to.
void read_offsets(Node& node, Recording& recording) {
  Node offsets =
      node.child("value_offsets",
                 "known parts of the values under `system` (with `set`): {mass: {tip: 200 g, rest: 0}}. The parameter "
                 "of that name is the remainder: the model uses offset + parameter, with `multiplier: true` offset + "
                 "parameter · (value − offset). For a known load in addition to `mass`, use `system.payload`");
  offsets.document("VALUE", "per particle []", "optional", "offsets of the value with this name, in its unit");
  if (offsets.describing()) return;
  const sim::Values& values = recording.scenario.model.values();
  for (auto& [name, entry] : offsets.entries("VALUE")) {
    const auto block = values.find(name);
    if (!block || values.block(*block).owner == sim::ValueOwner::Term)
      entry.reject("", "must be a value of particles or springs", "'" + name + "'", "see `pithball list parameters`");
    const sim::ValueBlock& info = values.block(*block);
    const ItemSpace space =
        info.owner == sim::ValueOwner::Spring ? recording.body.springs() : recording.body.particles();
    if (name == "mass" && recording.body.payload.any())
      entry.reject("", "must not be given together with `system.payload`", "both", "keep one of the two");
    recording.offsets[name] = read_per_item(entry, "", {info.unit, ""}, space);
  }
}

InitialStateKind read_initial_state(Node& node) {
  const std::string word =
      node.choice("initial_state", {"from_system", "from_recording", "free", "equilibrium"},
                  "from_system: as under `system`; from_recording: estimated from the first frames, with uncertainty; "
                  "free: fit parameters; equilibrium: the static equilibrium of the model",
                  "from_system");
  return word == "free"          ? InitialStateKind::Free
         : word == "equilibrium" ? InitialStateKind::Equilibrium
         : word == "from_system" ? InitialStateKind::FromSystem
                                 : InitialStateKind::FromRecording;
}

void read_times(Node& node, Recording& recording) {
  auto& seen = recording.observation;
  const char* meaning =
      "simulated time = recorded time + this (default: 0 for from_system and equilibrium; otherwise, and with `part` "
      "or "
      "`frames.after`, the first frame is at 0)";
  const auto offset = node.optional_number("time_offset", "s", meaning);
  if (node.describing()) return;
  const datasets::Capture& capture = recording.capture;
  seen.times.assign(capture.time.data(), capture.time.data() + capture.time.size());
  seen.positions = capture.positions;
  seen.present = capture.present;
  seen.frame_numbers = capture.frame_numbers;
  seen.supposed = capture.constant;
  const auto components = static_cast<Index>(recording.kind->components.size());
  for (Points& frame : seen.positions) frame.bottomRows(3 - components).setConstant(NAN);  // a file may hold more
  const bool starts_with_recording = recording.initial_state == InitialStateKind::Free ||
                                     recording.initial_state == InitialStateKind::FromRecording ||
                                     recording.begins_within;
  double& clock_offset = seen.recording_frame.clock_offset;
  clock_offset = offset.value_or(starts_with_recording ? -seen.times.front() : 0.0);
  // The sum of a recorded time and an offset written for it with nine digits may be off by so much.
  const double rounding = 1e-9 * std::max(std::abs(seen.times.front()), std::abs(clock_offset));
  if (seen.times.front() + clock_offset < -rounding)
    node.reject(
        "time_offset", "must not put a frame before the start of the simulation",
        fmt::format("frames from {:g} to {:g} s", seen.times.front() + clock_offset, seen.times.back() + clock_offset),
        fmt::format("use later frames, or write `time_offset: {:.9g} s` if the body starts with the recording",
                    -seen.times.front()));
}

/// Where there is no recording yet, nothing can be found from it.
void reject_search_of_places(const Node& node, const Recording& recording) {
  for (const std::optional<WantedAttachment>& wanted : recording.wanted_attachments)
    if (wanted)
      node.reject("markers", "must give the particles of markers in a planned recording",
                  wanted->to_face ? "nearest_face" : "nearest_vertex",
                  "write `markers: [0, ring4, …]`, one particle or group for each");
  if (recording.free_recording_frame.to_register)
    node.reject("placement", "must be given for a planned recording", "register: true",
                "write rotation and translation, or omit it");
}

void read_use(Node& node, Recording& recording) {
  const std::string role =
      node.choice("role", {"fit", "validation"},
                  "`validation`: exclude the recording from the fit and report its prediction error", "fit");
  const auto from = node.optional_number(
      "validation_from", "s",
      "frames from this recorded time on are excluded from the fit, and their prediction error is reported");
  if (node.describing()) return;
  if (role == "validation" && from)
    node.reject("validation_from", "must not be given together with `role: validation`", "both", "keep one of the two");
  if (role == "validation") recording.observation.validation_from = -std::numeric_limits<double>::infinity();
  if (from) recording.observation.validation_from = *from;
}

/// A recording of which only the measurement kind is known, of the body without overrides.
Recording begin_recording(Node& node, const Experiment& base) {
  return {"",
          "",
          &read_measurement_kind(node),
          {},
          {},
          {},
          base.scenario,
          base.body,
          InitialStateKind::FromSystem,
          InitialShape::Rigid,
          false,
          {}};
}

/// What simulates the recording: the experiment with its `set:` applied, as long as the recording lasts.
void take_own_experiment(Node& node, const Experiment& base, const ExperimentDocument& document, Recording& recording) {
  require_near_start(node, recording);
  Experiment own = read_own_experiment(node, document, latest_time(recording));
  recording.scenario = std::move(own.scenario);
  recording.scenario.name = recording.name;
  recording.body = std::move(own.body);
  std::ranges::copy_if(own.notes, std::back_inserter(recording.notes), [&](const std::string& note) {
    return std::ranges::find(base.notes, note) == base.notes.end();
  });
  require_overlap(node, recording);
}

}  // namespace

ExperimentDocument own_document(const ExperimentDocument& document, const Tree* set) {
  ExperimentDocument own = document;
  std::erase_if(own.root.entries, [](const Tree& entry) { return entry.key == "fit"; });
  if (set)
    for (const Tree& entry : set->entries) set_at(own.root, entry.key, entry, entry.place.text());
  return own;
}

Recording read_recording(Node node, const Experiment& base, const ExperimentDocument& document,
                         std::optional<double> default_sigma) {
  Recording recording = begin_recording(node, base);
  node.document("set", "{PATH: value}", "optional",
                "keys of this file that have a different value for this recording: {system.mass.tip: 200 g}");
  recording.planned = is_planned(node);
  if (recording.planned) {
    recording.capture = read_planned(node, base);
  } else {
    RecordedMotion motion = read_capture_source(node);
    recording.capture = std::move(motion.capture);
    recording.lead_in = std::move(motion.lead_in);
    recording.rest = std::move(motion.rest);
    recording.begins_within = motion.begins_within;
  }
  if (node.describing()) {
    read_planned(node, base);
    read_split(node);
  }
  recording.name = node.text("name", "name of the recording in tables",
                             node.describing() ? "from the file" : recording.capture.name);
  recording.label =
      node.text("label", "recordings with the same label share every parameter that has `recordings: label`", "");
  recording.initial_state = read_initial_state(node);
  if (recording.planned && recording.initial_state == InitialStateKind::FromRecording)
    node.reject("initial_state", "must be from_system, free or equilibrium for a planned recording", "from_recording",
                "write the start under `system:`");
  read_reference(node, recording);
  read_initial_shape(node, recording);
  read_times(node, recording);
  read_unwrap(node, recording);
  read_weight(node, recording);
  read_clock(node, recording);
  read_placement(node, recording);
  if (!node.describing()) take_own_experiment(node, base, document, recording);
  recording.reading.scale = read_file_unit(node, *recording.kind);
  const bool in_meters = recording.kind == &optim::point_kind();
  const double sigma = read_sigma(node, in_meters ? default_sigma : std::nullopt, recording);
  if (node.describing() || follows_markers(*recording.kind))
    read_markers(node, recording, sigma);
  else
    reject_markers(node, sigma, recording);
  read_instrument(node, recording);
  if (recording.planned) suppose_sigma(recording.observation);
  if (recording.planned) reject_search_of_places(node, recording);
  if (!node.describing()) {
    register_placement(node, recording);
    attach_markers(node, recording);
  }
  recording.reading = read_reading(node, recording);
  recording.answers = read_finding_answers(node);
  mask_filled_samples(node, recording);
  read_offsets(node, recording);
  read_use(node, recording);
  if (!node.describing()) {
    set_initial_state(recording);
    refer_to_rest(node, recording);
  }
  if (recording.planned)
    for (Points& frame : recording.observation.positions) frame.setZero();
  return recording;
}

}  // namespace pithball::app
