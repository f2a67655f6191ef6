#include "app/experiment/sweep_axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>

#include "app/base/estimate_text.hpp"
#include "app/yaml/quantity.hpp"
#include "sim/core/counter_noise.hpp"

namespace pithball::app {
namespace {

/// Streams of random numbers derived from one seed.
enum SweepStream : std::uint64_t { Strata = 911, Places, Resampled, TaskSeeds };

/// A number and its unit as written: "3 uC"; the unit may be empty.
struct WrittenNumber {
  std::string number, unit;
};

/// Splits a number from its unit; returns nothing if the value is not a number.
std::optional<WrittenNumber> split_number(const Tree& value) {
  if (value.kind != Tree::Kind::Scalar) return {};
  const std::size_t space = value.text.find(' ');
  WrittenNumber written{value.text.substr(0, space), ""};
  if (space != std::string::npos) written.unit = value.text.substr(value.text.find_first_not_of(' ', space));
  const std::optional<double> number = read_plain_number(written.number);
  if (!number || !std::isfinite(*number)) return {};
  return written;
}

SweepAxis written_axis(const std::vector<SweepPoint>& points) {
  return {static_cast<Index>(points.size()), [points](Index k, std::uint64_t) { return points[k]; }, points};
}

/// Returns an axis of similar points, of which only the first is checked before the sweep runs.
SweepAxis drawn_axis(Index size, const std::function<SweepPoint(Index, std::uint64_t)>& at) {
  return {size, at, {at(0, 1)}};
}

void reject_foreign_path(const Node& node, const std::string& path) {
  if (path == "sweep" || path.starts_with("sweep.") || path == "name")
    node.reject("", "must be a key of the experiment outside `sweep:`", "'" + path + "'",
                "write system.charge: [3 uC, 6 uC]");
}

SweepAxis read_grid_axis(const std::string& path, Node node) {
  const char* remedy = "write system.charge: [3 uC, 6 uC]";
  reject_foreign_path(node, path);
  if (!node.is_list()) node.reject("", "must be a list of values", shown(*node.tree()), remedy);
  const std::vector<Tree>& values = node.tree()->entries;
  if (values.empty()) node.reject("", "must contain at least one value", "none", remedy);
  std::vector<std::optional<WrittenNumber>> numbers;
  for (const Tree& value : values) numbers.push_back(split_number(value));
  const bool same_unit = std::ranges::all_of(
      numbers, [&](const auto& one) { return one && numbers.front() && one->unit == numbers.front()->unit; });
  std::vector<SweepPoint> points;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Tree& value = values[k];
    const std::string text = same_unit                          ? numbers[k]->number
                             : value.kind == Tree::Kind::Scalar ? value.text
                                                                : fmt::format("{}: {}", k, shown(value));
    for (const SweepPoint& other : points)
      if (other.labels.front().second == text)
        node.reject("", "must contain different values", text + " twice", "leave one out");
    Tree own = value;
    own.key.clear();
    points.push_back({{{path, std::move(own)}}, {{name_with_unit(path, same_unit ? numbers[k]->unit : ""), text}}});
  }
  return written_axis(points);
}

/// The range of one key of a Latin hypercube.
struct SampledRange {
  std::string path, unit;
  double low = 0, high = 0;
  bool is_logarithmic = false;

