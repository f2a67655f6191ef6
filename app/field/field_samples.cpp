#include "app/field/field_samples.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

#include "sim/coulomb/coulomb_registry.hpp"
#include "sim/force/coulomb_force.hpp"

namespace pithball::app {
namespace {

const sim::CoulombForce* find_coulomb_force(const sim::Model& model) {
  for (const auto& term : model.given_terms())
    if (const auto* force = dynamic_cast<const sim::CoulombForce*>(term.get())) return force;
  return nullptr;
}

using Place = std::array<double, 3>;
Place place_of(const Points& x, Index i) { return {x(0, i), x(1, i), x(2, i)}; }

/// The charges' part.
void add_charges(const FieldSource& source, const Points& x, FieldSamples& samples) {
  std::vector<Index> charged, free;  // particles with a charge, samples that lie on none
  std::set<Place> taken;
  for (Index i = 0; i < source.charge.size(); ++i)
    if (source.charge[i] != 0) {
      charged.push_back(i);
      taken.insert(place_of(source.position, i));
    }
  const sim::CoulombForce* force = find_coulomb_force(source.experiment.scenario.model);
  const bool softened = force && force->softening() > 0;
  for (Index k = 0; k < x.cols(); ++k) {
    if (softened || !taken.count(place_of(x, k))) {
      free.push_back(k);
    } else {
      samples.field.col(k).setConstant(std::numeric_limits<double>::quiet_NaN());
      samples.potential[k] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  if (charged.empty()) return;
  const Index n = charged.size(), m = free.size();
  Points all(3, n + m);
  Vector charge = Vector::Zero(n + m), potential = Vector::Zero(n + m);
  all << source.position(Eigen::all, charged), x(Eigen::all, free);
  charge.head(n) = source.charge(charged);
  Points field = Points::Zero(3, n + m);
  const auto own = force ? nullptr : sim::make_coulomb_sum({});
  const sim::CoulombSum& sum = force ? force->sum() : *own;
  sum.make_plan(all)->evaluate({.charge = &charge}, {.potential = &potential, .field = &field});
  samples.method = sum.name();
  for (Index k = 0; k < m; ++k) {
    const Index place = free[k];
    samples.field.col(place) += field.col(n + k);
    samples.potential[place] += potential[n + k];
  }
}

/// What else acts on a charge of 1 C.
void add_external(const Experiment& test_charge, double time, const Points& x, FieldSamples& samples) {
  const sim::Model& model = test_charge.scenario.model;
  sim::State state = test_charge.scenario.initial;
  state.t = time;
  for (Index k = 0; k < x.cols(); ++k) {
    state.x.col(0) = x.col(k);
    Points force = Points::Zero(3, 1);
    for (const auto& term : model.terms()) {
      term->add_force(model, state, force);
      const std::optional<double> energy = term->energy(model, state);
      samples.potential[k] += energy.value_or(0);
      samples.has_potential = samples.has_potential && energy;
    }
    samples.field.col(k) += force;
  }
}

}  // namespace

FieldSamples compute_field(const FieldSource& source, const Points& x) {
  FieldSamples samples{Points::Zero(3, x.cols()), Vector::Zero(x.cols()), true, 0, ""};
  add_charges(source, x, samples);
  if (source.test_charge) add_external(*source.test_charge, source.time, x, samples);
  for (Index k = 0; k < x.cols(); ++k) {
    if (samples.field.col(k).allFinite() && std::isfinite(samples.potential[k])) continue;
    ++samples.singular;
    samples.field.col(k).setConstant(std::numeric_limits<double>::quiet_NaN());
    samples.potential[k] = std::numeric_limits<double>::quiet_NaN();
  }
  return samples;
}

}  // namespace pithball::app
