#include "sim/constraint/pin_constraint.hpp"

#include "sim/constraint/constraint_row.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

PinConstraint::PinConstraint(std::vector<Index> particles, Points places, Vector compliance, Vector damping)
    : particles_(std::move(particles)),
      places_(std::move(places)),
      compliance_(std::move(compliance)),
      damping_(std::move(damping)) {
  const Index count = particles_.size();
  if (places_.cols() != count)
    throw InvalidArgument({"", "constraints.pin",
                           "must have a position for each of its " + std::to_string(count) + " pins",
                           std::to_string(places_.cols()), ""});
  require_item_values("constraints.pin.compliance", "pin", count, compliance_);
  require_item_values("constraints.pin.damping", "pin", count, damping_);
}

std::shared_ptr<Constraint> PinConstraint::make(Settings& settings, const Points& drawn) {
  std::vector<Index> particles = settings.particles("vertices", "particles to pin: numbers and group names");
  const Index count = particles.size();
  Points places(3, count);
  for (Index k = 0; k < count; ++k) places.col(k) = drawn.col(particles[k]);
  const Vector compliance =
      settings.per_item("compliance", "m/N", "compliance α of the pins, 1/stiffness; 0: rigid", 0, "pin", count);
  const Vector damping = settings.per_item(
      "damping", "N s/m", "β: damping in parallel with the stiffness 1/α; no effect on rigid pins", 0, "pin", count);
  return std::make_shared<PinConstraint>(std::move(particles), std::move(places), compliance, damping);
}

const ConstraintTraits& PinConstraint::traits() const {
  static const ConstraintTraits traits{.name = "pin"};
  return traits;
}

void PinConstraint::declare(const Topology& topology, Values& values) {
  require_row_particles("constraints.pin.vertices", particles_, topology.particles);
  compliance_block_ = values.add(item_value("pin_compliance", "m/N", ValueScaling::Compliance), compliance_);
  damping_block_ = values.add(item_value("pin_damping", "N s/m", ValueScaling::Force), damping_);
}

void PinConstraint::add_rows(const Model&, const Points&, const Vector&, std::vector<ConstraintRow>& rows) const {
  for (std::size_t k = 0; k < particles_.size(); ++k)
    for (Index axis = 0; axis < 3; ++axis) rows.push_back({3 * static_cast<Index>(k) + axis, 1, {particles_[k]}});
}

double PinConstraint::evaluate(const Model&, const ConstraintRow& row, const RowPoints& x, RowPoints& gradient) const {
  const Index axis = row.item % 3;
  gradient.col(0) = Vec3::Unit(axis);
  return x(axis, 0) - places_(axis, row.item / 3);
}

double PinConstraint::compliance(const Model& model, const ConstraintRow& row) const {
  return model.values()[compliance_block_][row.item / 3];
}

double PinConstraint::damping(const Model& model, const ConstraintRow& row) const {
  return model.values()[damping_block_][row.item / 3];
}

std::shared_ptr<Constraint> PinConstraint::with_particles(const std::vector<ParticleOrigin>&,
                                                          const std::vector<Index>& place) const {
  auto result = std::make_shared<PinConstraint>(*this);
  for (Index& particle : result->particles_) particle = place[particle];
  return result;
}

RowValues PinConstraint::row_values(const Model& model, const ConstraintRow& row) const {
  const Index pin = row.item / 3;
  return {-1, 0, model.values().block(compliance_block_).offset + pin,
          model.values().block(damping_block_).offset + pin};
}

}  // namespace pithball::sim
