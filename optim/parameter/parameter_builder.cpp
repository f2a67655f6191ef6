#include "optim/parameter/parameter_builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "optim/parameter/control_points.hpp"
#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::optim {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();

[[noreturn]] void reject_parameter(const std::string& name, const std::string& required, const std::string& got,
                                   const std::string& remedy = "") {
  throw InvalidArgument({"", "parameters: " + name, required, got, remedy});
}

std::string printed(double value) { return formatted("%g", value); }

[[noreturn]] void reject_unknown(const Parameter& d, const diff::Scenario& scenario) {
  const sim::Values& values = scenario.model.values();
  if (const auto block = values.find(d.value); block && values.block(*block).size == 0) {
    const bool is_of_springs = values.block(*block).owner == sim::ValueOwner::Spring;
    reject_parameter(
        d.printed_name(), is_of_springs ? "requires springs" : "needs entries",
        is_of_springs ? "a body without springs" : "a model without any",
        is_of_springs ? "write `springs: {edges: [[0, 1], …]}` below system, or a mesh that has edges" : "");
  }
  reject_parameter(d.printed_name(), "must be a value of the model", "'" + d.value + "'",
                   "known: " + value_names(scenario));
}

/// Finds the group of each owner; rejects owners in two groups, which would have two values.
std::map<Index, std::string> group_of_owner(const Parameter& d) {
  std::map<Index, std::string> group_of;
  for (const NamedEntries& group : d.entries.groups)
    for (Index owner : group.entries) {
      const auto [it, is_new] = group_of.try_emplace(owner, group.name);
      if (!is_new && it->second != group.name)
        reject_parameter(d.printed_name(), "groups must not overlap",
                         "entry " + std::to_string(owner) + " in '" + it->second + "' and '" + group.name + "'");
    }
  return group_of;
}

/// Returns the positions [m], at the start of the scenario, of the owners of a value: of particles, or of the midpoints
/// of springs.
sim::Points places_of(const diff::Scenario& scenario, sim::ValueOwner of, const std::vector<Index>& owners) {
  const sim::Points& x = scenario.rest_near ? *scenario.rest_near : scenario.initial.x;
  sim::Points places(3, static_cast<Index>(owners.size()));
  for (std::size_t k = 0; k < owners.size(); ++k) {
    if (of == sim::ValueOwner::Particle) {
      places.col(k) = x.col(owners[k]);
    } else {
      const sim::Spring& spring = scenario.model.springs()[owners[k]];
      places.col(k) = (x.col(spring.i) + x.col(spring.j)) / 2;
    }
  }
  return places;
}

}  // namespace

void ParameterBuilder::Range::add(double value, double offset) {
  lowest = std::min(lowest, value);
  highest = std::max(highest, value);
  size = std::max({size, std::abs(value), std::abs(offset)});
}

bool ParameterBuilder::Range::differs() const {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();  // of a sum and of the difference
  return highest - lowest > rounding * size;
}

std::optional<DifferingValues> ParameterBuilder::add(const Parameter& d) {
  check(d);
  Owners owners = find_owners(d);
  Mode mode = find_mode(d, owners);
  Collection collection{std::move(owners), std::move(mode), info_.size(), {}, {}};
  for (Index scenario : chosen_scenarios(d)) collect(d, scenario, collection);
  if (!collection.value) reject_unknown(d, scenarios_.front());
  if (info_.size() == collection.first)
    reject_parameter(d.printed_name(), "must select at least one entry", "no entry",
                     "check groups, selected entries and components, and values of 0 for a multiplier");
  settle_bounds(d, collection);
  settle_transforms(d, collection);
  return collection.mode.differing;
}

ParameterBuilder::Owners ParameterBuilder::find_owners(const Parameter& d) const {
  Owners owners{{d.entries.selected.begin(), d.entries.selected.end()}, group_of_owner(d), {}};
  if (d.entries.sharing == EntrySharing::Smooth) place_control_points(d, chosen_scenarios(d).front(), owners);
  return owners;
}

std::string ParameterBuilder::recording_of(const Parameter& d, std::size_t scenario) const {
  if (d.recordings.sharing == RecordingSharing::Each) return scenarios_[scenario].name;
  return d.recordings.sharing == RecordingSharing::Label ? d.recordings.labels[scenario] : "";
}

