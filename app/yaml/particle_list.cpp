#include "app/yaml/particle_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include "app/yaml/nearest.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

struct Range {
  Index first, last;  ///< both included
};

/// `12` or `0-99`; none for a name or a negative number.
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
  // Groups may overlap, as those of edges that meet at a corner. A particle named once more by its number is a mistake.
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

}  // namespace pithball::app
