#include "app/experiment/recording/recording_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include "app/experiment/recording/capture_source.hpp"
#include "app/experiment/recording/measurement_spec.hpp"
#include "app/yaml/file_name.hpp"
#include "app/yaml/include.hpp"
#include "app/yaml/nearest.hpp"
#include "app/yaml/quantity.hpp"
#include "sim/core/checked_product.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

/// One part of a file: its name, and the keys that select it.
struct FilePart {
  std::string label;
  Tree keys;
};

Tree keyed(std::string key, Tree value) {
  value.key = std::move(key);
  return value;
}

Tree mapping(std::vector<Tree> entries) {
  Tree map;
  map.kind = Tree::Kind::Map;
  map.entries = std::move(entries);
  return map;
}

/// Sets the position of generated nodes to that of `split:`, for messages.
void place_at(const Place& place, Tree& tree) {
  tree.place = tree.key_place = place;
  for (Tree& entry : tree.entries) place_at(place, entry);
}

std::vector<FilePart> split_by_column(Node& recording, Node& split) {
  const std::string column = split.text("column", "column of a table: one recording for each of its values");
  const std::string file = read_file_name(recording, "file", "").string();
  const Index header_line = recording.integer("header_line", "", 1);
  std::vector<FilePart> parts;
  for (const datasets::Segment& segment :
       split.located("column", [&] { return datasets::list_segments(file, column, header_line); }))
    parts.push_back({segment.value, mapping({keyed("rows", mapping({keyed(column, quoted_scalar(segment.value))}))})});
  return parts;
}

/// Returns frames [begin, end) of a capture as a part of the file.
FilePart part_between(const datasets::Capture& capture, Index begin, Index end, std::size_t number) {
  const auto time = [&](Index f) { return make_scalar(fmt::format("{}", capture.time[f])); };
  return {std::to_string(number),
          mapping({keyed("part", mapping({keyed("from", time(begin)), keyed("to", time(end - 1))}))})};
}

/// Returns the parts that begin at these frames.
std::vector<FilePart> parts_from(const datasets::Capture& capture, const std::vector<Index>& begins) {
  std::vector<FilePart> parts;
  for (std::size_t k = 0; k < begins.size(); ++k)
    parts.push_back(part_between(capture, begins[k], k + 1 < begins.size() ? begins[k + 1] : capture.frames(), k));
  return parts;
}

double read_gap(Node& split) {
  return split.number_or("gap", "s",
                         "a new recording begins after each interval longer than this in which no marker is present",
                         {"instead of column", {}}, sim::ValueSign::Positive);
}

std::vector<FilePart> split_at_gaps(Node& recording, Node& split) {
  const double gap = read_gap(split);
  const datasets::Capture capture = read_whole_file(recording);
  std::vector<Index> begins;
  double seen = -std::numeric_limits<double>::infinity();  // time of the last frame with a marker
  for (Index f = 0; f < capture.frames(); ++f) {
    if (std::ranges::find(capture.present[f], true) == capture.present[f].end()) continue;
    if (capture.time[f] - seen > gap) begins.push_back(f);
    seen = capture.time[f];
  }
  return parts_from(capture, begins);
}

/// A motion with which a new recording begins.
struct Trigger {
  Node node;
  Excursion excursion;
  double still, before;  ///< [s]
};

Trigger read_trigger(Node& recording, Node& split) {
  Node trigger = split.child("trigger",
                             "a new recording begins when a marker moves farther from its rest than a distance: "
                             "{marker: tip, farther_than: 2 cm, still: 1 s, before: 0.2 s}");
  const double file_unit = trigger.tree() ? read_file_unit(recording, read_measurement_kind(recording)) : 1;
  Excursion excursion = read_excursion(trigger, file_unit);
  const double still = trigger.number(
      "still", "s", "minimum time that the marker must stay within this distance before the next trigger", {},
      sim::ValueSign::Positive);
  const double before = trigger.number("before", "s", "time before the trigger that belongs to the recording", 0.0,
                                       sim::ValueSign::NonNegative);
  return {std::move(trigger), std::move(excursion), still, before};
}

