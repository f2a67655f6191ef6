#include "app/field/field_samples.hpp"

#include <cmath>

#include "sim/coulomb/coulomb_registry.hpp"
#include "sim/force/coulomb_force.hpp"

namespace pithball::app {

FieldSamples compute_field(const FieldSource& source, const sim::Points& x) {
  FieldSamples samples{sim::ChargeField::zero(x.cols())};
  bool of_charges = false;
  const auto add = [&](const sim::ForceTerm& force) {
    const auto* ability = force.as<sim::ActsOnTestCharge>();
    if (!ability || (ability->field_origin() == sim::FieldOrigin::External && !source.external)) return;
    ability->add_field(source.model, source.charges, x, samples);
    samples.forces.push_back(force.traits().name);
    if (samples.method.empty()) samples.method = ability->field_method();
    of_charges = of_charges || ability->field_origin() == sim::FieldOrigin::Charges;
  };
  for (const auto& force : source.model.terms()) add(*force);
  if (!of_charges && (source.charges.charge.array() != 0).any()) {
    add(sim::CoulombForce(sim::make_coulomb_sum({})));
    samples.assumed_coulomb = true;
  }
  for (sim::Index k = 0; k < x.cols(); ++k) {
    if (samples.field.col(k).allFinite() && std::isfinite(samples.potential[k])) continue;
    ++samples.singular;
    samples.clear(k);
  }
  return samples;
}

}  // namespace pithball::app
