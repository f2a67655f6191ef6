// The part of ParameterBuilder that resolves tied declarations.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "optim/parameter/parameter_builder.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

[[noreturn]] void reject_tie(const Parameter& d, const std::string& required, const std::string& got,
                             const std::string& remedy) {
  throw InvalidArgument({"", "parameters: " + d.printed_name(), required, got, remedy});
}

/// Whether two entries depend on the same parameters in the same way.
bool alike(const ParameterEntry& a, const ParameterEntry& b) {
  return a.logarithmic == b.logarithmic &&
         std::equal(a.shares.begin(), a.shares.end(), b.shares.begin(), b.shares.end(),
                    [](const ParameterShare& s, const ParameterShare& t) {
                      return s.parameter == t.parameter && s.weight == t.weight;
                    }) &&
         a.offset == b.offset && a.scale == b.scale;
}

/// Returns the entry factor · other^power + offset. A power of p is exp(power · log p), as of a logarithmic entry.
ParameterEntry tied_entry(const Parameter& d, ParameterEntry other, const std::vector<ParameterInfo>& info) {
  const Tie& tie = *d.tie;
  if (tie.power != 1) {
    const bool is_product = other.logarithmic || (other.shares.size() == 1 && other.shares.front().weight == 1);
    if (!is_product || other.offset != 0 || !(other.scale > 0) || !(info[other.shares.front().parameter].lower >= 0))
      reject_tie(d, "must be tied by a power to a parameter that stays positive, without a known part",
                 "'" + tie.to + "'", "give it `bounds` above 0, or leave `power` out");
    other.logarithmic = true;
    other.scale = std::pow(other.scale, tie.power);
    for (ParameterShare& share : other.shares) share.weight *= tie.power;
  }
  other.offset = tie.factor * other.offset + tie.offset;
  other.scale *= tie.factor;
  return other;
}

}  // namespace

void ParameterBuilder::tie_scenario(const Parameter& d, std::size_t scenario, const std::set<Index>& selected) {
  const ValueEntries found = find_value_entries(scenarios_[scenario], d.value);
  using Owner = std::tuple<Index, int, std::optional<double>>;
  const auto owner_of = [](const ValueEntry& e) { return Owner{e.owner, e.component, e.key_time}; };
  std::map<Owner, ParameterEntry> same;  // the other declaration's entries, if both values have the same owners
  std::optional<ParameterEntry> shared;  // the other declaration's entry, if all its entries are alike
  bool all_alike = true;
  for (const Resolved& other : resolved_.at(d.tie->to)) {
    if (other.scenario != scenario) continue;
    const ParameterEntry& its = entries_[scenario][other.entry];
    if (other.of == found.owner && found.owner != sim::ValueOwner::Term) same.emplace(owner_of(other.value), its);
    all_alike = all_alike && (!shared || alike(*shared, its));
    shared = its;
  }
  if (!shared) return;  // the other declaration does not affect this recording
  if (!all_alike && same.empty())
    reject_tie(d, "must be tied to a value of the same particles or springs, or to one that all its entries share",
               "'" + d.tie->to + "', whose entries differ",
               "give '" + d.tie->to + "' share: all, and multiplier: false where its entries differ");
  for (const ValueEntry& entry : found.entries) {
    if (!is_selected(d, selected, entry)) continue;
    const auto its = same.find(owner_of(entry));
    if (its == same.end() && !all_alike) continue;  // the other declaration does not affect this owner
    ParameterEntry own = tied_entry(d, its != same.end() ? its->second : *shared, info_);
    own.index = entry.index;
    entries_[scenario].push_back(std::move(own));
  }
}

void ParameterBuilder::tie(const Parameter& d) {
  check(d);
  if (!resolved_.count(d.tie->to)) {
    std::string known;
    for (const auto& [name, entries] : resolved_) known += (known.empty() ? "" : ", ") + name;
    reject_tie(d, "must be tied to a parameter of this fit that is not tied itself", "'" + d.tie->to + "'",
               "known: " + known);
  }
  const auto count = [this] {
    std::size_t sum = 0;
    for (const auto& of_scenario : entries_) sum += of_scenario.size();
    return sum;
  };
  const std::size_t before = count();
  const std::set<Index> selected(d.entries.selected.begin(), d.entries.selected.end());
  for (const Index scenario : chosen_scenarios(d)) tie_scenario(d, scenario, selected);
  if (count() == before)
    reject_tie(d, "must cover an entry that '" + d.tie->to + "' also covers", "no entry",
               "check values, groups and selected entries of both; known values: " + value_names(scenarios_.front()));
}

}  // namespace pithball::optim
