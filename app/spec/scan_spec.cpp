#include "app/spec/scan_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sim/core/checked_product.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

constexpr std::size_t most_axes = 2;        // what a picture can show
constexpr std::size_t most_cells = 10'000;  // each is an experiment in memory

/// Where an axis reaches into the document, and what it puts there.
struct Values {
  ScanAxis axis;
  std::vector<Tree> trees;
};

Values read_axis(const std::string& key, Node node) {
  Values values{{key, {}}, {}};
  const char* remedy = "write system.charge: [3 uC, 6 uC]";
  if (key.rfind("scan", 0) == 0 || key.rfind("fit", 0) == 0)
    node.reject("", "must be a key of the experiment outside `scan:` and `fit:`", "'" + key + "'", remedy);
  if (!node.is_list()) node.reject("", "must be a list of values", shown(*node.tree()), remedy);
  for (const Tree& value : node.tree()->entries) {
    const std::string text = value.kind == Tree::Kind::Scalar ? value.text : shown(value);
    if (std::ranges::find(values.axis.values, text) != values.axis.values.end())
      node.reject("", "must contain different values", text + " twice", "leave one out");
    values.axis.values.push_back(text);
    values.trees.push_back(value);
  }
  if (values.trees.empty()) node.reject("", "must contain at least one value", "none", remedy);
  return values;
}

std::vector<Values> read_axes(Node& root) {
  Node scan = root.child("scan", "repeats the comparison of `compare:` at every point of a grid of values", true);
  scan.document("over", "{PATH: [value, …]}", "required",
                "one or two keys of this file and their values: {system.charge: [3 uC, 6 uC]}");
  if (scan.describing()) return {};
  Node over = scan.child("over", "", true);
  std::vector<Values> axes;
  for (auto& [key, node] : over.entries("PATH")) {
    over.ignore(key);
    axes.push_back(read_axis(key, node));
  }
  if (axes.empty() || axes.size() > most_axes)
    over.reject("", "must contain one or two keys", fmt::format("{}", axes.size()),
                "scan the others in separate files");
  return axes;
}

/// `document` with a value at each axis. What is wrong with such a path or value is said of `scan.over`, where it
/// stands.
CompareSpec read_cell(ExperimentDocument document, const std::vector<std::pair<std::string, const Tree*>>& at) {
  try {
    for (const auto& [key, value] : at) set_at(document.root, key, *value, value->place.text());
    return read_compare(document);
  } catch (const InvalidArgument& error) {
    InvalidArgument::Parts parts = error.parts();
    for (const auto& [key, value] : at) {
      if (parts.where != value->place.text()) continue;
      parts.what = "scan.over: " + parts.what;
      throw InvalidArgument(std::move(parts));
    }
    throw;
  }
}

}  // namespace

ScanSpec read_scan(const ExperimentDocument& document) {
  reject_unlisted_keys(document);
  Reading reading(document.root, document.folder, document.inputs);
  Node root = reading.root();
  const CompareSpec base = read_compare_sections(reading, root, *document.meshes);
  const std::vector<Values> axes = read_axes(root);
  reading.reject_unknown_keys();

  ScanSpec spec{base.base.name, {}, {}, reading.filled()};
  std::vector<std::size_t> lengths;
  for (const Values& values : axes) {
    spec.axes.push_back(values.axis);
    lengths.push_back(values.trees.size());
  }
  const std::optional<std::size_t> cells = checked_product(lengths, most_cells);
  if (!cells)
    root.reject("scan", fmt::format("must make at most {} points", most_cells),
                fmt::format("{}", fmt::join(lengths, " x ")), "give fewer values");
  ExperimentDocument bare = document;
  std::erase_if(bare.root.entries, [](const Tree& entry) { return entry.key == "scan"; });
  for (std::size_t number = 0; number < *cells; ++number) {
    std::vector<std::pair<std::string, const Tree*>> at(axes.size());
    std::vector<std::string> texts(axes.size());
    std::size_t rest = number;
    for (std::size_t k = axes.size(); k-- > 0;) {  // the last axis fastest
      const std::size_t which = rest % axes[k].trees.size();
      rest /= axes[k].trees.size();
      at[k] = {axes[k].axis.key, &axes[k].trees[which]};
      texts[k] = axes[k].axis.values[which];
    }
    spec.cells.push_back({std::move(texts), read_cell(bare, at)});
  }
  return spec;
}

void describe_scan(Node& root) { read_axes(root); }

}  // namespace pithball::app
