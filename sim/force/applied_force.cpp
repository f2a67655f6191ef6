#include "sim/force/applied_force.hpp"

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {

std::vector<std::shared_ptr<ForceTerm>> AppliedForce::make(Settings& settings) {
  const char* const type = "[x, y, z] or {expression: [\"…\", \"…\", \"…\"]} in t [N]";
  if (settings.describing()) {
    settings.document("each", type, "optional", "force F(t) on each particle; either this or `total`");
    settings.document("total", type, "optional", "force F(t) shared equally by the particles");
    return {std::make_shared<AppliedForce>(On::Each, Vec3::UnitZ())};
  }
  if (settings.has("each") == settings.has("total"))
    settings.reject("", "must have exactly one of `each` and `total`", settings.has("each") ? "both" : "neither",
                    "write {each: [0, 0, 1 N]} for a force on each particle, or {total: …} for one that they share");
  const char* const key = settings.has("each") ? "each" : "total";
  const On on = settings.has("each") ? On::Each : On::Total;
  if (settings.written(key) == Settings::Written::Mapping)
    return {std::make_shared<AppliedForce>(on, ask_vector_in_time(settings, key, "N", "force F(t)"))};
  return {std::make_shared<AppliedForce>(on, settings.vector(key, "N", "force F"))};
}

const ForceTraits& AppliedForce::traits() const {
  static const ForceTraits conservative{.name = "applied_force", .energy = EnergyKind::External};
  static const ForceTraits driving{.name = "applied_force", .loss = LossKind::Drivers};
  return in_time_ ? driving : conservative;
}

void AppliedForce::declare(const Topology&, Values& values) {
  block_ = values.add({"applied_force", in_time_ ? "1" : "N", ValueOwner::Term, ValueSign::Any, ValueScaling::Force},
                      initial_);
}

void AppliedForce::validate(const Model& model, const State& s) const {
  if (!on_each(model, s.t, model.values()[block_]).allFinite())
    throw InvalidArgument({"", "forces.applied_force", "must have a finite value at the start",
                           "none at t = " + to_text(s.t) + " s", "change the expression"});
}

double AppliedForce::share(const Model& model) const {
  return on_ == On::Total ? 1 / static_cast<double>(model.particles()) : 1;
}

Vec3 AppliedForce::on_each(const Model& model, double t, const Eigen::Ref<const Vector>& value) const {
  return share(model) * (in_time_ ? Vec3(value[0] * in_time_->value(t)) : Vec3(value));
}

void AppliedForce::add_force(const Model& model, const State& s, Points& f) const {
  f.colwise() += on_each(model, s.t, model.values()[block_]);
}

std::optional<double> AppliedForce::energy(const Model& model, const State& s) const {
  if (in_time_) return {};
  return -on_each(model, s.t, model.values()[block_]).dot(s.x.rowwise().sum());
}

void AppliedForce::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  df.colwise() += on_each(model, s.t, model.values().of(d.values, block_));
}

void AppliedForce::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const Vec3 sum = share(model) * w.rowwise().sum();
  auto gradient = model.values().of(g.values, block_);
  if (in_time_)
    gradient[0] += in_time_->value(s.t).dot(sum);
  else
    gradient += sum;
}

}  // namespace pithball::sim