std::vector<FilePart> split_by_trigger(Node& recording, Node& split) {
  const auto [trigger, excursion, still, before] = read_trigger(recording, split);
  trigger.reject_unknown_keys();
  const datasets::Capture capture = read_whole_file(recording);
  const std::optional<RestFrames> rest = read_rest_frames(recording);
  if (!rest) trigger.reject("", "requires `rest_frames`", "none", "write `rest_frames: {first: 30}` in the recording");
  const std::vector<bool> beyond = excursion.frames_beyond(trigger, capture, rest->mean(capture));
  std::vector<Index> begins;
  double last = -std::numeric_limits<double>::infinity();  // last time at which the marker was beyond the limit
  for (Index f = 0; f < capture.frames(); ++f) {
    if (!beyond[f]) continue;
    if (capture.time[f] - last >= still) {
      Index begin = f;
      while (begin > 0 && capture.time[begin - 1] >= capture.time[f] - before && !beyond[begin - 1]) --begin;
      begins.push_back(begin);
    }
    last = capture.time[f];
  }
  return parts_from(capture, begins);
}

std::vector<FilePart> find_parts(Node& recording, Node& split) {
  if (split.describing()) {
    split.document("column", "column name", "one of column, gap and trigger",
                   "of a table: one recording for each value of this column");
    read_gap(split);
    read_trigger(recording, split);
    return {};
  }
  const std::vector<std::string> kinds{"column", "gap", "trigger"};
  std::vector<std::string> written;
  for (const std::string& kind : kinds)
    if (split.is_written(kind)) written.push_back(kind);
  if (written.size() != 1)
    split.reject("", "must have one of column, gap and trigger", written.empty() ? "none" : joined(written),
                 "write split: {column: ID}");
  std::vector<FilePart> parts = written.front() == "column" ? split_by_column(recording, split)
                                : written.front() == "gap"  ? split_at_gaps(recording, split)
                                                            : split_by_trigger(recording, split);
  if (parts.empty())
    split.reject(written.front(), "must find at least one part of the file", "none", "see `pithball data show FILE`");
  return parts;
}

bool is_called(const std::string& word, const std::string& label) {
  const auto a = read_plain_number(word), b = read_plain_number(label);
  return word == label || (a && b && *a == *b);
}

/// Returns which parts are named in the list of this key; rejects unknown names.
std::vector<bool> named_parts(Node& split, const char* key, const std::vector<FilePart>& parts) {
  std::vector<bool> named(parts.size(), false);
  std::vector<std::string> labels;
  for (const FilePart& part : parts) labels.push_back(part.label);
  for (const std::string& word : split.texts(key, "")) {
    const auto found = std::ranges::find_if(labels, [&](const std::string& label) { return is_called(word, label); });
    if (found == labels.end())
      split.reject(key, "must name parts of the file", "'" + word + "'", "parts are " + joined(labels));
    named[found - labels.begin()] = true;
  }
  return named;
}

/// Returns the list item of one part.
Tree item_of(const Tree& item, const FilePart& part, bool validation) {
  const Tree& split = *item.find("split");
  std::vector<Tree> keys = part.keys.entries;
  const Tree* name = item.find("name");
  const Tree* file = item.find(item.find("file") ? "file" : "mesh_sequence");
  const Tree* path = file ? file->find("path") : nullptr;
  const std::string stem = std::filesystem::path(path ? path->text : file ? file->text : "").stem().string();
  keys.push_back(keyed("name", quoted_scalar(fmt::format("{} #{}", name ? name->text : stem, part.label))));
  if (validation) keys.push_back(keyed("role", make_scalar("validation")));
  Tree own = mapping(std::move(keys));
  place_at(split.place, own);
  own.place = item.place;
  Tree rest = item;
  std::erase_if(rest.entries, [](const Tree& entry) { return entry.key == "split"; });
  return merged(std::move(rest), own);
}

}  // namespace

std::vector<Tree> read_split(Node& recording) {
  Node split = recording.child("split", "divides a file into several recordings (docs/experiment_files.md)");
  const std::vector<FilePart> parts = find_parts(recording, split);
  const bool selects =
      split.document("select", "list", "all", "parts to use: values of the column, or numbers counted from 0");
  const bool skips = split.document("skip", "list", "none", "parts to leave out");
  const bool judges = split.document("validation", "list", "none", "parts with `role: validation`");
  const std::vector<bool> none(parts.size(), false);
  const std::vector<bool> selected =
      selects ? named_parts(split, "select", parts) : std::vector<bool>(parts.size(), true);
  const std::vector<bool> skipped = skips ? named_parts(split, "skip", parts) : none;
  const std::vector<bool> judged = judges ? named_parts(split, "validation", parts) : none;
  split.reject_unknown_keys();
  std::vector<Tree> items;
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (selected[k] && !skipped[k]) items.push_back(item_of(*recording.tree(), parts[k], judged[k]));
  return items;
}

