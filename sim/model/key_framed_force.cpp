#include "sim/model/key_framed_force.hpp"

#include <algorithm>

#include "sim/model/model.hpp"

namespace pithball::sim {
namespace {

/// The direction with the values' change at time t, made only where it differs from what is given; `copy` holds it
/// then.
const Variation& at_time(const Model& model, double t, const Variation& d, std::optional<Variation>& copy) {
  const auto& frames = model.key_frames();
  const bool leaking = model.charge_leak() && model.charge_leak()->touched_by(d.values);
  if (!leaking &&
      std::none_of(frames.begin(), frames.end(), [&](const KeyFrames& f) { return f.touched_by(d.values); }))
    return d;
  copy = d;
  for (const KeyFrames& f : frames) f.interpolate(t, copy->values);
  if (leaking) model.charge_leak()->apply_to_change(t, model.values().data(), copy->values);
  return *copy;
}

/// Calls `add`, which adds ∂L/∂values(t) to the gradient, and moves what belongs to key-framed entries to their keys,
/// and what belongs to leaking charges to those at the start and to the rate.
template <class Add>
void add_at_time(const Model& model, double t, Vector& gradient, Add add) {
  const auto& leak = model.charge_leak();
  Vector before;  // of the charges, to which this adds
  if (leak) {
    before = gradient.segment(leak->charges, leak->count);
    gradient.segment(leak->charges, leak->count).setZero();
  }
  add();
  for (const KeyFrames& frames : model.key_frames()) frames.move_gradient(t, gradient);
  if (!leak) return;
  leak->move_gradient(t, model.values().data(), gradient);
  gradient.segment(leak->charges, leak->count) += before;
}

/// A model with the largest values that its key frames come to. (No stiffness depends on a charge.)
Model at_largest(const Model& model) {
  Vector data = model.values().data();
  for (const KeyFrames& frames : model.key_frames())
    for (Index e = 0; e < frames.count(); ++e) data[frames.entries[e]] = frames.largest(data, e);
  return model.with_constant_values(data);
}

}  // namespace

Model KeyFramedForce::seen(const Model& model, double t) const { return models_->at(model, t); }

std::shared_ptr<ForceTerm> KeyFramedForce::before(std::shared_ptr<const ForceTerm> other) const {
  return std::make_shared<KeyFramedForce>(std::move(other), models_, from_, until_);
}

bool KeyFramedForce::changes_between(double from, double to) const {
  return (from < until_ && to > from_) || force().changes_between(from, to);
}

void KeyFramedForce::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  std::optional<Variation> copy;
  force().add_jvp(seen(model, s.t), s, at_time(model, s.t, d, copy), df);
}

void KeyFramedForce::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  add_at_time(model, s.t, g.values, [&] { force().add_vjp(seen(model, s.t), s, w, g); });
}

double KeyFramedForce::depth_jvp(const Model& model, const State& s, const WallGap& at, const Variation& d) const {
  std::optional<Variation> copy;
  return force_as<MeetsObstacle>().depth_jvp(seen(model, s.t), s, at, at_time(model, s.t, d, copy));
}

void KeyFramedForce::add_depth_vjp(const Model& model, const State& s, const WallGap& at, double w,
                                   Variation& g) const {
  add_at_time(model, s.t, g.values, [&] { force_as<MeetsObstacle>().add_depth_vjp(seen(model, s.t), s, at, w, g); });
}

void KeyFramedForce::flow_velocity_jvp(const Model& model, const State& s, double h, const Variation& d,
                                       Points& dv) const {
  std::optional<Variation> copy;
  force_as<VelocityFlow>().flow_velocity_jvp(seen(model, s.t), s, h, at_time(model, s.t, d, copy), dv);
}

void KeyFramedForce::flow_velocity_vjp(const Model& model, const State& s, double h, const Points& a,
                                       Variation& g) const {
  add_at_time(model, s.t, g.values, [&] { force_as<VelocityFlow>().flow_velocity_vjp(seen(model, s.t), s, h, a, g); });
}

void KeyFramedForce::add_stiffness_majorizer(const Model& model, double scale, Majorizer& L) const {
  force_as<StiffPotential>().add_stiffness_majorizer(at_largest(model), scale, L);
}

void KeyFramedForce::add_damping_majorizer(const Model& model, double scale, Majorizer& L) const {
  force_as<LinearDissipation>().add_damping_majorizer(at_largest(model), scale, L);
}

}  // namespace pithball::sim