template <class Take>
void ParameterBuilder::each_entry(const Parameter& d, const ValueEntries& found, std::size_t scenario,
                                  const std::set<Index>& selected, Take take) const {
  const Vector values = recording_values(scenarios_[scenario], recording_frames_[scenario]);
  if (!d.offset.empty() && d.offset[scenario].size() != found.places)
    reject_parameter(d.printed_name(),
                     "offset of recording '" + scenarios_[scenario].name + "' must have " +
                         std::to_string(found.places) + " entries",
                     std::to_string(d.offset[scenario].size()));
  for (const ValueEntry& entry : found.entries) {
    if (!is_selected(d, selected, entry)) continue;
    const double offset = d.offset.empty() ? 0 : d.offset[scenario][entry.place];
    take(entry, values[entry.index] - offset, offset);
  }
}

ParameterBuilder::Mode ParameterBuilder::find_mode(const Parameter& d, const Owners& owners) const {
  Mode mode;
  std::map<Sharers, Range> shared, without_zeros;
  DifferingValues differing{d.printed_name(), ""};
  Range all;
  bool is_scalar = true;
  const bool is_shared = d.entries.sharing == EntrySharing::All || d.entries.sharing == EntrySharing::Group;
  for (const Index number : chosen_scenarios(d)) {
    const std::size_t s = number;
    const ValueEntries found = find_value_entries(scenarios_[s], d.value);
    if (!found.entries.empty()) differing.unit = found.unit;
    each_entry(d, found, s, owners.selected, [&](const ValueEntry& entry, double value, double offset) {
      const std::optional<std::string> group = is_shared ? group_of(d, entry.owner, owners) : std::nullopt;
      if (!group) return;
      const Sharers sharers{recording_of(d, s), *group, entry.component, entry.key_time};
      shared[sharers].add(value, offset);
      is_scalar = is_scalar && entry.component < 0;
      if (value != 0) without_zeros[sharers].add(value, offset);
      all.add(value, offset);
    });
  }
  const auto differs = [](const auto& one) { return one.second.differs(); };
  const bool differ = std::ranges::any_of(shared, differs);
  const bool is_free = differ && !d.factor && !d.initial && d.priors.empty();
  differing.keeps_zeros = is_free && is_scalar && d.offset.empty() && std::ranges::none_of(without_zeros, differs);
  mode.is_factor = !differing.keeps_zeros && d.factor.value_or(is_free);
  for (const auto& [sharers, range] : shared)
    if (differing.keeps_zeros && range.differs()) mode.keeps_zeros.insert(sharers);
  if (!differ) return mode;
  differing.lowest = all.lowest;
  differing.highest = all.highest;
  differing.keeps_ratios = mode.is_factor;
  mode.differing = std::move(differing);
  return mode;
}

