#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "app/commands/command.hpp"
#include "app/commands/mesh.hpp"
#include "app/experiment/experiment.hpp"
#include "app/experiment/experiment_file.hpp"
#include "app/experiment/recording/capture_source.hpp"
#include "app/experiment/recording/measurement_spec.hpp"
#include "datasets/capture/capture_difference.hpp"
#include "datasets/capture/capture_format.hpp"
#include "optim/screening/sample_findings.hpp"
#include "optim/screening/track_samples.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct ShowOptions {
  std::string file, format, scale, against;
  double rate = 0;
  bool yaml = false;
};

Tree scalar(std::string key, std::string text, bool quoted = true) {
  Tree tree;
  tree.kind = Tree::Kind::Scalar;
  tree.key = std::move(key);
  tree.text = std::move(text);
  tree.quoted = quoted;
  return tree;
}

/// Returns the keys of a recording given on the command line: by `--set`, and by the options for the most frequent
/// keys.
ExperimentDocument recording_of(const std::string& file, const ShowOptions& wanted, const CommonOptions& options) {
  ExperimentDocument document{empty_tree(Tree::Kind::Map), fs::current_path()};
  document.keys = &experiment_key_schema();
  std::error_code ignored;
  document.root.entries.push_back(scalar(fs::is_directory(file, ignored) ? "mesh_sequence" : "file", file));
  if (!wanted.format.empty()) document.root.entries.push_back(scalar("format", wanted.format));
  if (wanted.rate > 0) document.root.entries.push_back(scalar("rate", fmt::format("{}", wanted.rate), false));
  if (!wanted.scale.empty()) document.root.entries.push_back(scalar("scale", wanted.scale, false));
  apply_set(options, document);
  return document;
}

/// Returns an experiment with only this recording.
ExperimentDocument as_experiment(const ExperimentDocument& recording) {
  ExperimentDocument document = recording;
  Tree fit = empty_tree(Tree::Kind::Map), list = empty_tree(Tree::Kind::List);
  fit.key = "fit";
  list.key = "recordings";
  list.entries.push_back(recording.root);
  fit.entries.push_back(std::move(list));
  document.root = empty_tree(Tree::Kind::Map);
  document.root.entries.push_back(std::move(fit));
  return document;
}

ordered_json to_json(const std::string& file, const datasets::CaptureDifference& difference) {
  return {{"file", file},
          {"samples", difference.samples},
          {"missing_in_both", difference.missing_in_both},
          {"missing_in_one", difference.missing_in_one},
          {"largest_difference", difference.largest},
          {"marker", difference.marker.empty() ? ordered_json() : ordered_json(difference.marker)},
          {"time", difference.marker.empty() ? ordered_json() : ordered_json(difference.time)},
          {"largest_time_difference", difference.largest_time_difference}};
}

std::string to_text(const std::string& file, const datasets::CaptureDifference& difference) {
  std::string text = fmt::format("against {}: {} samples in both, {} missing in both, {} in one; ", file,
                                 difference.samples, difference.missing_in_both, difference.missing_in_one);
  if (difference.largest_time_difference > 0)
    text += fmt::format("times differ by up to {:.3g} s; ", difference.largest_time_difference);
  if (difference.marker.empty()) return text + "all samples are equal\n";
  return text + fmt::format("the largest difference is {:.3g} m (marker '{}' at {:g} s)\n", difference.largest,
                            difference.marker, difference.time);
}

/// "50 frames per second"; empty if there is only one frame.
std::string say_rate(const datasets::FrameRate& found) {
  if (found.rate == 0) return "";
  return fmt::format(", {}{:.6g} frames per second{}", found.even ? "" : "about ", found.rate,
                     found.even ? "" : " at uneven intervals");
}

/// The range of a recording's samples, and the number of missing ones.
struct Contents {
  std::vector<std::size_t> missing;  ///< by marker
  std::size_t all_missing = 0;
  Eigen::Vector3d low = Eigen::Vector3d::Constant(INFINITY), high = -low;  ///< ±∞ for a coordinate without samples

