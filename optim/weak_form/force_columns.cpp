#include "optim/weak_form/force_columns.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

#include "diff/step/force_linearization.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

constexpr std::size_t most_directions = 100;
/// Fraction of a change of the forces that may be due to rounding.
constexpr double rounding = 1e-6;

/// Returns the free particles on which an entry of the model's values acts.
std::vector<Index> affected(const sim::Model& model, const std::vector<Index>& free, Index entry, Reach reach) {
  const sim::ValueBlock& block = model.values().block(model.values().block_of(entry));
  std::vector<Index> own;
  switch (block.owner) {
    case sim::ValueOwner::Term:
      return free;
    case sim::ValueOwner::Particle:
      if (reach == Reach::All) return free;
      own = {entry - block.offset};
      break;
    case sim::ValueOwner::Spring: {
      const sim::Spring& spring = model.springs()[entry - block.offset];
      own = {spring.i, spring.j};
      break;
    }
  }
  std::erase_if(own, [&](Index i) { return model.is_held(i); });
  return own;
}

std::vector<Index> free_particles(const sim::Model& model) {
  std::vector<Index> free;
  for (Index i = 0; i < model.particles(); ++i)
    if (!model.is_held(i)) free.push_back(i);
  return free;
}

Points total_force(const sim::Model& model, const sim::State& state) {
  Points force = Points::Zero(3, model.particles());
  model.add_forces(state, force, sim::every_term);
  return force;
}

/// Returns the first class to which none of these particles belongs; parameters of one class act on different
/// particles.
std::size_t find_class(std::vector<std::vector<bool>>& taken, const std::vector<Index>& particles, Index count) {
  for (std::size_t c = 0; c < taken.size(); ++c)
    if (std::ranges::none_of(particles, [&](Index i) { return taken[c][i]; })) return c;
  if (taken.size() <= most_directions) taken.emplace_back(count, false);
  return taken.size() - 1;
}

}  // namespace

ForceColumns::ForceColumns(const ParameterMap& map, const Vector& theta, Index recording, Reach reach)
    : map_(map), theta_(theta), recording_(recording), model_(map.scatter(theta, recording).model) {
  divide(find_particles(reach));
}

std::vector<std::vector<Index>> ForceColumns::find_particles(Reach reach) const {
  std::vector<std::vector<Index>> particles(map_.size());
  const std::vector<Index> free = free_particles(model_);
  for (const ParameterEntry& entry : map_.entries(recording_)) {
    if (entry.index >= model_.values().size()) continue;  // part of the initial state
    const std::vector<Index> own = affected(model_, free, entry.index, reach);
    for (const ParameterShare& share : entry.shares) {
      std::vector<Index>& all = particles[share.parameter];
      all.insert(all.end(), own.begin(), own.end());
    }
  }
  for (std::vector<Index>& all : particles) {
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  return particles;
}

void ForceColumns::divide(const std::vector<std::vector<Index>>& particles) {
  std::vector<std::vector<bool>> taken;
  std::vector<std::size_t> classes(particles.size(), 0);
  for (std::size_t k = 0; k < particles.size(); ++k) {
    if (particles[k].empty()) continue;
    classes[k] = find_class(taken, particles[k], model_.particles());
    for (const Index i : particles[k]) {
      taken[classes[k]][i] = true;
      columns_.push_back({static_cast<Index>(k), i});
    }
  }
  std::ranges::stable_sort(columns_, {}, &ForceColumn::particle);
  std::vector<Vector> chosen(taken.size(), Vector::Zero(map_.size()));
  for (std::size_t k = 0; k < particles.size(); ++k)
    if (!particles[k].empty()) chosen[classes[k]][k] = 1;
  for (const Vector& d : chosen)
    directions_.push_back({map_.push_forward(theta_, recording_, d).head(model_.values().size()), {}});
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Direction& direction = directions_[classes[columns_[c].parameter]];
    direction.columns.push_back(c);
    columns_[c].mass = model_.values().of(direction.values, sim::Model::mass_block)[columns_[c].particle];
  }
}

bool ForceColumns::is_affordable() const { return directions_.size() <= most_directions; }

void ForceColumns::compute(const sim::State& state, Points& force, Points& column) const {
  force = total_force(model_, state);
  column.resize(3, columns_.size());
  sim::Variation change = sim::Variation::zero(model_.particles(), 0);
  Points dforce;
  for (const Direction& direction : directions_) {
    change.values = direction.values;
    dforce.setZero(3, model_.particles());
    diff::add_force_jvp(model_, state, change, dforce, sim::every_term);
    for (const Index c : direction.columns) column.col(c) = dforce.col(columns_[c].particle);
  }
}

std::string ForceColumns::explain_nonlinear(const sim::State& state) const {
  if (!is_affordable()) return "too many of the parameters act on the same particles";
  std::mt19937_64 random(1);  // its bits are the same on all platforms, unlike those of distributions
  const Vector p = map_.physical(theta_), slope = map_.physical_derivative(theta_);
  Vector other(map_.size());
  for (Index k = 0; k < map_.size(); ++k) {
    const double part = 0.05 + 0.05 * static_cast<double>(random() >> 32) / 4294967296.0;
    other[k] = map_.info()[k].transform.theta(p[k] + part * slope[k]);
  }
  other = other.cwiseMax(map_.lower()).cwiseMin(map_.upper());
  const Vector u = (map_.physical(other) - p).cwiseQuotient(slope);
  Points force, column;
  compute(state, force, column);
  Points left, size = Points::Zero(3, model_.particles());
  try {
    left = total_force(map_.scatter(other, recording_).model, state) - force;
  } catch (const InvalidArgument&) {
    return "the parameters cannot be varied together";
  }
  model_.clear_held(left);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const auto [k, i, mass] = columns_[c];
    left.col(i) -= u[k] * column.col(c);
    size.col(i) += std::abs(u[k]) * column.col(c).cwiseAbs();
  }
  return left.norm() <= rounding * size.norm() ? "" : "the forces are not linear in the parameters";
}

std::optional<ForceColumns> find_columns(const ParameterMap& map, const Vector& theta, Index recording,
                                         const sim::State& state, std::string& missing) {
  for (const Reach reach : {Reach::Own, Reach::All}) {
    ForceColumns columns(map, theta, recording, reach);
    missing = columns.explain_nonlinear(state);
    if (missing.empty()) return columns;
  }
  return std::nullopt;
}

}  // namespace pithball::optim
