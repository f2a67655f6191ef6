#include "optim/parameter_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "optim/value_entries.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

[[noreturn]] void refuse(const std::string& what, const std::string& required, const std::string& got = "",
                         const std::string& remedy = "") {
  throw InvalidArgument({"", "parameters: " + what, required, got, remedy});
}

std::string printed(double value) {
  std::string text = std::to_string(value);
  if (std::abs(value) < 1e-2 || std::abs(value) >= 1e6) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%g", value);
    text = buffer;
  }
  return text;
}

const std::string& printed_name(const Parameter& d) { return d.name.empty() ? d.value : d.name; }

/// Owner → group name; an owner in two groups would have two values.
std::map<Index, std::string> group_of_owner(const Parameter& d) {
  std::map<Index, std::string> group_of;
  for (const NamedEntries& group : d.groups)
    for (Index owner : group.entries)
      if (!group_of.emplace(owner, group.name).second && group_of[owner] != group.name)
        refuse(printed_name(d), "groups must not overlap",
               "entry " + std::to_string(owner) + " in '" + group_of[owner] + "' and '" + group.name + "'");
  return group_of;
}

/// Whether something acts on charges from outside the body: only that tells a charge's sign.
bool has_external_electric_force(const sim::Model& model) {
  const sim::Values& values = model.values();
  for (const sim::ValueBlock& block : values.blocks())
    if ((block.name == "electric_field" || block.name == "point_charge") &&
        !values.data().segment(block.offset, block.size).isZero(0))
      return true;
  return false;
}

}  // namespace

ParameterMap::ParameterMap(std::vector<diff::Scenario> scenarios, const std::vector<Parameter>& declarations)
    : scenarios_(std::move(scenarios)), entries_(scenarios_.size()), active_(scenarios_.size()) {
  if (scenarios_.empty()) refuse("", "need at least one recording");
  for (const Parameter& declaration : declarations) add(declaration);
  if (info_.empty())
    refuse("", "need at least one parameter", "none", "name a value to fit, such as charge or stiffness");

  std::set<std::string> names;
  for (const ParameterInfo& p : info_)
    if (!names.insert(p.name).second)
      refuse(p.name, "names must differ", "two", "give recordings and groups different names");
  for (std::size_t s = 0; s < scenarios_.size(); ++s) {
    std::set<Index> touched, used;
    for (const Entry& e : entries_[s]) {
      if (!touched.insert(e.index).second)
        refuse(info_[static_cast<std::size_t>(e.parameter)].name, "each value may belong to one parameter only",
               "a value of recording '" + scenarios_[s].name + "' that another parameter sets too");
      used.insert(e.parameter);
    }
    active_[s].assign(used.begin(), used.end());
  }
  check_start();
  note_signs();
}

