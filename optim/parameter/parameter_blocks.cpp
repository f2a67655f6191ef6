#include "optim/parameter/parameter_blocks.hpp"

#include <map>
#include <set>
#include <string>

#include "optim/parameter/value_entries.hpp"

namespace pithball::optim {
namespace {

constexpr Index nowhere = -1, several = -2;

/// The particle that an entry of a value acts on, `nowhere` for values of terms.
Index particle_of(const sim::Model& model, sim::ValueOwner kind, Index owner) {
  if (kind == sim::ValueOwner::Particle) return owner;
  if (kind != sim::ValueOwner::Spring) return nowhere;
  const sim::Spring& spring = model.topology().springs[owner];
  return model.is_held(spring.i) ? spring.j : spring.i;
}

/// Adds where the parameters of one scenario act.
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
  std::map<Index, std::size_t> numbers;  // of blocks, by particle
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

}  // namespace pithball::optim