  explicit Contents(const datasets::Capture& capture) : missing(capture.markers.size(), 0) {
    for (std::size_t f = 0; f < capture.positions.size(); ++f)
      for (std::size_t m = 0; m < capture.markers.size(); ++m)
        if (capture.present[f][m]) {
          for (Index a = 0; a < 3; ++a) {  // fmin and fmax ignore NaN
            low[a] = std::fmin(low[a], capture.positions[f](a, static_cast<Index>(m)));
            high[a] = std::fmax(high[a], capture.positions[f](a, static_cast<Index>(m)));
          }
        } else {
          ++missing[m];
          ++all_missing;
        }
  }

  std::string say_ranges(const optim::MeasurementKind& kind) const {
    std::string text;
    for (std::size_t a = 0; a < kind.components.size(); ++a) {
      const auto row = static_cast<Index>(a);
      text += fmt::format("{}{} ", a == 0 ? "  " : ", ", kind.components[a]);
      text += low[row] <= high[row] ? fmt::format("{:.6g} … {:.6g} {}", low[row], high[row], kind.unit)
                                    : std::string("not recorded");
    }
    return text + "\n";
  }
};

/// A recording to be shown: its samples, and how they were read.
struct Shown {
  Tree keys;  ///< the given keys, and those for the columns found
  const optim::MeasurementKind* kind = nullptr;
  std::string format;
  datasets::Capture capture;
  std::optional<datasets::TableLayout> layout;  ///< for tables only
};

/// Frames missing between those that were read, because the file lacks them or `frames:` omits them. They are found by
/// their numbers if the file has such a column, otherwise by the usual interval between frames.
class AbsentFrames {
 public:
  AbsentFrames(const datasets::Capture& capture, const datasets::FrameRate& found) {
    constexpr std::size_t most_listed = 1000;  // numbers in a file may be arbitrarily far apart
    const std::vector<Index>& own = capture.frame_numbers;
    for (std::size_t f = 1; f < own.size(); ++f) {
      count_ += static_cast<std::size_t>(std::max<Index>(0, own[f] - own[f - 1] - 1));
      for (Index number = own[f - 1] + 1; number < own[f] && count_ <= most_listed; ++number)
        numbers_.push_back(number);
    }
    if (count_ > numbers_.size()) numbers_.clear();
    if (count_ > 0 || !(found.rate > 0)) return;
    for (Index f = 1; f < capture.frames(); ++f)
      count_ += std::max(0LL, std::llround((capture.time[f] - capture.time[f - 1]) * found.rate) - 1);
  }
  std::size_t count() const { return count_; }
  /// Returns a line that lists their numbers, if the file has them; empty if no frames are missing.
  std::string say() const {
    if (count_ == 0) return "";
    return fmt::format("  {} frame{} between these {} not read{}\n", count_, count_ == 1 ? "" : "s",
                       count_ == 1 ? "is" : "are", numbers_.empty() ? "" : ": " + optim::say_frames(numbers_));
  }

 private:
  std::vector<Index> numbers_;  ///< empty if the file has none, or if there are too many to list
  std::size_t count_ = 0;
};

/// Adds the layout found in a table below `columns:`, except for keys that were given.
void add_columns(const datasets::TableLayout& layout, const std::vector<std::string>& markers, Tree& keys) {
  Tree* columns = keys.find("columns");
  if (!columns || columns->kind != Tree::Kind::Map) {
    std::erase_if(keys.entries, [](const Tree& entry) { return entry.key == "columns"; });
    keys.entries.push_back(empty_tree(Tree::Kind::Map));
    columns = &keys.entries.back();
    columns->key = "columns";
  }
  for (const auto& [key, name] : {std::pair("time", layout.time), {"frame", layout.frame}, {"marker", layout.marker}})
    if (!name.empty() && !columns->find(key)) columns->entries.push_back(scalar(key, name));
  if (columns->find("points")) return;
  Tree points = empty_tree(Tree::Kind::List);
  points.key = "points";
  for (const auto& words : layout.points) {
    points.entries.push_back(empty_tree(Tree::Kind::List));
    for (const std::string& word : words) points.entries.back().entries.push_back(scalar("", word, word != "none"));
  }
  columns->entries.push_back(std::move(points));
  if (columns->find("names") || layout.points.size() != markers.size()) return;
  Tree names = empty_tree(Tree::Kind::List);
  names.key = "names";
  for (const std::string& name : markers) names.entries.push_back(scalar("", name));
  columns->entries.push_back(std::move(names));
}