void ParameterMap::add(const Parameter& d) {
  const std::string name = printed_name(d);
  const auto count = scenarios_.size();
  if (d.recordings == RecordingSharing::Label && d.labels.size() != count)
    refuse(name, "labels must be one for each recording (" + std::to_string(count) + ")",
           std::to_string(d.labels.size()));
  if (!d.offset.empty() && d.offset.size() != count)
    refuse(name, "offset must be one vector for each recording (" + std::to_string(count) + ")",
           std::to_string(d.offset.size()));
  if (d.entries == EntrySharing::Group && d.groups.empty()) refuse(name, "share: group needs named groups", "none");
  if (d.components.find_first_not_of("xyz") != std::string::npos)
    refuse(name, "components must be out of x, y, z", d.components);
  const std::map<Index, std::string> group_of = group_of_owner(d);
  const std::set<Index> selected(d.selected.begin(), d.selected.end());
  std::vector<Index> chosen = d.scenarios;
  if (chosen.empty()) {
    chosen.resize(count);
    std::iota(chosen.begin(), chosen.end(), Index{0});
  }

  const std::size_t first = info_.size();
  std::map<std::tuple<std::string, std::string, int>, Index> number;  // (recording, group, component) → parameter
  std::vector<double> sum;                                            // of (given − offset)/weight, for the mean
  std::vector<Index> members;
  sim::ValueSign sign = sim::ValueSign::Any;
  bool known = false;
  for (Index s : chosen) {
    if (s < 0 || s >= static_cast<Index>(count)) refuse(name, "no such recording", std::to_string(s));
    const diff::Scenario& scenario = scenarios_[static_cast<std::size_t>(s)];
    const ValueEntries found = find_value_entries(scenario, d.value);
    if (found.entries.empty()) continue;
    known = true;
    sign = found.sign;
    const Vector given = scenario.physical_values();
    const Vector* offset = d.offset.empty() ? nullptr : &d.offset[static_cast<std::size_t>(s)];
    if (offset && offset->size() != static_cast<Index>(found.entries.size()))
      refuse(
          name,
          "offset of recording '" + scenario.name + "' must have " + std::to_string(found.entries.size()) + " entries",
          std::to_string(offset->size()));
    for (std::size_t k = 0; k < found.entries.size(); ++k) {
      const ValueEntry& entry = found.entries[k];
      if (!selected.empty() && !selected.count(entry.owner)) continue;
      if (entry.component >= 0 && !d.components.empty() &&
          d.components.find("xyz"[entry.component]) == std::string::npos)
        continue;
      std::string group;
      if (d.entries == EntrySharing::None) group = std::to_string(entry.owner);
      if (d.entries == EntrySharing::Group) {
        const auto it = group_of.find(entry.owner);
        if (it == group_of.end()) continue;
        group = it->second;
      }
      std::string recording;
      if (d.recordings == RecordingSharing::Each) recording = scenario.name;
      if (d.recordings == RecordingSharing::Label) recording = d.labels[static_cast<std::size_t>(s)];
      const double known_part = offset ? (*offset)[static_cast<Index>(k)] : 0;
      const double weight = d.factor ? given[entry.index] - known_part : 1;
      if (weight == 0) continue;  // nothing to scale
      const int component = d.factor ? -1 : entry.component;

      const auto [it, is_new] = number.try_emplace({recording, group, component}, size());
      if (is_new) {
        ParameterInfo p;
        p.name = name + (recording.empty() ? "" : "[" + recording + "]") + (group.empty() ? "" : "[" + group + "]");
        if (component >= 0) p.name += std::string(".") + "xyz"[component];
        p.value = d.value;
        p.group = group;
        p.recording = recording;
        p.unit = d.factor ? "" : found.unit;
        info_.push_back(p);
        sum.push_back(0);
        members.push_back(0);
      }
      entries_[static_cast<std::size_t>(s)].push_back({it->second, entry.index, weight, known_part});
      sum[static_cast<std::size_t>(it->second) - first] += (given[entry.index] - known_part) / weight;
      ++members[static_cast<std::size_t>(it->second) - first];
    }
  }
  if (!known)
    refuse(name, "must be a value of the model", "'" + d.value + "'", "known here: " + value_names(scenarios_.front()));
  if (info_.size() == first)
    refuse(name, "must touch something", "no entry",
           "look at groups, selected entries and components, and at values of 0 for a factor");

  double scale = 0, largest_bound = 0;
  for (std::size_t k = first; k < info_.size(); ++k) {
    ParameterInfo& p = info_[k];
    p.initial = d.initial.value_or(sum[k - first] / static_cast<double>(members[k - first]));
    p.lower = d.lower.value_or(-infinity);
    p.upper = d.upper.value_or(infinity);
    if (sign != sim::ValueSign::Any) p.lower = std::max(p.lower, 0.0);
    if (!std::isfinite(p.initial)) refuse(p.name, "initial must be finite", printed(p.initial));
    if (!(p.lower < p.upper))
      refuse(p.name, "bounds must be lower < upper", printed(p.lower) + ", " + printed(p.upper));
    if (p.initial < p.lower || p.initial > p.upper)
      refuse(p.name, "initial must lie within the bounds " + printed(p.lower) + " to " + printed(p.upper),
             printed(p.initial));
    scale = std::max(scale, std::abs(p.initial));
    for (double bound : {p.lower, p.upper})
      if (std::isfinite(bound)) largest_bound = std::max(largest_bound, std::abs(bound));
  }
  if (scale == 0) scale = largest_bound > 0 ? largest_bound : 1;

  for (std::size_t k = first; k < info_.size(); ++k) {
    ParameterInfo& p = info_[k];
    Transform::Kind kind = d.transform;
    // A drag that starts at 0 has no logarithm, so it gets the scaled identity with a bound at 0.
    if (kind == Transform::Kind::Automatic)
      kind = sign != sim::ValueSign::Any && p.initial > 0 ? Transform::Kind::Log : Transform::Kind::Scaled;
    if (kind == Transform::Kind::Log && !(p.initial > 0))
      refuse(p.name, "transform log needs a start > 0", printed(p.initial),
             "give an initial value > 0 or transform: scaled");
    if (kind == Transform::Kind::Log) p.lower = std::max(p.lower, 0.0);
    p.transform = Transform(kind, scale);
  }
}

void ParameterMap::check_start() const {
  const Vector start = initial();
  for (std::size_t s = 0; s < scenarios_.size(); ++s) {
    const auto is_charge = [&](Index k) { return info_[static_cast<std::size_t>(k)].value == "charge"; };
    if (std::none_of(active_[s].begin(), active_[s].end(), is_charge)) continue;
    const sim::Model model = scatter(start, static_cast<Index>(s)).model;
    if (!has_external_electric_force(model) && model.charge().isZero(0))
      refuse("charge", "must not start at 0, which is a stationary start: forces depend on products of charges", "0",
             "give an initial charge of the expected size");
  }
}

