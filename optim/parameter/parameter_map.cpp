#include "optim/parameter/parameter_map.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <set>

#include "optim/parameter/parameter_builder.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

[[noreturn]] void reject(const std::string& what, const std::string& required, const std::string& got,
                         const std::string& remedy = "") {
  throw InvalidArgument({"", what, required, got, remedy});
}

/// Whether a value of this name is not 0; if it has key frames, at any key time.
bool has_any(const diff::Scenario& scenario, const std::string& name) {
  const Vector& values = scenario.model.values().data();
  const std::vector<ValueEntry> entries = find_value_entries(scenario, name).entries;
  return std::any_of(entries.begin(), entries.end(), [&](const ValueEntry& e) { return values[e.index] != 0; });
}

/// Whether an external force acts on charges; without one, the sign of charges is not determined.
bool has_external_electric_force(const diff::Scenario& scenario) {
  const std::vector<sim::ValueBlock>& blocks = scenario.model.values().blocks();
  return std::any_of(blocks.begin(), blocks.end(), [&](const sim::ValueBlock& block) {
    return block.scaling == sim::ValueScaling::ExternalField && !block.key_time && has_any(scenario, block.name);
  });
}

/// Returns the charges of the body and the external values that act on them, by index in the flat values. Forces are
/// products of two of these, so the motion does not change if all of them change sign.
std::map<Index, double> electric_values(const diff::Scenario& scenario) {
  std::set<std::string> names;
  for (const sim::ValueBlock& block : scenario.model.values().blocks()) {
    const bool is_electric =
        block.scaling == sim::ValueScaling::Charge || block.scaling == sim::ValueScaling::ExternalField;
    if (is_electric && !block.key_time) names.insert(block.name);
  }
  const Vector& values = scenario.model.values().data();
  std::map<Index, double> found;
  for (const std::string& name : names)
    for (const ValueEntry& e : find_value_entries(scenario, name).entries) found[e.index] = values[e.index];
  return found;
}

/// Merges sets that share a member, since recordings determine the signs of their parameters relative to each other.
std::vector<std::set<Index>> join_overlapping(std::vector<std::set<Index>> sets) {
  std::vector<std::set<Index>> joined;
  for (std::set<Index>& one : sets) {
    const auto overlaps = [&](const std::set<Index>& other) {
      return std::any_of(other.begin(), other.end(), [&](Index k) { return one.count(k) > 0; });
    };
    for (auto other = joined.begin(); other != joined.end();)
      if (overlaps(*other)) {
        one.insert(other->begin(), other->end());
        other = joined.erase(other);
      } else {
        ++other;
      }
    joined.push_back(std::move(one));
  }
  return joined;
}

/// Formats the note on parameters whose signs may all be changed together.
std::string sign_note(const std::vector<std::string>& members) {
  constexpr const char* because = " cannot be determined, because no known external field or charge acts: ";
  if (members.size() == 1)
    return members.front() + ": the sign" + because + "the motion is the same with the opposite one";
  constexpr std::size_t most = 4;
  std::string list;
  for (std::size_t k = 0; k < members.size() && k < most; ++k) list += (k == 0 ? "" : ", ") + members[k];
  if (members.size() > most) list += " and " + std::to_string(members.size() - most) + " more";
  return list + ": the common sign" + because + "the motion is the same if all signs are reversed";
}

std::atomic<long> resolved{0};

}  // namespace

ParameterMap::ParameterMap(std::vector<diff::Scenario> scenarios, const std::vector<Parameter>& declarations,
                           std::vector<RecordingFrame> recording_frames)
    : scenarios_(std::move(scenarios)),
      recording_frames_(std::move(recording_frames)),
      entries_(scenarios_.size()),
      active_(scenarios_.size()) {
  ++resolved;
  if (scenarios_.empty()) reject("recordings", "must be at least one", "none");
  if (recording_frames_.empty()) recording_frames_.resize(scenarios_.size());
  if (recording_frames_.size() != scenarios_.size())
    reject("recording_frames", "must be one for each recording (" + std::to_string(scenarios_.size()) + ")",
           std::to_string(recording_frames_.size()));
  ParameterBuilder builder(scenarios_, recording_frames_, info_, entries_);
  for (std::size_t d = 0; d < declarations.size(); ++d) {
    if (declarations[d].tie) continue;
    const std::size_t first = info_.size();
    if (auto differing = builder.add(declarations[d])) differing_.push_back(std::move(*differing));
    for (std::size_t k = first; k < info_.size(); ++k) {
      info_[k].declaration = static_cast<Index>(d);
      info_[k].is_nuisance = declarations[d].is_nuisance;
    }
  }
  for (const Parameter& declaration : declarations)
    if (declaration.tie) builder.tie(declaration);
  check_entries();
  check_start();
  note_signs();
}