Shown read_shown(const std::string& file, const ShowOptions& wanted, const CommonOptions& options) {
  const ExperimentDocument document = recording_of(file, wanted, options);
  reject_unlisted_keys(as_experiment(document));
  Shown shown;
  shown.keys = document.root;
  Reading reading(document.root, document.folder, document.inputs);
  Node root = reading.root();
  shown.kind = &read_measurement_kind(root);
  shown.layout = read_table_layout(root);
  shown.capture = read_capture_source(root).capture;
  const Tree* format = root.filled("format");
  shown.format = format ? format->text : datasets::find_capture_format(file).name;
  if (shown.layout) {
    if (!shown.keys.find("format") && shown.layout->marker.empty())
      shown.keys.entries.push_back(scalar("format", "table", false));
    add_columns(*shown.layout, shown.capture.markers, shown.keys);
  }
  return shown;
}

/// Returns the findings of the screening that need only the samples, not a body.
std::vector<optim::Finding> find_in(const Shown& shown) {
  return optim::find_in_samples(observe(shown.capture, *shown.kind), shown.capture.file_scale);
}

/// Returns the keys as an item of `fit.recordings`, with its indentation. Keys that need a body, and keys that respond
/// to findings, are commented out, because nothing is masked without consent.
std::string recording_block(const Tree& keys, const datasets::Capture& capture,
                            const std::vector<optim::Finding>& findings) {
  std::string block;
  const std::string text = to_yaml(keys);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    block += (block.empty() ? "    - " : "      ") + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  constexpr std::size_t most_listed = 12;
  if (!keys.find("markers") && capture.markers.size() <= most_listed)
    block += fmt::format("      # markers: [{}]  # instead of each name its particle, by number or group\n",
                         fmt::join(capture.markers, ", "));
  for (const optim::Finding& finding : findings)
    if (!finding.key.empty()) block += fmt::format("      # {}  # {}\n", finding.key, finding.sentence);
  return block;
}

std::string say_columns(const datasets::TableLayout& layout) {
  constexpr std::size_t most = 40;
  std::size_t width = 0;
  for (const datasets::ColumnUse& column : layout.columns) width = std::max(width, column.name.size() + 2);
  std::string text = "  columns:\n";
  for (std::size_t k = 0; k < std::min(most, layout.columns.size()); ++k) {
    const datasets::ColumnUse& column = layout.columns[k];
    text += fmt::format("    #{:<3} {:<{}}  {}{}\n", k + 1, "'" + column.name + "'", width, column.meaning,
                        column.is_used ? "" : " (not used)");
  }
  if (layout.columns.size() > most) text += fmt::format("    … {} in all\n", layout.columns.size());
  return text;
}

ordered_json columns_json(const datasets::TableLayout& layout) {
  ordered_json columns = ordered_json::array();
  for (const datasets::ColumnUse& column : layout.columns)
    columns.push_back({{"name", column.name}, {"meaning", column.meaning}, {"used", column.is_used}});
  return columns;
}

int show_mesh(const std::string& file, const CommonOptions& options) {
  const MeshDescription description = describe_mesh_file(file);
  print_result(options, description.json, description.text);
  return Done;
}

