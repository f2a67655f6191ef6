#include "optim/parameter/neighbors.hpp"

#include <map>
#include <set>

#include "optim/parameter/value_entries.hpp"

namespace pithball::optim {
namespace {

using OwnerPairs = std::vector<std::pair<Index, Index>>;

OwnerPairs ends_of_springs(const sim::Topology& topology) {
  OwnerPairs pairs;
  for (const sim::Spring& spring : topology.springs) pairs.emplace_back(spring.i, spring.j);
  return pairs;
}

OwnerPairs springs_that_meet(const sim::Topology& topology) {
  std::vector<std::vector<Index>> at(topology.particles);
  for (std::size_t k = 0; k < topology.springs.size(); ++k)
    for (Index end : {topology.springs[k].i, topology.springs[k].j}) at[end].push_back(k);
  OwnerPairs pairs;
  for (const std::vector<Index>& meeting : at)
    for (std::size_t a = 0; a < meeting.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) pairs.emplace_back(meeting[b], meeting[a]);
  return pairs;
}

OwnerPairs neighboring_owners(const diff::Scenario& scenario, const std::string& value) {
  const sim::Topology& topology = scenario.model.topology();
  const auto block = scenario.model.values().find(value);
  if (!block) return ends_of_springs(topology);  // position, velocity
  switch (scenario.model.values().block(*block).owner) {
    case sim::ValueOwner::Particle:
      return ends_of_springs(topology);
    case sim::ValueOwner::Spring:
      return springs_that_meet(topology);
    case sim::ValueOwner::Term:
      break;
  }
  return {};
}

}  // namespace

std::vector<std::pair<Index, Index>> find_neighbors(const ParameterMap& map, Index declaration,
                                                    const std::string& value) {
  std::set<std::pair<Index, Index>> found;
  for (std::size_t s = 0; s < map.scenarios().size(); ++s) {
    const diff::Scenario& scenario = map.scenarios()[s];
    std::vector<Index> parameter_of(scenario.size() + RecordingFrame::size(), -1);
    for (const ParameterEntry& e : map.entries(s))
      if (const Index k = e.shares.front().parameter;  // of several, it is smooth as it is
          e.shares.size() == 1 && map.info()[k].declaration == declaration)
        parameter_of[e.index] = k;
    using Quality = std::pair<int, std::optional<double>>;  // component, key time
    std::map<Index, std::map<Quality, Index>> parameters;   // owner → its parameters
    for (const ValueEntry& entry : find_value_entries(scenario, value).entries)
      if (const Index k = parameter_of[entry.index]; k >= 0)
        parameters[entry.owner][{entry.component, entry.key_time}] = k;
    for (const auto& [i, j] : neighboring_owners(scenario, value))
      for (const auto& [quality, a] : parameters[i])
        if (const auto b = parameters[j].find(quality); b != parameters[j].end() && a != b->second)
          found.insert(std::minmax(a, b->second));
  }
  return {found.begin(), found.end()};
}

}  // namespace pithball::optim
