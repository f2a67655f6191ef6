#include "optim/parameter/parameter_blocks.hpp"

#include <map>
#include <set>
#include <string>

#include "optim/parameter/value_entries.hpp"

namespace pithball::optim {
namespace {

constexpr Index nowhere = -1, several = -2;

/// Returns the particle on which an entry of a value acts, `nowhere` for values of terms.
Index particle_of(const sim::Model& model, sim::ValueOwner kind, Index owner) {
  if (kind == sim::ValueOwner::Particle) return owner;
  if (kind != sim::ValueOwner::Spring) return nowhere;
  const sim::Spring& spring = model.topology().springs[owner];
  return model.is_held(spring.i) ? spring.j : spring.i;
}

/// Adds the particles on which the parameters of one scenario act.
void add_places(const ParameterMap& map, Index scenario, std::vector<Index>& places) {
  const diff::Scenario& here = map.scenarios()[scenario];
  std::vector<Index> particles(static_cast<std::size_t>(here.size()) + RecordingFrame::size(), nowhere);
  std::set<std::string> values;
  for (const ParameterInfo& info : map.info()) values.insert(info.value);
  for (const std::string& value : values) {
    const ValueEntries found = find_value_entries(here, value);
    for (const ValueEntry& entry : found.entries)
      particles[entry.index] = particle_of(here.model, found.owner, entry.owner);
  }
  for (const ParameterEntry& entry : map.entries(scenario))
    for (const ParameterShare& share : entry.shares) {
      Index& place = places[share.parameter];
      const Index particle = particles[entry.index];
      if (particle == nowhere || (place != nowhere && place != particle))
        place = several;
      else
        place = particle;
    }
}

}  // namespace

std::vector<std::vector<Index>> find_blocks(const ParameterMap& map) {
  std::vector<Index> places(static_cast<std::size_t>(map.size()), nowhere);
  for (std::size_t s = 0; s < map.scenarios().size(); ++s) add_places(map, static_cast<Index>(s), places);
  std::vector<std::vector<Index>> blocks;
  std::map<Index, std::size_t> numbers;  // block numbers, by particle
  for (Index k = 0; k < map.size(); ++k) {
    const Index place = places[k];
    const auto [known, is_new] = numbers.try_emplace(place, blocks.size());
    if (place < 0 || is_new) {
      blocks.push_back({k});
      if (place < 0) numbers.erase(place);
    } else {
      blocks[known->second].push_back(k);
    }
  }
  return blocks;
}

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
      if (const Index k = e.shares.front().parameter;  // an entry with several shares is already smooth
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
