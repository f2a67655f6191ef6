#include "app/yaml/particle_list.hpp"

#include <fmt/format.h>

#include "app/yaml/nearest.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

std::vector<Index> read_particles(Node& node, std::string_view key, std::string_view meaning, Index count,
                                  const Groups& groups) {
  if (node.describing())
    return node.document(key, "list of particle numbers and group names", "optional", meaning), std::vector<Index>{};
  const Node value = node.form(key);
  if (!value.tree()) return {};
  std::vector<const Tree*> parts;
  if (value.is_list())
    for (const Tree& entry : value.tree()->entries) parts.push_back(&entry);
  else
    parts.push_back(value.tree());
  std::vector<Index> chosen;
  std::vector<bool> taken(count, false);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const Tree& part = *parts[k];
    const auto fail = [&](std::string required, std::string got, std::string remedy) {
      const std::string path = value.is_list() ? fmt::format("{}[{}]", value.path(), k) : value.path();
      throw InvalidArgument({part.place.text(), path, std::move(required), std::move(got), std::move(remedy)});
    };
    if (part.kind != Tree::Kind::Scalar)
      fail("must be a particle number or the name of a group", "something else", "write [0, 12, ears]");
    const auto number = datasets::parse_integer(part.text);
    const auto group = groups.find(part.text);
    if (!number && group == groups.end()) {
      std::vector<std::string> known;
      for (const auto& [name, members] : groups) known.push_back(name);
      const auto meant = nearest(part.text, known);
      fail("must be a particle number or the name of a group", "'" + part.text + "'",
           meant ? "did you mean '" + *meant + "'?" : "known groups are " + joined(known));
    }
    if (number && (*number < 0 || *number >= count))
      fail(fmt::format("must be between 0 and {}", count - 1), part.text, "particles are counted from 0");
    for (const Index i : number ? std::vector<Index>{*number} : group->second) {
      if (taken[i]) fail("must name every particle once", fmt::format("particle {} again", i), "remove one of the two");
      taken[i] = true;
      chosen.push_back(i);
    }
  }
  return chosen;
}

}  // namespace pithball::app
