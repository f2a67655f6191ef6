#include "optim/parameter_map.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "optim/parameter_builder.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

[[noreturn]] void refuse(const std::string& what, const std::string& required, const std::string& got,
                         const std::string& remedy = "") {
  throw InvalidArgument({"", what, required, got, remedy});
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
  if (scenarios_.empty()) refuse("recordings", "must be at least one", "none");
  ParameterBuilder builder(scenarios_, info_, entries_);
  for (const Parameter& declaration : declarations) builder.add(declaration);
  if (info_.empty())
    refuse("parameters", "must be at least one", "none", "name a value to fit, such as charge or stiffness");
  check_entries();
  check_start();
  note_signs();
}

void ParameterMap::check_entries() {
  std::set<std::string> names;
  for (const ParameterInfo& p : info_)
    if (!names.insert(p.name).second)
      refuse("parameters: " + p.name, "must have different names", "two of this name",
             "give recordings and groups different names");
  for (std::size_t s = 0; s < scenarios_.size(); ++s) {
    std::set<Index> touched, used;
    for (const ParameterEntry& e : entries_[s]) {
      if (!touched.insert(e.index).second)
        refuse("parameters: " + info_[static_cast<std::size_t>(e.parameter)].name,
               "must not touch values of another parameter",
               "a value of recording '" + scenarios_[s].name + "' that another one sets too");
      used.insert(e.parameter);
    }
    active_[s].assign(used.begin(), used.end());
  }
}

void ParameterMap::check_start() const {
  const Vector start = initial();
  for (std::size_t s = 0; s < scenarios_.size(); ++s) {
    const auto is_charge = [&](Index k) { return info_[static_cast<std::size_t>(k)].value == "charge"; };
    if (std::none_of(active_[s].begin(), active_[s].end(), is_charge)) continue;
    const sim::Model model = scatter(start, static_cast<Index>(s)).model;
    if (!has_external_electric_force(model) && model.charge().isZero(0))
      refuse("parameters: charge",
             "must not start at 0, which is a stationary start: forces depend on products of charges", "0",
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
    for (const ParameterEntry& e : entries_[s])
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
  for (const ParameterEntry& e : entries_[s]) values[e.index] = e.offset + e.weight * p[e.parameter];
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
    for (const ParameterEntry& e : entries_[s]) {
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
  for (const ParameterEntry& e : entries_[s])
    directions(e.index, column[static_cast<std::size_t>(e.parameter)]) = e.weight * slope[e.parameter];
  return directions;
}

void ParameterMap::pull_back(const Vector& theta, Index scenario, const Vector& gradient,
                             Vector& theta_gradient) const {
  const Vector slope = physical_derivative(theta);
  for (const ParameterEntry& e : entries_[static_cast<std::size_t>(scenario)])
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