std::vector<Index> ParameterBuilder::chosen_scenarios(const Parameter& d) const {
  if (!d.recordings.scenarios.empty()) return d.recordings.scenarios;
  std::vector<Index> all(scenarios_.size());
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

bool ParameterBuilder::is_selected(const Parameter& d, const std::set<Index>& selected, const ValueEntry& entry) {
  if (!selected.empty() && !selected.count(entry.owner)) return false;
  return entry.component < 0 || d.entries.components.empty() ||
         d.entries.components.find("xyz"[entry.component]) != std::string::npos;
}

void ParameterBuilder::place_control_points(const Parameter& d, Index scenario, Owners& declared) const {
  const diff::Scenario& first = scenarios_[scenario];
  const ValueEntries found = find_value_entries(first, d.value);
  if (found.entries.empty()) return;
  if (found.owner == sim::ValueOwner::Term)
    reject_parameter(d.printed_name(), "share: smooth needs a value of particles or springs", "one of a force",
                     "use share: all");
  std::set<Index> each;
  for (const ValueEntry& entry : found.entries)
    if (is_selected(d, declared.selected, entry)) each.insert(entry.owner);
  const std::vector<Index> owners(each.begin(), each.end());
  if (d.entries.control_points < 1 || d.entries.control_points > static_cast<Index>(owners.size()))
    reject_parameter(d.printed_name(),
                     "points must be between 1 and " + std::to_string(owners.size()) + ", the number of entries",
                     std::to_string(d.entries.control_points), "choose fewer points");
  const ControlPoints control(places_of(first, found.owner, owners), d.entries.control_points);
  for (std::size_t i = 0; i < owners.size(); ++i)
    for (std::size_t k = 0; k < control.points().size(); ++k)
      declared.control[owners[i]].emplace_back(owners[control.points()[k]], control.weights()(i, k));
}

void ParameterBuilder::check(const Parameter& d) const {
  const std::string& name = d.printed_name();
  const std::string count = std::to_string(scenarios_.size());
  if (d.recordings.sharing == RecordingSharing::Label && d.recordings.labels.size() != scenarios_.size())
    reject_parameter(name, "labels must be one for each recording (" + count + ")",
                     std::to_string(d.recordings.labels.size()));
  if (!d.offset.empty() && d.offset.size() != scenarios_.size())
    reject_parameter(name, "offset must be one vector for each recording (" + count + ")",
                     std::to_string(d.offset.size()));
  if (d.entries.sharing == EntrySharing::Group && d.entries.groups.empty())
    reject_parameter(name, "share: group needs named groups", "none");
  if (d.entries.components.find_first_not_of("xyz") != std::string::npos)
    reject_parameter(name, "components must consist of x, y, z", d.entries.components);
  for (Index s : d.recordings.scenarios)
    if (s < 0 || s >= static_cast<Index>(scenarios_.size()))
      reject_parameter(name, "recordings must be below " + count, std::to_string(s));
}

void ParameterBuilder::collect(const Parameter& d, Index number, Collection& collection) {
  const std::size_t s = number;
  const diff::Scenario& scenario = scenarios_[s];
  const ValueEntries found = find_value_entries(scenario, d.value);
  if (found.entries.empty()) return;
  collection.value = ValueTraits{found.unit, found.sign, found.scaling};
  const std::string recording = recording_of(d, s);
  each_entry(d, found, s, collection.owners.selected, [&](const ValueEntry& entry, double value, double offset) {
    const double scale = collection.mode.is_factor ? value : 1;
    if (scale == 0) return;  // nothing to scale
    if (const auto& zeros = collection.mode.keeps_zeros; value == 0 && !zeros.empty()) {
      const std::optional<std::string> group = group_of(d, entry.owner, collection.owners);
      if (group && zeros.count({recording, *group, entry.component, entry.key_time})) return;
    }
    const std::vector<ParameterShare> shares = shares_of(d, entry, recording, collection);
    if (shares.empty()) return;
    const bool logarithmic = d.entries.sharing == EntrySharing::Smooth && found.sign != sim::ValueSign::Any;
    resolved_[d.printed_name()].push_back({s, entries_[s].size(), found.owner, entry});
    entries_[s].push_back({entry.index, offset, scale, logarithmic, shares});
    if (shares.size() > 1) return;  // interpolated between control points
    GivenValues& given = collection.given[shares.front().parameter - collection.first];
    // A running mean: if all values are equal, it equals them to the last bit.
    given.count += 1;
    given.mean += (value / scale - given.mean) / given.count;
    given.scales.add(scale, offset);
  });
}

std::optional<std::string> ParameterBuilder::group_of(const Parameter& d, Index owner, const Owners& owners) {
  if (d.entries.sharing == EntrySharing::None) return std::to_string(owner);
  if (d.entries.sharing != EntrySharing::Group) return "";
  const auto it = owners.group_of.find(owner);
  return it == owners.group_of.end() ? std::nullopt : std::optional(it->second);
}

std::vector<ParameterShare> ParameterBuilder::shares_of(const Parameter& d, const ValueEntry& entry,
                                                        const std::string& recording, Collection& collection) {
  Sharers sharers{recording, "", entry.component, entry.key_time};
  if (collection.mode.is_factor) sharers.component = -1;
  if (d.factor.value_or(false)) sharers.key_time = {};  // an implicit factor leaves the time dependence free
  const auto parameter_named = [&](const std::string& group) {
    sharers.group = group;
    return parameter_of(d, sharers, collection);
  };
  if (d.entries.sharing == EntrySharing::Smooth) {
    const auto control = collection.owners.control.find(entry.owner);
    if (control == collection.owners.control.end())
      reject_parameter(d.printed_name(), "share: smooth needs the same body in all recordings",
                       "one with other entries", "restrict it to recordings of one body");
    std::vector<ParameterShare> shares;
    for (const auto& [owner, weight] : control->second) {
      const Index parameter = parameter_named(std::to_string(owner));
      if (weight != 0) shares.push_back({parameter, weight});
    }
    return shares;
  }
  const std::optional<std::string> group = group_of(d, entry.owner, collection.owners);
  if (!group) return {};
  return {{parameter_named(*group), 1}};
}

Index ParameterBuilder::parameter_of(const Parameter& d, const Sharers& sharers, Collection& collection) {
  const auto [it, is_new] = collection.number.try_emplace(sharers, static_cast<Index>(info_.size()));
  if (is_new) {
    ParameterInfo p;
    p.name = d.printed_name();
    if (!sharers.recording.empty()) p.name += "[" + sharers.recording + "]";
    if (!sharers.group.empty()) p.name += "[" + sharers.group + "]";
    if (sharers.component >= 0) p.name += std::string(".") + "xyz"[sharers.component];
    if (sharers.key_time) p.name += "(" + printed(*sharers.key_time) + " s)";
    p.value = d.value;
    p.group = sharers.group;
    p.recording = sharers.recording;
    p.unit = collection.mode.is_factor ? "" : collection.value->unit;
    p.scaling = collection.value->scaling;
    info_.push_back(p);
    collection.given.emplace_back();
  }
  return it->second;
}

void ParameterBuilder::bound_each_entry(const Parameter& d, const Collection& collection) {
  for (std::size_t k = collection.first; k < info_.size(); ++k) {
    ParameterInfo& p = info_[k];
    const Range& values = collection.given[k - collection.first].scales;
    p.lower = -unbounded;
    p.upper = unbounded;
    for (const double value : {values.lowest, values.highest}) {  // the other values lie between them
      double least = d.range.lower.value_or(-unbounded) / value, most = d.range.upper.value_or(unbounded) / value;
      if (value < 0) std::swap(least, most);
      p.lower = std::max(p.lower, least);
      p.upper = std::min(p.upper, most);
    }
    if (p.lower > 1 || p.upper < 1)
      reject_parameter(p.name, "bounds must contain all the values that start there",
                       printed(values.lowest) + " to " + printed(values.highest) + " " + collection.value->unit,
                       "widen the bounds, or write `multiplier: false` for one value that replaces all");
  }
}

void ParameterBuilder::settle_bounds(const Parameter& d, const Collection& collection) {
  const bool is_bounded_by_entries = collection.mode.is_factor && !d.factor;
  if (is_bounded_by_entries) bound_each_entry(d, collection);
  for (std::size_t k = collection.first; k < info_.size(); ++k) {
    ParameterInfo& p = info_[k];
    p.initial = d.initial.value_or(collection.given[k - collection.first].mean);
    if (!is_bounded_by_entries) {
      p.lower = d.range.lower.value_or(-unbounded);
      p.upper = d.range.upper.value_or(unbounded);
    }
    if (collection.value->sign != sim::ValueSign::Any) p.lower = std::max(p.lower, 0.0);
    if (!std::isfinite(p.initial)) reject_parameter(p.name, "initial must be finite", printed(p.initial));
    if (!(p.lower < p.upper))
      reject_parameter(p.name, "bounds must be lower < upper", printed(p.lower) + ", " + printed(p.upper));
    if (p.initial < p.lower || p.initial > p.upper)
      reject_parameter(p.name, "initial must be within the bounds " + printed(p.lower) + " to " + printed(p.upper),
                       printed(p.initial), "give `initial` within the bounds, or widen the bounds");
  }
}

void ParameterBuilder::settle_transforms(const Parameter& d, const Collection& collection) {
  // One scale for all parameters of a declaration: the size of their start values or, if these are 0, that of their
  // bounds.
  double scale = 0, largest_bound = 0;
  for (std::size_t k = collection.first; k < info_.size(); ++k) {
    scale = std::max(scale, std::abs(info_[k].initial));
    for (double bound : {info_[k].lower, info_[k].upper})
      if (std::isfinite(bound)) largest_bound = std::max(largest_bound, std::abs(bound));
  }
  if (scale == 0) scale = largest_bound > 0 ? largest_bound : 1;
  if (d.range.scale > 0 && (!collection.mode.is_factor || d.factor)) scale = d.range.scale;  // otherwise of a value

  for (std::size_t k = collection.first; k < info_.size(); ++k) {
    ParameterInfo& p = info_[k];
    Transform::Kind kind = d.range.transform;
    // A drag that starts at 0 has no logarithm, so it gets the scaled identity with a bound at 0.
    if (kind == Transform::Kind::Automatic)
      kind = collection.value->sign != sim::ValueSign::Any && p.initial > 0 ? Transform::Kind::Log
                                                                            : Transform::Kind::Scaled;
    if (d.entries.sharing == EntrySharing::Smooth && collection.value->sign != sim::ValueSign::Any &&
        kind != Transform::Kind::Log)
      reject_parameter(
          p.name,
          "share: smooth needs a start > 0 and transform log, as positive values are interpolated in logarithms",
          "a start at " + printed(p.initial) + " and " + to_string(kind),
          "give an initial value > 0 and leave the transform out");
    if (kind == Transform::Kind::Log) {
      if (!(p.initial > 0))
        reject_parameter(p.name, "transform log needs a start > 0", printed(p.initial),
                         "give an initial value > 0 or transform: scaled");
      p.lower = std::max(p.lower, 0.0);
    }
    p.transform = Transform(kind, scale);
  }
}

}  // namespace pithball::optim