  SweepPoint at(double part) const {
    const double value = is_logarithmic ? low * std::pow(high / low, part) : low + (high - low) * part;
    const std::string number = fmt::format("{:.12g}", value);
    return {{{path, make_scalar(unit.empty() ? number : number + " " + unit)}}, {{name_with_unit(path, unit), number}}};
  }
};

SampledRange read_range(const std::string& path, Node node, bool is_logarithmic) {
  const char* remedy = "write system.springs.stiffness: [5 N/m, 50 N/m]";
  reject_foreign_path(node, path);
  if (!node.is_list() || node.tree()->entries.size() != 2)
    node.reject("", "must be the two ends of a range", shown(*node.tree()), remedy);
  const auto low = split_number(node.tree()->entries[0]), high = split_number(node.tree()->entries[1]);
  if (!low || !high) node.reject("", "must be two numbers", "something else", remedy);
  if (low->unit != high->unit)
    node.reject("", "must have one unit at both ends", fmt::format("'{}' and '{}'", low->unit, high->unit), remedy);
  SampledRange range{path, low->unit, *read_plain_number(low->number), *read_plain_number(high->number),
                     is_logarithmic};
  if (!(range.low < range.high))
    node.reject("", "must begin with the lower end", low->number + ", " + high->number, "exchange the ends");
  if (is_logarithmic && range.low <= 0)
    node.reject("", "must be above 0 with `scale: logarithmic`", low->number, "write `scale: linear`");
  return range;
}

/// Draws one sample from each of `count` equal parts of every range (McKay, Beckman & Conover 1979).
SweepAxis latin_hypercube(std::vector<SampledRange> ranges, Index count, std::uint64_t seed) {
  const sim::CounterNoise strata(seed, Strata), places(seed, Places);
  std::vector<std::vector<Index>> orders;
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    std::vector<std::pair<double, Index>> drawn(count);
    for (Index k = 0; k < count; ++k) drawn[k] = {strata.uniform(k, d), k};
    std::ranges::sort(drawn);
    std::vector<Index>& order = orders.emplace_back(count);
    for (Index k = 0; k < count; ++k) order[drawn[k].second] = k;
  }
  const double parts = count;
  const auto part_of = [places, parts, orders = std::move(orders)](std::size_t d, Index k) {
    return (orders[d][k] + places.uniform(k, d)) / parts;
  };
  // Both ends, and a sample: where only some values between the ends are allowed, such as whole numbers, none would do.
  std::vector<SweepPoint> checked;
  for (std::size_t d = 0; d < ranges.size(); ++d)
    for (const double part : {0.0, 1.0, part_of(d, 0)}) checked.push_back(ranges[d].at(part));
  return {count,
          [ranges = std::move(ranges), part_of](Index k, std::uint64_t) {
            SweepPoint point;
            for (std::size_t d = 0; d < ranges.size(); ++d) {
              SweepPoint own = ranges[d].at(part_of(d, k));
              std::ranges::move(own.settings, std::back_inserter(point.settings));
              std::ranges::move(own.labels, std::back_inserter(point.labels));
            }
            return point;
          },
          std::move(checked)};
}

void read_latin_hypercube(Node& sweep, std::uint64_t seed, std::vector<SweepAxis>& axes) {
  Node cube = sweep.child("latin_hypercube", "samples that fill the ranges of several keys evenly");
  const Index samples = cube.integer_or("samples", "number of samples", {"required", 0}, 1);
  const std::string scale =
      cube.choice("scale", {"linear", "logarithmic"}, "scale on which samples are uniform", "linear");
  cube.document("over", "{PATH: [low, high]}", "required", "keys and their ranges, with one unit at both ends");
  if (!sweep.is_map("latin_hypercube")) return;
  if (samples < 1) cube.reject("samples", "must be given", "nothing", "write `samples: 100`");
  if (samples > most_tasks)  // checked before memory for their permutation is allocated
    cube.reject("samples", fmt::format("must make at most {} tasks", most_tasks), fmt::format("{}", samples),
                "give fewer samples");
  Node over = cube.child("over", "", true);
  std::vector<SampledRange> ranges;
  for (auto& [path, node] : over.entries("PATH")) {
    over.ignore(path);
    ranges.push_back(read_range(path, node, scale == "logarithmic"));
  }
  if (ranges.empty()) over.reject("", "must contain at least one key", "none", "write system.charge: [1 uC, 9 uC]");
  axes.push_back(latin_hypercube(std::move(ranges), samples, seed));
}

/// Returns the items of `fit.recordings`; if there are none, rejects the key of the sweep that needs them.
std::vector<Tree> recordings_of(const Node& sweep, const char* key, const ExperimentDocument& document,
                                std::size_t least) {
  const Tree* list = find_at(document.root, "fit.recordings");
  if (!list || list->kind != Tree::Kind::List || list->entries.size() < least)
    sweep.reject(key,
                 fmt::format("needs at least {} in `fit.recordings`", least == 1 ? "one recording" : "two recordings"),
                 fmt::format("{}", list ? list->entries.size() : 0), "list them, or leave this key out");
  return list->entries;
}

Tree make_list(std::vector<Tree> items) {
  Tree list = empty_tree(Tree::Kind::List);
  list.entries = std::move(items);
  return list;
}

/// Returns the name of a recording in the list, or its number if it has none.
std::string name_of(const std::vector<Tree>& items, std::size_t item) {
  const Tree* name = items[item].find("name");
  return name ? name->text : fmt::format("{}", item);
}

SweepAxis each_recording(const std::vector<Tree>& items) {
  std::vector<SweepPoint> points;
  for (std::size_t k = 0; k < items.size(); ++k)
    points.push_back({{{"fit.recordings", make_list({items[k]})}}, {{"recording", name_of(items, k)}}});
  return written_axis(points);
}

