#include "optim/value_entries.hpp"

namespace pithball::optim {
namespace {

ValueEntries state_entries(const diff::Scenario& scenario, bool velocity) {
  const Index particles = scenario.model.particles();
  std::vector<bool> prescribed(static_cast<std::size_t>(particles), false);
  for (const sim::Held& held : scenario.model.topology().held)
    if (velocity || held.path) prescribed[static_cast<std::size_t>(held.particle)] = true;
  const Index offset = velocity ? scenario.velocity_offset() : scenario.position_offset();
  ValueEntries found{{}, velocity ? "m/s" : "m", sim::ValueSign::Any};
  for (Index i = 0; i < particles; ++i)
    if (!prescribed[static_cast<std::size_t>(i)])
      for (int a = 0; a < 3; ++a) found.entries.push_back({offset + 3 * i + a, i, a});
  return found;
}

}  // namespace

ValueEntries find_value_entries(const diff::Scenario& scenario, const std::string& name) {
  if (name == "position" || name == "velocity") return state_entries(scenario, name == "velocity");
  ValueEntries found;
  Index term_entries = 0;  // values of one name may come from several terms: number them through
  for (const sim::ValueBlock& block : scenario.model.values().blocks()) {
    if (block.name != name) continue;
    found.unit = block.unit;
    found.sign = block.sign;
    const bool of_term = block.owner == sim::ValueOwner::Term;
    const bool is_vector = of_term && block.size == 3;
    for (Index k = 0; k < block.size; ++k) {
      const Index owner = !of_term ? k : is_vector ? term_entries : term_entries + k;
      found.entries.push_back({block.offset + k, owner, is_vector ? static_cast<int>(k) : -1});
    }
    if (of_term) term_entries += is_vector ? 1 : block.size;
  }
  return found;
}

std::string value_names(const diff::Scenario& scenario) {
  std::string names;
  for (const sim::ValueBlock& block : scenario.model.values().blocks()) names += block.name + ", ";
  return names + "position, velocity";
}

}  // namespace pithball::optim
