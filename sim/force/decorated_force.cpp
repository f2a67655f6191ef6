#include "sim/force/decorated_force.hpp"

namespace pithball::sim {

std::shared_ptr<ForceTerm> DecoratedForce::with_particles(const std::vector<ParticleOrigin>& origins) const {
  auto other = force_->with_particles(origins);
  return other ? before(std::move(other)) : nullptr;
}

void DecoratedForce::validate(const Model& model, const State& s) const { force_->validate(seen(model, s.t), s); }

void DecoratedForce::add_force(const Model& model, const State& s, Points& f) const {
  force_->add_force(seen(model, s.t), s, f);
}

std::optional<double> DecoratedForce::energy(const Model& model, const State& s) const {
  return force_->energy(seen(model, s.t), s);
}

void DecoratedForce::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  force_->add_jvp(seen(model, s.t), s, d, df);
}

void DecoratedForce::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  force_->add_vjp(seen(model, s.t), s, w, g);
}

double DecoratedForce::shortest_time(const Model& model, const State& s, const Points& a) const {
  return force_->shortest_time(seen(model, s.t), s, a);
}

double DecoratedForce::time_to_touch(const Model& model, const State& s, const Points& a) const {
  return force_->time_to_touch(seen(model, s.t), s, a);
}

void DecoratedForce::add_position_blocks(const Model& model, const State& s, double scale, bool definite,
                                         BlockMatrix& J) const {
  force_as<StiffPotential>().add_position_blocks(seen(model, s.t), s, scale, definite, J);
}

std::vector<Spring> DecoratedForce::couplings() const { return force_as<StiffPotential>().couplings(); }

void DecoratedForce::add_stiffness_majorizer(const Model& model, double scale, Majorizer& L) const {
  force_as<StiffPotential>().add_stiffness_majorizer(model, scale, L);
}

void DecoratedForce::add_negative_curvature_bound(const Model& model, const State& s, Vector& bound) const {
  force_as<StiffPotential>().add_negative_curvature_bound(seen(model, s.t), s, bound);
}

double DecoratedForce::dissipation(const Model& model, const State& s) const {
  return force_as<Dissipation>().dissipation(seen(model, s.t), s);
}

void DecoratedForce::add_velocity_blocks(const Model& model, const State& s, double scale, BlockMatrix& J) const {
  force_as<Dissipation>().add_velocity_blocks(seen(model, s.t), s, scale, J);
}

void DecoratedForce::add_damping_majorizer(const Model& model, double scale, Majorizer& L) const {
  force_as<LinearDissipation>().add_damping_majorizer(model, scale, L);
}

void DecoratedForce::flow_velocity(const Model& model, const State& s, double h, Points& v) const {
  force_as<VelocityFlow>().flow_velocity(seen(model, s.t), s, h, v);
}

void DecoratedForce::add_flow_impulse(const Model& model, const State& s, double h, Points& J) const {
  force_as<VelocityFlow>().add_flow_impulse(seen(model, s.t), s, h, J);
}

void DecoratedForce::flow_velocity_jvp(const Model& model, const State& s, double h, const Variation& d,
                                       Points& dv) const {
  force_as<VelocityFlow>().flow_velocity_jvp(seen(model, s.t), s, h, d, dv);
}

void DecoratedForce::flow_velocity_vjp(const Model& model, const State& s, double h, const Points& a,
                                       Variation& g) const {
  force_as<VelocityFlow>().flow_velocity_vjp(seen(model, s.t), s, h, a, g);
}

void DecoratedForce::kick(const Model& model, double h, Index n, State& s) const {
  force_as<Kick>().kick(seen(model, s.t), h, n, s);
}

void DecoratedForce::add_friction_rate(const Model& model, double t, Vector& rate) const {
  force_as<Kick>().add_friction_rate(seen(model, t), t, rate);
}

std::optional<ThermalBath> DecoratedForce::bath(const Model& model, double t) const {
  return force_as<Kick>().bath(seen(model, t), t);
}

std::shared_ptr<ForceTerm> DecoratedForce::frozen() const { return before(force_as<Approximation>().frozen()); }

Index DecoratedForce::crossings() const { return force_as<Approximation>().crossings(); }

bool DecoratedForce::add_partial_force(const Model& model, const State& s, const std::vector<Index>& some,
                                       Points& f) const {
  return force_as<PartialSum>().add_partial_force(seen(model, s.t), s, some, f);
}

std::optional<double> DecoratedForce::partial_energy(const Model& model, const State& s,
                                                     const std::vector<Index>& some) const {
  return force_as<PartialSum>().partial_energy(seen(model, s.t), s, some);
}

FieldOrigin DecoratedForce::field_origin() const { return force_as<ActsOnTestCharge>().field_origin(); }

void DecoratedForce::add_field(const Model& model, const SourceCharges& sources, const Points& at,
                               ChargeField& field) const {
  force_as<ActsOnTestCharge>().add_field(seen(model, sources.t), sources, at, field);
}

std::string DecoratedForce::field_method() const { return force_as<ActsOnTestCharge>().field_method(); }

std::vector<Vec3> DecoratedForce::field_poles(const Model& model, double t) const {
  return force_as<ActsOnTestCharge>().field_poles(seen(model, t), t);
}

const std::string& DecoratedForce::touching_force() const { return force_as<BeginsAtTouch>().touching_force(); }

std::optional<Passage> DecoratedForce::find_passage(const Model& model, const Flight& flight) const {
  return force_as<BeginsAtTouch>().find_passage(seen(model, flight.t), flight);
}

void DecoratedForce::for_each_touch(const Model& model, const State& s, const TouchVisitor& visit) const {
  force_as<BeginsAtTouch>().for_each_touch(seen(model, s.t), s, visit);
}

void DecoratedForce::for_each_gap(const Model& model, const State& s, const GapVisitor& visit) const {
  force_as<MeetsObstacle>().for_each_gap(seen(model, s.t), s, visit);
}

double DecoratedForce::depth_jvp(const Model& model, const State& s, const WallGap& at, const Variation& d) const {
  return force_as<MeetsObstacle>().depth_jvp(seen(model, s.t), s, at, d);
}

void DecoratedForce::add_depth_vjp(const Model& model, const State& s, const WallGap& at, double w,
                                   Variation& g) const {
  force_as<MeetsObstacle>().add_depth_vjp(seen(model, s.t), s, at, w, g);
}

std::shared_ptr<ForceTerm> DecoratedForce::holding(const Model& model, const State& s) const {
  return before(force_as<MeetsObstacle>().holding(seen(model, s.t), s));
}

}  // namespace pithball::sim
