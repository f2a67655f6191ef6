#include "sim/model/key_framed_force.hpp"

#include <algorithm>

#include "sim/model/model.hpp"

namespace pithball::sim {
namespace {

/// The direction with the values' change at time t, made only where it differs from what is given; `copy` holds it
/// then.
const Variation& at_time(const Model& model, double t, const Variation& d, std::optional<Variation>& copy) {
  const auto& frames = model.key_frames();
  if (std::none_of(frames.begin(), frames.end(), [&](const KeyFrames& f) { return f.touched_by(d.values); })) return d;
  copy = d;
  for (const KeyFrames& f : frames) f.interpolate(t, copy->values);
  return *copy;
}

/// Calls `add`, which adds ∂L/∂values(t) to the gradient, and moves what belongs to key-framed entries to their keys.
template <class Add>
void add_at_time(const Model& model, double t, Vector& gradient, Add add) {
  add();
  for (const KeyFrames& frames : model.key_frames()) frames.move_gradient(t, gradient);
}

}  // namespace

void KeyFramedForce::validate(const Model& model, const State& s) const {
  force_->validate(models_->at(model, s.t), s);
}

void KeyFramedForce::add_force(const Model& model, const State& s, Points& f) const {
  force_->add_force(models_->at(model, s.t), s, f);
}

std::optional<double> KeyFramedForce::energy(const Model& model, const State& s) const {
  return force_->energy(models_->at(model, s.t), s);
}

bool KeyFramedForce::changes_between(double from, double to) const {
  return (from < until_ && to > from_) || force_->changes_between(from, to);
}

void KeyFramedForce::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  std::optional<Variation> copy;
  force_->add_jvp(models_->at(model, s.t), s, at_time(model, s.t, d, copy), df);
}

void KeyFramedForce::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  add_at_time(model, s.t, g.values, [&] { force_->add_vjp(models_->at(model, s.t), s, w, g); });
}

double KeyFramedForce::shortest_time(const Model& model, const State& s, const Points& a) const {
  return force_->shortest_time(models_->at(model, s.t), s, a);
}

void KeyFramedForce::flow_velocity(const Model& model, const State& s, double h, Points& v) const {
  force_->flow_velocity(models_->at(model, s.t), s, h, v);
}

void KeyFramedForce::add_flow_impulse(const Model& model, const State& s, double h, Points& J) const {
  force_->add_flow_impulse(models_->at(model, s.t), s, h, J);
}

void KeyFramedForce::kick(const Model& model, double h, Index n, State& s) const {
  force_->kick(models_->at(model, s.t), h, n, s);
}

void KeyFramedForce::flow_velocity_jvp(const Model& model, const State& s, double h, const Variation& d,
                                       Points& dv) const {
  std::optional<Variation> copy;
  force_->flow_velocity_jvp(models_->at(model, s.t), s, h, at_time(model, s.t, d, copy), dv);
}

void KeyFramedForce::flow_velocity_vjp(const Model& model, const State& s, double h, const Points& a,
                                       Variation& g) const {
  add_at_time(model, s.t, g.values, [&] { force_->flow_velocity_vjp(models_->at(model, s.t), s, h, a, g); });
}

void KeyFramedForce::add_position_blocks(const Model& model, const State& s, double scale, bool definite,
                                         BlockMatrix& J) const {
  force_->add_position_blocks(models_->at(model, s.t), s, scale, definite, J);
}

double KeyFramedForce::dissipation(const Model& model, const State& s) const {
  return force_->dissipation(models_->at(model, s.t), s);
}
void KeyFramedForce::add_velocity_blocks(const Model& model, const State& s, double scale, BlockMatrix& J) const {
  force_->add_velocity_blocks(models_->at(model, s.t), s, scale, J);
}

void KeyFramedForce::add_majoriser(const Model& model, double position_scale, double velocity_scale,
                                   Majoriser& L) const {
  Vector data = model.values().data();
  for (const KeyFrames& frames : model.key_frames())
    for (Index e = 0; e < frames.count(); ++e)
      data[frames.entries[static_cast<std::size_t>(e)]] = frames.largest(data, e);
  force_->add_majoriser(model.without_key_frames(data), position_scale, velocity_scale, L);
}

void KeyFramedForce::add_negative_curvature_bound(const Model& model, const State& s, Vector& bound) const {
  force_->add_negative_curvature_bound(models_->at(model, s.t), s, bound);
}

}  // namespace pithball::sim
