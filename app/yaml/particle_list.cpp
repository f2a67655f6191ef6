#include "app/yaml/particle_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>

#include "app/yaml/nearest.hpp"
#include "app/yaml/quantity.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

struct Range {
  Index first, last;  ///< both included
};

/// Parses `12` or `0-99`; returns nothing for a name or a negative number.
std::optional<Range> parse_range(const std::string& text) {
  if (const auto single = datasets::parse_integer(text)) return Range{*single, *single};
  const std::size_t dash = text.find('-');
  if (dash == std::string::npos || dash == 0) return {};
  const auto trimmed = [](std::string part) {
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    return part;
  };
  const auto first = datasets::parse_integer(trimmed(text.substr(0, dash)));
  const auto last = datasets::parse_integer(trimmed(text.substr(dash + 1)));
  if (!first || !last) return {};
  return Range{*first, *last};
}

std::vector<Index> members(const Range& range) {
  std::vector<Index> numbers(static_cast<std::size_t>(range.last - range.first + 1));
  std::iota(numbers.begin(), numbers.end(), range.first);
  return numbers;
}

}  // namespace

std::vector<Index> read_particles(Node& node, std::string_view key, std::string_view meaning, Index count,
                                  const Groups& groups) {
  if (node.describing())
    return node.document(key, "list of particle numbers, ranges and group names", "optional", meaning),
           std::vector<Index>{};
  const Node value = node.form(key);
  if (!value.tree()) return {};
  std::vector<const Tree*> parts;
  if (value.is_list())
    for (const Tree& entry : value.tree()->entries) parts.push_back(&entry);
  else
    parts.push_back(value.tree());
  std::vector<Index> chosen;
  // Groups may overlap, for example those of edges that share a corner, but a particle number given twice is a mistake.
  std::vector<bool> taken(count, false), taken_by_number(count, false);
  std::set<std::string> groups_taken;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Tree& part = *parts[k];
    const auto fail = [&](std::string required, std::string got, std::string remedy) {
      const std::string path = value.is_list() ? fmt::format("{}[{}]", value.path(), k) : value.path();
      throw InvalidArgument({part.place.text(), path, std::move(required), std::move(got), std::move(remedy)});
    };
    if (part.kind != Tree::Kind::Scalar)
      fail("must be a particle number, a range or the name of a group", shown(part), "write [0, 10-19, ears]");
    const auto group = groups.find(part.text);
    const bool number = datasets::parse_integer(part.text).has_value();
    const auto range = number || group == groups.end() ? parse_range(part.text) : std::nullopt;
    if (!range && group == groups.end()) {
      std::vector<std::string> known;
      for (const auto& [name, members] : groups) known.push_back(name);
      fail("must be a particle number, a range such as 0-9 or the name of a group", "'" + part.text + "'",
           suggestion(part.text, known, "known groups are " + joined(known)));
    }
    if (range && (range->first < 0 || range->last < 0 || std::max(range->first, range->last) >= count))
      fail(fmt::format("must be between 0 and {}", count - 1), part.text, "particles are counted from 0");
    if (range && range->last < range->first)
      fail("must be a range with the smaller number first", part.text,
           fmt::format("write {}-{}", range->last, range->first));
    if (!range && !groups_taken.insert(part.text).second)
      fail("must name every group once", part.text + " again", "remove one of the two");
    for (const Index i : range ? members(*range) : group->second) {
      if (taken[i] && (range || taken_by_number[i]))
        fail("must name every particle once", fmt::format("particle {} again", i), "remove one of the two");
      if (!taken[i]) chosen.push_back(i);
      taken[i] = true;
      taken_by_number[i] = range.has_value();
    }
  }
  return chosen;
}

sim::Spring read_pair(Node& node, std::string_view key, std::string_view meaning, const std::string& noun,
                      Index particles) {
  const std::vector<Index> pair = node.integers(key, meaning);
  if (node.describing()) return {};
  if (pair.size() != 2)
    node.reject(key, "must be a pair [i, j]", fmt::format("a list of {}", pair.size()), "write two particle numbers");
  for (const Index end : pair)
    if (end >= particles)
      node.reject(key, fmt::format("must name particles between 0 and {}", particles - 1), fmt::format("{}", end),
                  "particles are counted from 0");
  if (pair[0] == pair[1])
    node.reject(key, "must join two different particles", fmt::format("particle {} twice", pair[0]),
                "remove the " + noun);
  return {std::min(pair[0], pair[1]), std::max(pair[0], pair[1])};
}

std::vector<sim::Spring> read_pairs(Node& node, std::string_view key, std::string_view meaning, const std::string& noun,
                                    Index particles) {
  std::vector<sim::Spring> edges;
  std::set<std::pair<Index, Index>> known;
  for (Node& item : node.items(key, meaning)) {
    if (item.describing()) continue;
    const sim::Spring edge = read_pair(item, "", "", noun, particles);
    if (!known.insert({edge.i, edge.j}).second)
      item.reject("", "must join a pair that has no " + noun + " yet", fmt::format("[{}, {}] again", edge.i, edge.j),
                  "remove one of the two");
    edges.push_back(edge);  // in the order of the file, which is also that of lists of stiffness
  }
  return edges;
}