void ParameterMap::note_signs() {
  const Vector start = initial();
  std::set<Index> undetermined, determined;
  for (std::size_t s = 0; s < scenarios_.size(); ++s) {
    const sim::ValueBlock& block = scenarios_[s].model.values().block(sim::Model::charge_block);
    const sim::Model model = scatter(start, static_cast<Index>(s)).model;
    Vector charge = model.charge();
    std::set<Index> free;
    for (const Entry& e : entries_[s])
      if (e.index >= block.offset && e.index < block.offset + block.size) {
        charge[e.index - block.offset] = e.offset;  // what is left is known, and fixes the sign if it is not 0
        free.insert(e.parameter);
      }
    const bool tells_sign = has_external_electric_force(model) || !charge.isZero(0);
    (tells_sign ? determined : undetermined).insert(free.begin(), free.end());
  }
  for (Index k : undetermined)
    if (!determined.count(k)) {
      notes_.push_back(
          info_[static_cast<std::size_t>(k)].name +
          ": the sign cannot be determined, because no external field or known charge acts; that of the start is kept");
    }
}

std::vector<std::string> ParameterMap::names() const {
  std::vector<std::string> names;
  for (const ParameterInfo& p : info_) names.push_back(p.name);
  return names;
}

Vector ParameterMap::initial() const {
  Vector theta(size());
  for (Index k = 0; k < size(); ++k) {
    const ParameterInfo& p = info_[static_cast<std::size_t>(k)];
    theta[k] = p.transform.theta(p.initial);
  }
  return theta;
}

Vector ParameterMap::lower() const {
  Vector bound(size());
  for (Index k = 0; k < size(); ++k) {
    const ParameterInfo& p = info_[static_cast<std::size_t>(k)];
    bound[k] = p.lower == -infinity ? -infinity : p.transform.theta(p.lower);
  }
  return bound;
}

Vector ParameterMap::upper() const {
  Vector bound(size());
  for (Index k = 0; k < size(); ++k) {
    const ParameterInfo& p = info_[static_cast<std::size_t>(k)];
    bound[k] = p.upper == infinity ? infinity : p.transform.theta(p.upper);
  }
  return bound;
}

diff::Scenario ParameterMap::scatter(const Vector& theta, Index scenario) const {
  const auto s = static_cast<std::size_t>(scenario);
  const Vector p = physical(theta);
  Vector values = scenarios_[s].physical_values();
  for (const Entry& e : entries_[s]) values[e.index] = e.offset + e.weight * p[e.parameter];
  return scenarios_[s].with_physical_values(values);
}

std::vector<diff::Scenario> ParameterMap::scatter(const Vector& theta) const {
  std::vector<diff::Scenario> scenarios;
  for (std::size_t s = 0; s < scenarios_.size(); ++s) scenarios.push_back(scatter(theta, static_cast<Index>(s)));
  return scenarios;
}

Vector ParameterMap::gather(const std::vector<diff::Scenario>& scenarios) const {
  Vector sum = Vector::Zero(size()), members = Vector::Zero(size());
  for (std::size_t s = 0; s < scenarios_.size(); ++s) {
    const Vector values = scenarios[s].physical_values();
    for (const Entry& e : entries_[s]) {
      sum[e.parameter] += (values[e.index] - e.offset) / e.weight;
      members[e.parameter] += 1;
    }
  }
  Vector theta(size());
  for (Index k = 0; k < size(); ++k) theta[k] = info_[static_cast<std::size_t>(k)].transform.theta(sum[k] / members[k]);
  return theta;
}

Eigen::MatrixXd ParameterMap::directions(const Vector& theta, Index scenario) const {
  const auto s = static_cast<std::size_t>(scenario);
  const Vector slope = physical_derivative(theta);
  std::vector<Index> column(info_.size(), -1);
  for (std::size_t c = 0; c < active_[s].size(); ++c)
    column[static_cast<std::size_t>(active_[s][c])] = static_cast<Index>(c);
  Eigen::MatrixXd directions = Eigen::MatrixXd::Zero(scenarios_[s].size(), static_cast<Index>(active_[s].size()));
  for (const Entry& e : entries_[s])
    directions(e.index, column[static_cast<std::size_t>(e.parameter)]) = e.weight * slope[e.parameter];
  return directions;
}

void ParameterMap::pull_back(const Vector& theta, Index scenario, const Vector& gradient,
                             Vector& theta_gradient) const {
  const Vector slope = physical_derivative(theta);
  for (const Entry& e : entries_[static_cast<std::size_t>(scenario)])
    theta_gradient[e.parameter] += e.weight * slope[e.parameter] * gradient[e.index];
}

Vector ParameterMap::physical(const Vector& theta) const {
  Vector p(size());
  for (Index k = 0; k < size(); ++k) p[k] = info_[static_cast<std::size_t>(k)].transform.value(theta[k]);
  return p;
}

Vector ParameterMap::physical_derivative(const Vector& theta) const {
  Vector slope(size());
  for (Index k = 0; k < size(); ++k) slope[k] = info_[static_cast<std::size_t>(k)].transform.derivative(theta[k]);
  return slope;
}

}  // namespace pithball::optim