ParameterMap ParameterMap::with_scenarios(std::vector<diff::Scenario> scenarios) const {
  if (scenarios.size() != scenarios_.size())
    reject("scenarios", "must be as many as the map was made for (" + std::to_string(scenarios_.size()) + ")",
           std::to_string(scenarios.size()));
  ParameterMap map = *this;
  map.scenarios_ = std::move(scenarios);
  return map;
}

long ParameterMap::resolutions() { return resolved; }

void ParameterMap::check_entries() {
  std::set<std::string> names;
  for (const ParameterInfo& p : info_)
    if (!names.insert(p.name).second)
      reject("parameters: " + p.name, "must have different names", "two of this name",
             "list each parameter once; if it is listed once, give recordings and groups different names");
  for (std::size_t s = 0; s < scenarios_.size(); ++s) {
    std::set<Index> touched, used;
    for (const ParameterEntry& e : entries_[s]) {
      if (!touched.insert(e.index).second)
        reject("parameters: " + info_[e.shares.front().parameter].name, "must not cover entries of another parameter",
               "an entry of recording '" + scenarios_[s].name + "' that another parameter also sets");
      for (const ParameterShare& share : e.shares) used.insert(share.parameter);
    }
    active_[s].assign(used.begin(), used.end());
  }
}

void ParameterMap::check_start() const {
  const Vector start = initial();
  for (std::size_t s = 0; s < scenarios_.size(); ++s) {
    const diff::Scenario scenario = scatter(start, s);  // rejects what the model forbids
    const auto is_charge = [&](Index k) { return info_[k].scaling == sim::ValueScaling::Charge; };
    if (std::none_of(active_[s].begin(), active_[s].end(), is_charge)) continue;
    if (!has_external_electric_force(scenario) && !has_any(scenario, "charge"))
      reject("parameters: charge",
             "must not start at 0, which is a stationary start: forces depend on products of charges", "0",
             "give an initial charge of the expected size");
  }
}

void ParameterMap::note_signs() {
  const Vector start = initial();
  std::set<Index> told;
  std::vector<std::set<Index>> open;  // for each recording without a determined sign: its free values
  for (std::size_t s = 0; s < scenarios_.size(); ++s) {
    std::map<Index, double> known = electric_values(scatter(start, static_cast<Index>(s)));
    std::set<Index> free;
    for (const ParameterEntry& e : entries_[s])
      if (const auto value = known.find(e.index); value != known.end()) {
        value->second = e.offset;  // the remainder is known, and determines the sign unless it is 0
        for (const ParameterShare& share : e.shares) free.insert(share.parameter);
      }
    const bool tells_sign = std::any_of(known.begin(), known.end(), [](const auto& v) { return v.second != 0; });
    if (tells_sign)
      told.insert(free.begin(), free.end());
    else if (!free.empty())
      open.push_back(std::move(free));
  }
  for (const std::set<Index>& together : open)
    for (const Index k : together)  // bounds may determine the sign
      if (info_[k].lower >= 0 || info_[k].upper <= 0) told.insert(k);
  for (const std::set<Index>& together : join_overlapping(std::move(open))) {
    if (std::any_of(together.begin(), together.end(), [&](Index k) { return told.count(k) > 0; })) continue;
    std::vector<std::string> members;
    for (const Index k : together) members.push_back(info_[k].name);
    notes_.push_back(sign_note(members));
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
    const ParameterInfo& p = info_[k];
    theta[k] = p.transform.theta(p.initial);
  }
  return theta;
}

