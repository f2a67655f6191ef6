#include "optim/parameter_builder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

[[noreturn]] void refuse_parameter(const std::string& name, const std::string& required, const std::string& got,
                         const std::string& remedy = "") {
  throw InvalidArgument({"", "parameters: " + name, required, got, remedy});
}

std::string printed(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

const std::string& printed_name(const Parameter& d) { return d.name.empty() ? d.value : d.name; }

/// An owner in two groups would have two values.
std::map<Index, std::string> group_of_owner(const Parameter& d) {
  std::map<Index, std::string> group_of;
  for (const NamedEntries& group : d.groups)
    for (Index owner : group.entries) {
      const auto [it, is_new] = group_of.try_emplace(owner, group.name);
      if (!is_new && it->second != group.name)
        refuse_parameter(printed_name(d), "groups must not overlap",
               "entry " + std::to_string(owner) + " in '" + it->second + "' and '" + group.name + "'");
    }
  return group_of;
}

}  // namespace

void ParameterBuilder::add(const Parameter& d) {
  check(d);
  Collection collection;
  collection.first = info_.size();
  collection.group_of = group_of_owner(d);
  collection.selected.insert(d.selected.begin(), d.selected.end());
  std::vector<Index> chosen = d.scenarios;
  if (chosen.empty()) {
    chosen.resize(scenarios_.size());
    std::iota(chosen.begin(), chosen.end(), Index{0});
  }
  for (Index scenario : chosen) collect(d, scenario, collection);
  if (!collection.is_known)
    refuse_parameter(printed_name(d), "must be a value of the model", "'" + d.value + "'",
           "known here: " + value_names(scenarios_.front()));
  if (info_.size() == collection.first)
    refuse_parameter(printed_name(d), "must touch something", "no entry",
           "look at groups, selected entries and components, and at values of 0 for a factor");
  settle_bounds(d, collection);
  settle_transforms(d, collection);
}

void ParameterBuilder::check(const Parameter& d) const {
  const std::string& name = printed_name(d);
  const std::string count = std::to_string(scenarios_.size());
  if (d.recordings == RecordingSharing::Label && d.labels.size() != scenarios_.size())
    refuse_parameter(name, "labels must be one for each recording (" + count + ")", std::to_string(d.labels.size()));
  if (!d.offset.empty() && d.offset.size() != scenarios_.size())
    refuse_parameter(name, "offset must be one vector for each recording (" + count + ")", std::to_string(d.offset.size()));
  if (d.entries == EntrySharing::Group && d.groups.empty()) refuse_parameter(name, "share: group needs named groups", "none");
  if (d.components.find_first_not_of("xyz") != std::string::npos)
    refuse_parameter(name, "components must be out of x, y, z", d.components);
  for (Index s : d.scenarios)
    if (s < 0 || s >= static_cast<Index>(scenarios_.size()))
      refuse_parameter(name, "recordings must be below " + count, std::to_string(s));
}

void ParameterBuilder::collect(const Parameter& d, Index number, Collection& collection) {
  const auto s = static_cast<std::size_t>(number);
  const diff::Scenario& scenario = scenarios_[s];
  const ValueEntries found = find_value_entries(scenario, d.value);
  if (found.entries.empty()) return;
  collection.is_known = true;
  collection.sign = found.sign;
  const auto count = static_cast<Index>(found.entries.size());
  if (!d.offset.empty() && d.offset[s].size() != count)
    refuse_parameter(printed_name(d),
           "offset of recording '" + scenario.name + "' must have " + std::to_string(count) + " entries",
           std::to_string(d.offset[s].size()));
  std::string recording;
  if (d.recordings == RecordingSharing::Each) recording = scenario.name;
  if (d.recordings == RecordingSharing::Label) recording = d.labels[s];

  const Vector values = scenario.physical_values();
  for (Index k = 0; k < count; ++k) {
    const ValueEntry& entry = found.entries[static_cast<std::size_t>(k)];
    if (!collection.selected.empty() && !collection.selected.count(entry.owner)) continue;
    if (entry.component >= 0 && !d.components.empty() && d.components.find("xyz"[entry.component]) == std::string::npos)
      continue;
    std::string group;
    if (d.entries == EntrySharing::None) group = std::to_string(entry.owner);
    if (d.entries == EntrySharing::Group) {
      const auto it = collection.group_of.find(entry.owner);
      if (it == collection.group_of.end()) continue;
      group = it->second;
    }
    const double offset = d.offset.empty() ? 0 : d.offset[s][k];
    const double weight = d.factor ? values[entry.index] - offset : 1;
    if (weight == 0) continue;  // nothing to scale
    const Index parameter = parameter_of(d, entry, found.unit, recording, group, collection);
    entries_[s].push_back({parameter, entry.index, weight, offset});
    const std::size_t member = static_cast<std::size_t>(parameter) - collection.first;
    collection.sum[member] += (values[entry.index] - offset) / weight;
    collection.members[member] += 1;
  }
}

