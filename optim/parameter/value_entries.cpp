#include "optim/parameter/value_entries.hpp"

#include <map>

#include "optim/measurement/recording_frame.hpp"

namespace pithball::optim {
namespace {

ValueEntries state_entries(const diff::Scenario& scenario, bool velocity) {
  const Index particles = scenario.model.particles();
  std::vector<bool> prescribed(particles, false);
  for (const sim::Held& held : scenario.model.topology().held)
    if (velocity || held.path) prescribed[held.particle] = true;
  const Index offset = velocity ? scenario.velocity_offset() : scenario.position_offset();
  ValueEntries found{{}, velocity ? "m/s" : "m"};
  for (Index i = 0; i < particles; ++i)
    if (!prescribed[i])
      for (int a = 0; a < 3; ++a) found.entries.push_back({offset + 3 * i + a, i, a, found.places++});
  return found;
}

/// Entry number e of a set of key frames.
struct KeyFramedEntry {
  const sim::KeyFrames* frames;
  Index number;
};

/// Entries with key frames, by index in the flat vector.
std::map<Index, KeyFramedEntry> key_framed_entries(const sim::Model& model) {
  std::map<Index, KeyFramedEntry> found;
  for (const sim::KeyFrames& frames : model.key_frames())
    for (Index e = 0; e < frames.count(); ++e) found.emplace(frames.entries[e], KeyFramedEntry{&frames, e});
  return found;
}

/// Adds the values of the entry at all key times instead of the entry itself.
void add_keys(const sim::KeyFrames& frames, Index e, ValueEntry entry, std::vector<ValueEntry>& entries) {
  for (std::size_t j = 0; j < frames.times.size(); ++j) {
    entry.index = frames.key(e, j);
    entry.key_time = frames.times[j];
    entries.push_back(entry);
  }
}

ValueEntries recording_frame_entries(const diff::Scenario& scenario, const RecordingFrameValue& value) {
  ValueEntries found{{}, value.unit, value.sign, sim::ValueOwner::Term};
  for (Index k = 0; k < value.size; ++k)
    found.entries.push_back(
        {scenario.size() + value.offset + k, 0, value.size == 3 ? static_cast<int>(k) : -1, found.places++});
  return found;
}

}  // namespace

ValueEntries find_value_entries(const diff::Scenario& scenario, const std::string& name) {
  if (name == "position" || name == "velocity") return state_entries(scenario, name == "velocity");
  for (const RecordingFrameValue& value : recording_frame_values())
    if (value.name == name) return recording_frame_entries(scenario, value);
  ValueEntries found;
  const std::map<Index, KeyFramedEntry> framed = key_framed_entries(scenario.model);
  Index term_entries = 0;  // values of one name may come from several terms: number them consecutively
  for (const sim::ValueBlock& block : scenario.model.values().blocks()) {
    if (block.name != name || block.key_time) continue;
    found.unit = block.unit;
    found.sign = block.sign;
    found.owner = block.owner;
    found.scaling = block.scaling;
    const bool of_term = block.owner == sim::ValueOwner::Term;
    const bool is_vector = block.is_vector();
    for (Index k = 0; k < block.size; ++k) {
      const Index owner = !of_term ? k : is_vector ? term_entries : term_entries + k;
      const ValueEntry entry{block.offset + k, owner, is_vector ? static_cast<int>(k) : -1, found.places++};
      const auto keys = framed.find(entry.index);
      if (keys == framed.end())
        found.entries.push_back(entry);
      else
        add_keys(*keys->second.frames, keys->second.number, entry, found.entries);
    }
    if (of_term) term_entries += is_vector ? 1 : block.size;
  }
  return found;
}

std::string value_names(const diff::Scenario& scenario) {
  std::string names;
  for (const sim::ValueBlock& block : scenario.model.values().blocks())
    if (!block.key_time) names += block.name + ", ";
  names += "position, velocity";
  for (const RecordingFrameValue& value : recording_frame_values()) names += ", " + value.name;
  return names;
}

}  // namespace pithball::optim
