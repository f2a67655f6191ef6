#include "app/experiment/optimize_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/experiment/recording/recording_list.hpp"
#include "app/yaml/particle_list.hpp"
#include "app/yaml/quantity.hpp"

namespace pithball::app {
namespace {

constexpr const char* criterion_remedy = "write d, a or {parameter: NAME}";

void read_criterion(Node& node, OptimizeSpec& spec) {
  if (!node.document("criterion", "d, a or {parameter: NAME}", "d",
                     "what the design minimizes. d: the volume of the confidence ellipsoid; a: the mean variance of "
                     "all parameters on their log or scaled axes; parameter: the standard error of one of them"))
    return node.fill("criterion", "d");
  if (node.is_map("criterion")) {
    Node one = node.child("criterion", "");
    spec.parameter = one.text("parameter", "", {});
    return;
  }
  const std::string word = node.text("criterion", "");
  if (word != "d" && word != "a")
    node.reject("criterion", "must be a known criterion", "'" + word + "'", criterion_remedy);
  spec.optimality = word == "a" ? optim::Optimality::A : optim::Optimality::D;
}

/// Selects the recording to be designed: the named one, else the only planned one, else the only recording.
std::size_t read_recording_choice(Node& node, const std::vector<Recording>& recordings) {
  const std::string name =
      node.text("recording", "recording to be designed (default: the only planned one, or the only one)", "");
  if (recordings.empty()) return 0;  // keys are only being documented
  std::vector<std::string> names;
  std::vector<std::size_t> planned;
  for (std::size_t s = 0; s < recordings.size(); ++s) {
    if (recordings[s].name == name) return s;
    names.push_back(recordings[s].name);
    if (recordings[s].planned) planned.push_back(s);
  }
  if (name.empty() && planned.size() == 1) return planned.front();
  if (name.empty() && recordings.size() == 1) return 0;
  node.reject("recording", "must name the recording to be designed", name.empty() ? "none" : "'" + name + "'",
              fmt::format("write one of {}", fmt::join(names, ", ")));
}

/// `recording`: null while keys are only being documented.
void read_marker_choice(Node& node, const Recording* recording, OptimizeSpec& spec) {
  node.document("markers", "as_written", "optional", "keep the markers of the recording instead of choosing them");
  if (node.is_scalar("markers")) {
    node.choice("markers", {"as_written"}, "");
    return;
  }
  Node markers = node.child("markers", "choice of the particles that carry a marker; one set for all recordings");
  const bool can_choose = !recording || recording->kind->follows_markers();
  if (!can_choose) {
    if (node.is_written("markers"))
      node.reject("markers", "must be as_written for `measurement: " + recording->kind->name + "`", "a choice",
                  "its settings say which particles each column measures");
    return;
  }
  const Index own = recording ? static_cast<Index>(recording->observation.markers.size()) : 0;
  spec.markers = markers.integer_or("choose", "number of markers", {"as the recording", own}, 1);
  markers.document("from", "all, or a list of particle numbers and group names", "all",
                   "particles that could carry a marker");
  if (!recording) return;
  const Index count = recording->own.body.mesh.vertices.cols();
  const Tree* from = markers.form_tree("from");
  if (!from || (from->kind == Tree::Kind::Scalar && from->text == "all")) {
    markers.ignore("from");
    for (Index i = 0; i < count; ++i) spec.candidates.push_back(i);
  } else {
    spec.candidates = read_particles(markers, "from", "", count, recording->own.body.vertex_groups);
    std::ranges::sort(spec.candidates);
    spec.candidates.erase(std::unique(spec.candidates.begin(), spec.candidates.end()), spec.candidates.end());
  }
  if (spec.candidates.empty())
    markers.reject("from", "must contain at least one particle", "none", "write `from: all`");
  if (spec.markers > static_cast<Index>(spec.candidates.size()))
    markers.reject("choose", fmt::format("must be at most the {} particles to choose from", spec.candidates.size()),
                   fmt::format("{}", spec.markers), "choose fewer markers, or from more particles");
}

/// Reads a number or a list and sorts it in ascending order; if absent, returns the recording's own value.
std::vector<double> read_values(Node& node, const char* key, const char* unit, const char* meaning, double own) {
  node.document(key, fmt::format("number or list of numbers [{}]", unit), "as the recording", meaning);
  if (!node.is_written(key)) return {own};
  std::vector<double> values;
  if (node.is_list(key))
    values = node.numbers(key, unit, "", sim::ValueSign::Positive);
  else
    values = {node.number(key, unit, "", {}, sim::ValueSign::Positive)};
  if (values.empty()) node.reject(key, "must contain at least one value", "none", "omit it, or list values");
  std::ranges::sort(values);
  return values;
}

void read_frames(Node& node, const Recording* recording, OptimizeSpec& spec) {
  const std::vector<double> times = recording ? recording->observation.times : std::vector<double>{};
  const double own_duration = times.size() > 1 ? times.back() - times.front() : 0;
  const double own_rate = times.size() > 1 ? static_cast<double>(times.size() - 1) / own_duration : 0;
  spec.rates = read_values(node, "rate", "1/s", "frame rates to choose from; each must divide the highest", own_rate);
  spec.durations = read_values(node, "duration", "s", "durations to choose from", own_duration);
  for (const double rate : spec.rates) {
    const double ratio = spec.rates.back() / rate;
    if (std::abs(ratio - std::round(ratio)) > 1e-9 * ratio)
      node.reject("rate", "must contain rates that divide the highest",
                  fmt::format("{:g} and {:g}", rate, spec.rates.back()),
                  "one run at the highest rate serves all others: write [25, 50, 100]");
  }
}

void reject_own_key(const Node& node, const std::string& path) {
  for (const char* section : {"plan", "fit", "scan", "compare"})
    if (path == section || path.rfind(std::string(section) + ".", 0) == 0)
      node.reject("", "must be a key of body, forces or key frames", "'" + path + "'",
                  "write forces.electric_field.uniform: …");
}

void read_axes(Node& node, OptimizeSpec& spec) {
  for (auto& [path, entry] : node.entries_of(
           "over", "{PATH: [value, …]}", "optional",
           "keys of this file and their candidate values, for each recording one of each: release pose, field "
           "strength: {forces.electric_field.uniform: [[0, 0, 1e3], [0, 0, 1e4]]}. Each combination costs one run")) {
    reject_own_key(entry, path);
    if (!entry.is_list() || entry.tree()->entries.empty())
      entry.reject("", "must be a list of at least one value", shown(*entry.tree()),
                   "write system.charge: [3 uC, 6 uC]");
    spec.over.push_back({path, entry.tree()->entries});
  }
}

/// A number and its unit as written: 20 and "kV/m".
struct Written {
  double number = 0;
  std::string unit;
};

std::optional<Written> read_written(const std::string& text) {
  const std::size_t end = text.find_last_of("0123456789.", text.find(' '));
  if (end == std::string::npos) return std::nullopt;
  const std::size_t space = text.find(' ');
  const std::optional<double> number = read_plain_number(text.substr(0, space));
  if (!number || !std::isfinite(*number)) return std::nullopt;
  return Written{*number, space == std::string::npos ? "" : text.substr(text.find_first_not_of(' ', space))};
}

void collect_numbers(const Node& node, const Tree& tree, DesignVariable& variable) {
  for (const Tree& entry : tree.entries) collect_numbers(node, entry, variable);
  if (tree.kind == Tree::Kind::List) return;
  const std::optional<Written> own = tree.kind == Tree::Kind::Scalar ? read_written(tree.text) : std::nullopt;
  if (!own || (own->unit != variable.unit && own->number != 0))
    node.reject("", "must be the path of numbers in the unit of the bounds, '" + variable.unit + "'", shown(tree),
                "write value and bounds in one unit");
  if (own->number < variable.min || own->number > variable.max)
    node.reject("", "must have bounds that contain the value in the file", tree.text, "widen `min` or `max`");
  variable.start.push_back(own->number);
}

void read_variables(Node& node, const ExperimentDocument& document, OptimizeSpec& spec) {
  for (auto& [path, entry] : node.entries_of(
           "vary", "{PATH: {min, max}}", "optional",
           "keys of this file whose numbers vary continuously: {key_frames.0.electric_field.values: {min: -2 kV/m, "
           "max: 2 kV/m}}. The search starts at the values in the file, which have the unit of the bounds")) {
    reject_own_key(entry, path);
    const std::string min = entry.text("min", "", {}), max = entry.text("max", "", {});
    const std::optional<Written> low = read_written(min), high = read_written(max);
    if (!low || !high || low->unit != high->unit || !(low->number < high->number))
      entry.reject("", "must have bounds min < max in one unit", min + " and " + max,
                   "write {min: -2 kV/m, max: 2 kV/m}");
    const Tree* written = find_at(document.root, path);
    if (!written)
      entry.reject("", "must be a key that this file contains, with numbers in the paths of lists", "'" + path + "'",
                   "write its value, from which the search starts");
    DesignVariable variable{path, *written, low->unit, low->number, high->number, {}};
    collect_numbers(entry, *written, variable);
    spec.vary.push_back(std::move(variable));
  }
}

void read_budget(Node& node, OptimizeSpec& spec) {
  Node budget = node.child("budget", "what the design may use; a recording costs its number of frames");
  const Index frames =
      budget.integer("frames", "most frames of all designed recordings together (default: no limit)", 0);
  spec.recordings = budget.integer("recordings", "most designed recordings", 1, 1);
  if (frames > 0) spec.frames = frames;
  const double cheapest = count_frames(spec.rates.front(), spec.durations.front());
  if (frames > 0 && cheapest > static_cast<double>(frames))
    budget.reject("frames", "must admit at least one recording",
                  fmt::format("{}; the shortest needs {:g}", frames, cheapest),
                  "allow more frames, or list lower rates and shorter durations");
}

void read_all(Node& node, const ExperimentDocument& document, const std::vector<Recording>& recordings,
              OptimizeSpec& spec) {
  read_criterion(node, spec);
  spec.recording = read_recording_choice(node, recordings);
  const Recording* recording = recordings.empty() ? nullptr : &recordings[spec.recording];
  read_marker_choice(node, recording, spec);
  read_frames(node, recording, spec);
  read_axes(node, spec);
  read_variables(node, document, spec);
  read_budget(node, spec);
}

constexpr const char* optimize_meaning =
    "the search of `pithball plan --optimize` for a design with small standard errors";

}  // namespace

OptimizeSpec read_optimize(const ExperimentDocument& document, const FitSpec& spec) {
  OptimizeSpec optimize;
  Reading reading(Tree(document.root), document.folder, document.inputs);
  Node root = reading.root();
  Node plan = root.child("plan", "");
  Node node = plan.child("optimize", optimize_meaning);
  read_all(node, document, spec.recordings, optimize);
  node.reject_unknown_keys();
  return optimize;
}

void describe_optimize(Node& plan) {
  Node node = plan.child("optimize", optimize_meaning);
  OptimizeSpec unused;
  read_all(node, {}, {}, unused);
}

namespace {

/// Whether a key of an existing recording also applies to a designed recording.
bool is_kept(const std::string& key) {
  constexpr std::array kept{"label", "set",  "initial_state", "measurement", "placement", "clock",
                            "sigma", "role", "value_offsets", "reference",   "weight"};
  return std::ranges::find(kept, key) != kept.end();
}

/// Writes the noise of the existing recording into the designed one, which has no data to infer it from.
void keep_sigma(const Recording& written, Tree& item) {
  const optim::Observation& seen = written.observation;
  if (item.find("sigma") || seen.noise.sigma.size() == 0 || seen.noise.origin == optim::SigmaOrigin::Guess) return;
  const bool is_own =
      seen.noise.origin == optim::SigmaOrigin::Tracks || seen.noise.sigma.minCoeff() < seen.noise.sigma.maxCoeff();
  if (!is_own) return;
  const double rms = std::sqrt(seen.noise.sigma.squaredNorm() / static_cast<double>(seen.noise.sigma.size()));
  put(item, "sigma", make_scalar(fmt::format("{:.6g}", rms)));
}

Tree designed_item(const Tree& written, const Recording& recording, const DesignedRecording& designed) {
  Tree item = written;
  item.key.clear();
  if (!recording.planned) std::erase_if(item.entries, [](const Tree& entry) { return !is_kept(entry.key); });
  keep_sigma(recording, item);
  put(item, "name", quoted_scalar(designed.name));
  Tree planned = empty_tree(Tree::Kind::Map);
  put(planned, "rate", make_scalar(fmt::format("{:.12g}", designed.rate)));
  put(planned, "duration", make_scalar(fmt::format("{:.12g}", designed.duration)));
  put(item, "planned", std::move(planned));
  if (!designed.markers.empty()) {
    Tree markers = empty_tree(Tree::Kind::List);
    for (const Index particle : designed.markers) markers.entries.push_back(make_scalar(std::to_string(particle)));
    put(item, "markers", std::move(markers));
  } else if (const Tree* markers = written.find("markers")) {
    put(item, "markers", *markers);
  }
  if (!designed.set.empty()) {
    Tree set = item.find("set") ? *item.find("set") : empty_tree(Tree::Kind::Map);
    for (const auto& [path, value] : designed.set) put(set, path, value);
    put(item, "set", std::move(set));
  }
  return item;
}

Tree replaced_numbers(const Tree& tree, const std::string& unit, const double*& next) {
  if (tree.kind != Tree::Kind::List) {
    Tree value = make_scalar(fmt::format("{:.9g}{}{}", *next++, unit.empty() ? "" : " ", unit));
    value.place = tree.place;
    return value;
  }
  Tree list = tree;
  for (Tree& entry : list.entries) entry = replaced_numbers(entry, unit, next);
  return list;
}

}  // namespace

ExperimentDocument design_document(const ExperimentDocument& document, const FitSpec& written,
                                   const OptimizeSpec& optimize, const std::vector<DesignedRecording>& recordings,
                                   bool without_files) {
  ExperimentDocument own = document;
  std::erase_if(own.root.entries, [](const Tree& entry) { return entry.key == "plan"; });
  Tree& list = *own.root.find("fit")->find("recordings");
  std::vector<Tree> items;
  for (std::size_t s = 0; s < list.entries.size(); ++s)
    if (s == optimize.recording)
      for (const DesignedRecording& designed : recordings)
        items.push_back(designed_item(list.entries[s], written.recordings[s], designed));
    else if (!without_files || written.recordings[s].planned)
      items.push_back(list.entries[s]);
  list.entries = std::move(items);
  return own;
}

Tree with_numbers(const DesignVariable& variable, const double* numbers) {
  return replaced_numbers(variable.written, variable.unit, numbers);
}

}  // namespace pithball::app