int show_capture(const ShowOptions& wanted, const CommonOptions& options) {
  const Shown shown = read_shown(wanted.file, wanted, options);
  const datasets::Capture& capture = shown.capture;
  const Contents contents(capture);
  const datasets::FrameRate found = datasets::find_frame_rate(capture.time);
  const AbsentFrames absent(capture, found);
  const double first = capture.time[0], last = capture.time[capture.frames() - 1];
  std::string text =
      fmt::format("{}: {}\n  {} frames from {:g} s to {:g} s{}, {} markers, {} of {} samples missing\n", wanted.file,
                  shown.format, capture.frames(), first, last, say_rate(found), capture.markers.size(),
                  contents.all_missing, capture.frames() * capture.markers.size()) +
      absent.say() + contents.say_ranges(*shown.kind);
  if (shown.layout) text += say_columns(*shown.layout);
  ordered_json markers = ordered_json::array();
  for (std::size_t m = 0; m < capture.markers.size(); ++m) {
    const std::size_t missing = contents.missing[m];
    markers.push_back({{"name", capture.markers[m]}, {"missing", missing}});
    text +=
        fmt::format("  {:>4} {}{}\n", m, capture.markers[m], missing > 0 ? fmt::format(" ({} missing)", missing) : "");
  }
  const std::vector<optim::Finding> findings = find_in(shown);
  ordered_json found_json = ordered_json::array();
  for (const optim::Finding& finding : findings) {
    found_json.push_back({{"kind", optim::to_string(finding.kind)},
                          {"fault", optim::is_fault(finding.kind)},
                          {"marker", finding.marker},
                          {"frames", finding.frames},
                          {"sentence", finding.sentence},
                          {"key", finding.key}});
    text += fmt::format("  {}: {}{}\n", optim::is_fault(finding.kind) ? "finding" : "remark", finding.sentence,
                        finding.key.empty() ? "" : fmt::format("; `{}`", finding.key));
  }
  const std::vector<std::string>& notes = capture.notes;
  for (const std::string& note : notes) text += fmt::format("  note: {}\n", note);
  ordered_json result{{"file", wanted.file},
                      {"format", shown.format},
                      {"measurement", shown.kind->name},
                      {"unit", shown.kind->unit},
                      {"frames", capture.frames()},
                      {"first_time", first},
                      {"last_time", last},
                      {"rate", found.rate > 0 ? ordered_json(found.rate) : ordered_json()},
                      {"missing", contents.all_missing},
                      {"absent_frames", absent.count()},
                      {"markers", markers},
                      {"columns", shown.layout ? columns_json(*shown.layout) : ordered_json::array()},
                      {"findings", found_json},
                      {"notes", notes},
                      {"yaml", recording_block(shown.keys, capture, findings)}};
  if (wanted.yaml) text = recording_block(shown.keys, capture, findings);
  if (!wanted.against.empty()) {
    ShowOptions other = wanted;
    other.format.clear();
    const datasets::CaptureDifference difference =
        datasets::compare_captures(capture, read_shown(wanted.against, other, options).capture);
    result["against"] = to_json(wanted.against, difference);
    text += to_text(wanted.against, difference);
  }
  print_result(options, result, text);
  return Done;
}

}  // namespace

Action declare_data_show(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<ShowOptions>();
  parser.add_option("FILE", wanted->file, "A recording or a mesh, in a format of `pithball list formats`")->required();
  parser.add_option("--format", wanted->format, "Override the detected format");
  parser.add_option("--rate", wanted->rate, "Frames per second, if the file does not specify times")
      ->check(number_within(1e-9, 1e12));
  parser.add_option("--scale", wanted->scale,
                    "Length of one unit of the file, if the file does not specify it: '1 mm'");
  add_set(parser, *options);
  parser.add_flag("--yaml", wanted->yaml,
                  "Print the recording as an item of `fit.recordings`, with all keys that read the file as shown");
  parser.add_option("--against", wanted->against,
                    "Another recording of the same trial, in any format; the differences are printed");
  add_printing(parser, *options);
  parser.footer(help_footer(
      "  pithball data show walk.c3d\n  pithball data show walk.c3d --against walk.csv\n  pithball data show "
      "tracks.npy "
      "--rate 100\n  pithball data show lab.csv --set rate=50 --set 'columns={marker: bead}' --yaml",
      "`--set KEY=VALUE` takes every key of a recording (docs/keys.md, below `fit.recordings`), as an experiment file\n"
      "would give it. Of a table, each column is printed with what it is taken for (docs/column_names.md)."));
  return [=] {
    return wanted->format.empty() && is_mesh_file(wanted->file) ? show_mesh(wanted->file, *options)
                                                                : show_capture(*wanted, *options);
  };
}

}  // namespace pithball::app