/// Draws recordings with replacement; each draw gets a unique name, because a recording may be drawn repeatedly.
SweepAxis drawn_recordings(std::vector<Tree> items, Index draws, std::uint64_t seed) {
  const sim::CounterNoise noise(seed, Resampled);
  return drawn_axis(draws, [items = std::move(items), noise](Index draw, std::uint64_t) {
    std::vector<Tree> drawn;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < items.size(); ++k) {
      const double part = noise.uniform(draw, k) * static_cast<double>(items.size());
      const std::size_t at = std::min(items.size() - 1, static_cast<std::size_t>(part));
      Tree item = items[at];
      names.push_back(name_of(items, at));
      put(item, "name", quoted_scalar(fmt::format("draw {}", k)));
      drawn.push_back(std::move(item));
    }
    return SweepPoint{{{"fit.recordings", make_list(std::move(drawn))}},
                      {{"draw", fmt::format("{}", draw)}, {"recordings", fmt::format("{}", fmt::join(names, " "))}}};
  });
}

SweepAxis single_starts(Index count) {
  return drawn_axis(count, [count](Index k, std::uint64_t) {
    return SweepPoint{{{"fit.starts.count", make_scalar(fmt::format("{}", count))},
                       {"fit.starts.only", make_scalar(fmt::format("{}", k))}},
                      {{"start", fmt::format("{}", k)}}};
  });
}

void read_fit_axes(Node& sweep, const ExperimentDocument& document, std::uint64_t seed, std::vector<SweepAxis>& axes) {
  const std::string recordings =
      sweep.choice("recordings", {"all", "each"},
                   "all: every task fits all recordings; each: a task for each recording alone", "all");
  const Index draws =
      sweep.integer("bootstrap", "number of draws; each fits as many recordings, drawn with replacement; 0: none", 0);
  const Index starts =
      sweep.integer("starts", "number of starting points of the search, a task each (fit.starts); 0: none", 0);
  if (recordings == "each" && draws > 0)
    sweep.reject("bootstrap", "must not be given together with `recordings: each`", fmt::format("{}", draws),
                 "leave one out");
  if (recordings == "each") axes.push_back(each_recording(recordings_of(sweep, "recordings", document, 1)));
  if (draws > 0) axes.push_back(drawn_recordings(recordings_of(sweep, "bootstrap", document, 2), draws, seed));
  if (starts > 0) axes.push_back(single_starts(starts));
}

void read_seeds(Node& sweep, std::vector<SweepAxis>& axes) {
  Node seeds = sweep.child("seeds", "repetitions with different random numbers");
  const Index count = seeds.integer("count", "number of repetitions", 1, 1);
  const std::vector<std::string> keys = seeds.has("keys")
                                            ? seeds.texts("keys", "keys that hold a seed: [forces.langevin.seed]")
                                            : std::vector<std::string>();
  if (!sweep.is_map("seeds")) return;
  if (keys.empty())
    seeds.reject("keys", "must name at least one key that holds a seed", "none", "write keys: [forces.langevin.seed]");
  for (const std::string& key : keys) {
    reject_foreign_path(seeds, key);
    if (!key.ends_with(".seed"))
      seeds.reject("keys", "must be keys that hold a seed", "'" + key + "'",
                   "write keys: [forces.langevin.seed]; other keys belong in grid or latin_hypercube");
  }
  axes.push_back(drawn_axis(count, [keys](Index k, std::uint64_t task_seed) {
    SweepPoint point{{}, {{"repetition", fmt::format("{}", k)}}};
    const sim::CounterNoise noise(task_seed, TaskSeeds);
    for (std::size_t n = 0; n < keys.size(); ++n) {
      const double seed = std::floor(std::ldexp(noise.uniform(n, 0), 31));
      point.settings.push_back({keys[n], make_scalar(fmt::format("{:.0f}", seed))});
    }
    return point;
  }));
}

}  // namespace

std::vector<SweepAxis> read_sweep_axes(Node& sweep, const ExperimentDocument& document, std::uint64_t seed) {
  std::vector<SweepAxis> axes;
  for (auto& [path, node] : sweep.entries_of("grid", "{PATH: [value, …]}", "none",
                                             "keys of this file and their values; combinations multiply"))
    axes.push_back(read_grid_axis(path, node));
  if (sweep.is_map("grid") && axes.empty())
    sweep.reject("grid", "must contain at least one key", "none", "write system.charge: [3 uC, 6 uC]");
  read_latin_hypercube(sweep, seed, axes);
  read_fit_axes(sweep, document, seed, axes);
  read_seeds(sweep, axes);
  return axes;
}

}  // namespace pithball::app