std::vector<sim::Spring> read_edges(Node& node, std::string_view key, std::string_view meaning,
                                    const EdgeSpace& space) {
  if (node.describing()) {
    node.document(key, "mesh, name of a group of edges, or list of pairs [i, j]", "required", meaning);
    return {};
  }
  if (!node.is_scalar(key)) {
    std::vector<sim::Spring> pairs = read_pairs(node, key, meaning, "link", space.particles);
    if (pairs.empty()) node.reject(key, "must name at least one pair", "none", "write `edges: mesh`, or [[0, 1], …]");
    return pairs;
  }
  const std::string name = node.text(key, meaning);
  std::vector<sim::Spring> edges;
  if (name == "mesh") {
    edges = *space.edges;
  } else {
    const auto group = space.groups->find(name);
    if (group == space.groups->end()) {
      std::vector<std::string> known{"mesh"};
      for (const auto& [other, items] : *space.groups) known.push_back(other);
      node.reject(key, "must be `mesh`, a group of the mesh's edges, or a list of pairs", "'" + name + "'",
                  suggestion(name, known));
    }
    for (const Index e : group->second) edges.push_back((*space.edges)[e]);
  }
  if (edges.empty())
    node.reject(key, "must name at least one edge", "'" + name + "', which has none", "write pairs [[0, 1], …]");
  return edges;
}

namespace {

/// Reads one value, or {total: value}, which is divided evenly among `count` items.
double read_share(Node node, std::string_view unit, sim::ValueSign sign, Index count) {
  if (!node.is_map()) return node.number("", unit, "", {}, sign);
  return node.number("total", unit, "", {}, sign) / count;
}

Vector read_by_group(Node node, const ItemValue& asked, const ItemSpace& space) {
  const auto& [unit, meaning, fallback, sign] = asked;
  Vector values = Vector::Constant(space.count, fallback.value_or(0));
  std::vector<bool> given(space.count, fallback.has_value());
  std::optional<Node> rest;
  for (auto& [name, entry] : node.entries("GROUP")) {
    if (name == "rest") {
      rest = entry;
      continue;
    }
    const auto group = space.groups->find(name);
    if (group == space.groups->end()) {
      std::vector<std::string> known{"rest"};
      for (const auto& [other, items] : *space.groups) known.push_back(other);
      entry.reject("", fmt::format("must be a group of {}s", space.noun), "'" + name + "'", suggestion(name, known));
    }
    if (group->second.empty()) entry.reject("", "must not be an empty group", "'" + name + "'", "omit it");
    const double value = read_share(entry, unit, sign, group->second.size());
    for (const Index i : group->second) {
      values[i] = value;
      given[i] = true;
    }
  }
  if (rest) {
    std::vector<Index> others;  // items in no group; `given` does not show these, because a fallback fills it
    std::vector<bool> grouped(given.size(), false);
    for (auto& [name, entry] : node.entries("GROUP"))
      if (name != "rest")
        for (const Index i : space.groups->at(name)) grouped[i] = true;
    for (Index i = 0; i < space.count; ++i)
      if (!grouped[i]) others.push_back(i);
    const double value = read_share(*rest, unit, sign, std::max<Index>(1, others.size()));
    for (const Index i : others) {
      values[i] = value;
      given[i] = true;
    }
  }
  for (Index i = 0; i < space.count; ++i)
    if (!given[i])
      node.reject("", fmt::format("must give a value to every {}", space.noun),
                  fmt::format("none for {} {}", space.noun, i), "add `rest: value`");
  return values;
}

}  // namespace

Vector read_per_item(Node& node, std::string_view key, const ItemValue& asked, const ItemSpace& space) {
  const auto& [unit, meaning, fallback, sign] = asked;
  if (node.describing()) {
    const std::string bound = sign == sim::ValueSign::Positive      ? " > 0"
                              : sign == sim::ValueSign::NonNegative ? " >= 0"
                                                                    : "";
    node.document(key, fmt::format("per {}{} [{}]", space.noun, bound, unit),
                  !fallback               ? "required"
                  : std::isnan(*fallback) ? "optional"
                                          : fmt::format("{}", *fallback),
                  meaning);
    return Vector::Constant(space.count, fallback.value_or(1));
  }
  Node value = node.form(key);
  if (value.is_list()) {
    // The length is checked before the values: a decimal comma splits a number in two, and one of these may be a 0,
    // which would be rejected for its sign.
    if (const std::size_t length = value.tree()->entries.size(); static_cast<Index>(length) != space.count)
      value.reject("", fmt::format("must have one entry for each of the {} {}s", space.count, space.noun),
                   fmt::format("{}", length),
                   decimal_comma_remedy(*value.tree(), "give one number for all, or a list of that length"));
    const std::vector<double> list = value.numbers("", unit, meaning, sign);
    return Eigen::Map<const Vector>(list.data(), space.count);
  }
  if (value.is_map() && !(value.has("total") && !space.groups->count("total")))
    return read_by_group(value, asked, space);
  if (value.is_map())
    return Vector::Constant(space.count, read_share(value, unit, sign, std::max<Index>(1, space.count)));
  return Vector::Constant(space.count, node.number(key, unit, meaning, fallback, sign));
}

}  // namespace pithball::app