Index ParameterBuilder::parameter_of(const Parameter& d, const ValueEntry& entry, const std::string& unit,
                                     const std::string& recording, const std::string& group, Collection& collection) {
  const int component = d.factor ? -1 : entry.component;
  const auto [it, is_new] =
      collection.number.try_emplace({recording, group, component}, static_cast<Index>(info_.size()));
  if (is_new) {
    ParameterInfo p;
    p.name = printed_name(d);
    if (!recording.empty()) p.name += "[" + recording + "]";
    if (!group.empty()) p.name += "[" + group + "]";
    if (component >= 0) p.name += std::string(".") + "xyz"[component];
    p.value = d.value;
    p.group = group;
    p.recording = recording;
    p.unit = d.factor ? "" : unit;
    info_.push_back(p);
    collection.sum.push_back(0);
    collection.members.push_back(0);
  }
  return it->second;
}

void ParameterBuilder::settle_bounds(const Parameter& d, const Collection& collection) {
  for (std::size_t k = collection.first; k < info_.size(); ++k) {
    ParameterInfo& p = info_[k];
    p.initial = d.initial.value_or(collection.sum[k - collection.first] / collection.members[k - collection.first]);
    p.lower = d.lower.value_or(-unbounded);
    p.upper = d.upper.value_or(unbounded);
    if (collection.sign != sim::ValueSign::Any) p.lower = std::max(p.lower, 0.0);
    if (!std::isfinite(p.initial)) refuse_parameter(p.name, "initial must be finite", printed(p.initial));
    if (!(p.lower < p.upper))
      refuse_parameter(p.name, "bounds must be lower < upper", printed(p.lower) + ", " + printed(p.upper));
    if (p.initial < p.lower || p.initial > p.upper)
      refuse_parameter(p.name, "initial must lie within the bounds " + printed(p.lower) + " to " + printed(p.upper),
             printed(p.initial));
  }
}

void ParameterBuilder::settle_transforms(const Parameter& d, const Collection& collection) {
  // One scale for all parameters of a declaration: the size of their starts, or else of their bounds.
  double scale = 0, largest_bound = 0;
  for (std::size_t k = collection.first; k < info_.size(); ++k) {
    scale = std::max(scale, std::abs(info_[k].initial));
    for (double bound : {info_[k].lower, info_[k].upper})
      if (std::isfinite(bound)) largest_bound = std::max(largest_bound, std::abs(bound));
  }
  if (scale == 0) scale = largest_bound > 0 ? largest_bound : 1;

  for (std::size_t k = collection.first; k < info_.size(); ++k) {
    ParameterInfo& p = info_[k];
    Transform::Kind kind = d.transform;
    // A drag that starts at 0 has no logarithm, so it gets the scaled identity with a bound at 0.
    if (kind == Transform::Kind::Automatic)
      kind = collection.sign != sim::ValueSign::Any && p.initial > 0 ? Transform::Kind::Log : Transform::Kind::Scaled;
    if (kind == Transform::Kind::Log) {
      if (!(p.initial > 0))
        refuse_parameter(p.name, "transform log needs a start > 0", printed(p.initial),
               "give an initial value > 0 or transform: scaled");
      p.lower = std::max(p.lower, 0.0);
    }
    p.transform = Transform(kind, scale);
  }
}

}  // namespace pithball::optim