Vector ParameterMap::lower() const {
  Vector bound(size());
  for (Index k = 0; k < size(); ++k) {
    const ParameterInfo& p = info_[k];
    bound[k] = p.lower == -infinity ? -infinity : p.transform.theta(p.lower);
  }
  return bound;
}

Vector ParameterMap::upper() const {
  Vector bound(size());
  for (Index k = 0; k < size(); ++k) {
    const ParameterInfo& p = info_[k];
    bound[k] = p.upper == infinity ? infinity : p.transform.theta(p.upper);
  }
  return bound;
}

diff::Scenario ParameterMap::scatter(const Vector& theta, Index scenario) const {
  const std::size_t s = scenario;
  const Vector p = physical(theta);
  Vector values = scenarios_[s].physical_values();
  for (const ParameterEntry& e : entries_[s])
    if (e.index < values.size()) values[e.index] = e.value(p);
  return scenarios_[s].with_physical_values(values);
}

RecordingFrame ParameterMap::recording_frame(const Vector& theta, Index scenario) const {
  const std::size_t s = scenario;
  const Vector p = physical(theta);
  Vector values = recording_frames_[s].values();
  for (const ParameterEntry& e : entries_[s])
    if (const Index k = e.index - scenarios_[s].size(); k >= 0) values[k] = e.value(p);
  return RecordingFrame::of(values);
}

bool ParameterMap::moves_recording_frame(Index scenario) const {
  const std::size_t s = scenario;
  return std::any_of(entries_[s].begin(), entries_[s].end(),
                     [&](const ParameterEntry& e) { return e.index >= scenarios_[s].size(); });
}

std::vector<diff::Scenario> ParameterMap::scatter(const Vector& theta) const {
  std::vector<diff::Scenario> scenarios;
  for (std::size_t s = 0; s < scenarios_.size(); ++s) scenarios.push_back(scatter(theta, s));
  return scenarios;
}

Eigen::MatrixXd ParameterMap::all_directions(const Vector& theta, Index scenario) const {
  const std::size_t s = scenario;
  const Vector p = physical(theta), slope = physical_derivative(theta);
  std::vector<Index> column(info_.size(), -1);
  for (std::size_t c = 0; c < active_[s].size(); ++c) column[active_[s][c]] = c;
  Eigen::MatrixXd directions = Eigen::MatrixXd::Zero(scenarios_[s].size() + RecordingFrame::size(), active_[s].size());
  for (const ParameterEntry& e : entries_[s])
    e.differentiate(p, [&](Index k, double derivative) { directions(e.index, column[k]) += derivative * slope[k]; });
  return directions;
}

Eigen::MatrixXd ParameterMap::directions(const Vector& theta, Index scenario) const {
  return all_directions(theta, scenario).topRows(scenarios_[scenario].size());
}

Eigen::MatrixXd ParameterMap::recording_frame_directions(const Vector& theta, Index scenario) const {
  return all_directions(theta, scenario).bottomRows(RecordingFrame::size());
}

Vector ParameterMap::push_forward(const Vector& theta, Index scenario, const Vector& d) const {
  const Vector p = physical(theta), change = physical_derivative(theta).cwiseProduct(d);
  Vector values = Vector::Zero(scenarios_[scenario].size() + RecordingFrame::size());
  for (const ParameterEntry& e : entries_[scenario])
    e.differentiate(p, [&](Index k, double derivative) { values[e.index] += derivative * change[k]; });
  return values;
}

void ParameterMap::pull_back(const Vector& theta, Index scenario, const Vector& gradient,
                             Vector& theta_gradient) const {
  const Vector p = physical(theta), slope = physical_derivative(theta);
  for (const ParameterEntry& e : entries_[scenario])
    e.differentiate(
        p, [&](Index k, double derivative) { theta_gradient[k] += derivative * slope[k] * gradient[e.index]; });
}

Vector ParameterMap::physical(const Vector& theta) const {
  Vector p(size());
  for (Index k = 0; k < size(); ++k) p[k] = info_[k].transform.value(theta[k]);
  return p;
}

Vector ParameterMap::physical_derivative(const Vector& theta) const {
  Vector slope(size());
  for (Index k = 0; k < size(); ++k) slope[k] = info_[k].transform.derivative(theta[k]);
  return slope;
}

}  // namespace pithball::optim