namespace {

constexpr const char* defaults_key = "recording_defaults";

/// Finds the list `fit.recordings` of a document; null if it is absent or malformed.
Tree* find_list(Tree& root) {
  Tree* fit = root.find("fit");
  Tree* list = fit ? fit->find("recordings") : nullptr;
  return list && list->kind == Tree::Kind::List ? list : nullptr;
}

void lay_over_defaults(Tree& root, Tree& list) {
  Tree& fit = *root.find("fit");
  const Tree* defaults = fit.find(defaults_key);
  if (!defaults) return;
  if (defaults->kind != Tree::Kind::Map && defaults->kind != Tree::Kind::Null)
    throw InvalidArgument({defaults->place.text(), std::string("fit.") + defaults_key, "must be a mapping of keys",
                           shown(*defaults), "write keys of a recording below it"});
  for (Tree& item : list.entries) {
    Tree whole = merged(*defaults, item);
    whole.key.clear();
    item = std::move(whole);
  }
  std::erase_if(fit.entries, [](const Tree& entry) { return entry.key == defaults_key; });
}

bool splits(const Tree& item) { return item.find("split") != nullptr; }

}  // namespace

ExperimentDocument with_whole_recordings(const ExperimentDocument& document) {
  ExperimentDocument whole = document;
  Tree* list = find_list(whole.root);
  if (!list) return whole;
  lay_over_defaults(whole.root, *list);
  list = find_list(whole.root);
  if (std::ranges::none_of(list->entries, splits)) return whole;
  Reading reading(whole.root, whole.folder, whole.inputs);
  std::vector<Tree> items;
  for (Node& item : reading.root().form("fit").items("recordings", "")) {
    if (splits(*item.tree()))
      std::ranges::move(read_split(item), std::back_inserter(items));
    else
      items.push_back(*item.tree());
  }
  list->entries = std::move(items);
  return whole;
}

void describe_recording_defaults(Node& fit) {
  fit.document(defaults_key, "as `fit.recordings[]`", "optional",
               "default keys for all recordings; a recording's own keys override them; mappings are merged key by key");
}

namespace {

/// Finds the list with an entry for each marker; null if there is none.
const Tree* find_channels(const Node& recording) {
  const Tree* measurement = recording.form_tree("measurement");
  if (measurement && measurement->kind == Tree::Kind::Map && measurement->entries.size() == 1)
    for (const char* list : {"between", "segments"})
      if (const Tree* channels = measurement->entries.front().find(list)) return channels;
  return recording.form_tree("markers");
}

}  // namespace

bool is_planned(const Node& recording) { return recording.is_written("planned"); }

// The last frame is counted even if rounding of the decimal duration puts it past the end.
double count_frames(double rate, double duration) { return std::floor(duration * rate * (1 + 1e-9)) + 1; }

datasets::Capture read_planned(Node& recording, Index particles) {
  for (const char* made : {"file", "mesh_sequence"})
    if (recording.is_written(made))
      recording.reject("planned", fmt::format("must not be given together with `{}`", made), "both",
                       "a recording has either a file or is planned");
  Node planned =
      recording.child("planned", "instead of `file`, for `plan` and `identify`: a recording that does not exist yet");
  const double rate = planned.number("rate", "1/s", "frames per second", {}, sim::ValueSign::Positive);
  const double duration =
      planned.number("duration", "s", "duration of the recording, from the start", {}, sim::ValueSign::Positive);
  const double last = count_frames(rate, duration) - 1;
  if (!(last >= 1) || last > 1e7)
    planned.reject("duration", "must have 2 to 10 million frames", fmt::format("{:g}", last + 1),
                   "change duration or rate");
  datasets::Capture capture;
  capture.name = "planned";
  const Tree* markers = find_channels(recording);
  const bool is_list = markers && markers->kind == Tree::Kind::List;
  const std::size_t count = is_list ? markers->entries.size() : static_cast<std::size_t>(particles);
  for (std::size_t m = 0; m < count; ++m) {
    const Tree* item = is_list ? &markers->entries[m] : nullptr;
    capture.markers.push_back(item && item->kind == Tree::Kind::Scalar ? item->text : fmt::format("{}", m));
  }
  const auto frames = static_cast<std::size_t>(last) + 1;
  constexpr std::size_t most_samples = 50'000'000;
  if (!checked_product(std::array{frames, count}, most_samples))
    planned.reject("duration", fmt::format("must have at most {} marker samples", most_samples),
                   fmt::format("{} frames of {} markers", frames, count), "change duration or rate, or choose markers");
  capture.time = Vector::LinSpaced(frames, 0, last / rate);
  capture.positions.assign(frames, Points::Constant(3, count, std::numeric_limits<double>::quiet_NaN()));
  capture.present.assign(frames, std::vector<bool>(count, true));
  return capture;
}

}  // namespace pithball::app
