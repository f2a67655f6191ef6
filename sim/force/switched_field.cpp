#include "sim/force/switched_field.hpp"

#include <algorithm>
#include <limits>

#include "sim/core/error.hpp"
#include "sim/core/item_count.hpp"
#include "sim/core/text.hpp"
#include "sim/kernel/smooth_step.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {
namespace {

/// Part of a rise or a step that may be rounding of decimal numbers.
constexpr double rounding_of_times = 1e-9;

}  // namespace

SwitchedField::SwitchedField(const Vec3& field, Course course) : field_(field), course_(std::move(course)) {
  const Index switches = course_.times.size();
  if (course_.factors.size() != switches + 1)
    throw InvalidArgument({"", "switched.factors",
                           "must be one more than the times (" + std::to_string(switches + 1) + ")",
                           std::to_string(course_.factors.size()), "the first one holds before the first time"});
  if (!(course_.rise > 0))
    throw InvalidArgument({"", "switched.rise", "must be > 0", formatted("%g s", course_.rise), ""});
  for (Index k = 1; k < switches; ++k)
    if (!(course_.times[k] - course_.times[k - 1] >= (1 - rounding_of_times) * course_.rise))
      throw InvalidArgument({"", "switched.times", formatted("must ascend by at least the rise, %g s", course_.rise),
                             formatted("%g s after %g s", course_.times[k], course_.times[k - 1]),
                             "sort the times, or give a shorter rise"});
}

std::shared_ptr<ForceTerm> make_switched_field(Settings& settings) {
  const std::unique_ptr<Settings> switched = settings.below("switched");
  const Vec3 field = switched->vector("field", "V/m", "uniform field e that the factors multiply: U/d between plates");
  SwitchedField::Course course;
  course.factors = switched->per_item("factors", "", "factors f of the field: before the first time, after it, …", {},
                                      "factor", as_written);
  course.times =
      switched->per_item("times", "s", "times at which the factor changes, ascending", {}, "time", as_written);
  course.rise = switched->number("rise", "s", "time in which it changes, about each of them; at least four time steps",
                                 {}, ValueSign::Positive);
  if (settings.describing()) course = {Vector::Zero(2), Vector::Zero(1), 1};
  return settings.located("switched", [&] { return std::make_shared<SwitchedField>(field, std::move(course)); });
}

const ForceTraits& SwitchedField::traits() const {
  static const ForceTraits traits{.name = "electric_field", .loss = LossKind::Drivers, .partners = Partners::None};
  return traits;
}

void SwitchedField::declare(const Topology&, Values& values) {
  field_block_ =
      values.add({"electric_field", "V/m", ValueOwner::Term, ValueSign::Any, ValueScaling::ExternalField}, field_);
  factor_block_ = values.add({"switch_factor", "1", ValueOwner::Term, ValueSign::Any, ValueScaling::Invariant, true},
                             course_.factors);
  time_block_ =
      values.add({"switch_time", "s", ValueOwner::Term, ValueSign::Any, ValueScaling::Invariant, true}, course_.times);
  rise_block_ = values.add({"switch_rise", "s", ValueOwner::Term, ValueSign::Positive, ValueScaling::Invariant},
                           Vector::Constant(1, course_.rise));
}

template <class Visit>
void SwitchedField::for_each_switch(const Values& values, double t, Visit visit) const {
  const auto factors = values[factor_block_], times = values[time_block_];
  const double rise = values[rise_block_][0];
  for (Index k = 0; k < times.size(); ++k) visit(k, (t - times[k]) / rise + 0.5, factors[k + 1] - factors[k]);
}

double SwitchedField::factor(const Model& model, double t) const {
  double g = model.values()[factor_block_][0];
  for_each_switch(model.values(), t, [&](Index, double u, double jump) { g += jump * kernel::smooth_step(u); });
  return g;
}

void SwitchedField::add_force(const Model& model, const State& s, Points& f) const {
  const Vec3 e = factor(model, s.t) * model.values()[field_block_];
  f += e * model.charge().transpose();
}

void SwitchedField::add_field(const Model& model, const SourceCharges& sources, const Points&,
                              ChargeField& field) const {
  const Vec3 e = factor(model, sources.t) * model.values()[field_block_];
  field.field.colwise() += e;
  field.has_potential = false;
}

// ∂g/∂f_j = S_j − S_{j+1} with S_0 = 1 and S_{K+1} = 0,  ∂g/∂t_k = −(f_k − f_{k−1}) S′/ϑ,
// ∂g/∂ϑ = −Σ_k (f_k − f_{k−1}) S′ (u_k − ½)/ϑ.

void SwitchedField::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const Values& values = model.values();
  const auto of = [&](Index block) { return values.of(d.values, block); };
  const double rise = values[rise_block_][0], drise = of(rise_block_)[0];
  double dg = of(factor_block_)[0];
  for_each_switch(values, s.t, [&](Index k, double u, double jump) {
    const double slope = jump * kernel::smooth_step_slope(u) / rise;
    dg += (of(factor_block_)[k + 1] - of(factor_block_)[k]) * kernel::smooth_step(u) -
          slope * (of(time_block_)[k] + (u - 0.5) * drise);
  });
  const double g = factor(model, s.t);
  const Vec3 e = values[field_block_];
  const Vec3 de = dg * e + g * of(field_block_);
  df += de * model.charge().transpose() + g * e * of(Model::charge_block).transpose();
}

void SwitchedField::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const Values& values = model.values();
  const Vec3 e = values[field_block_], pull = w * model.charge();
  const double now = factor(model, s.t), rise = values[rise_block_][0], along = pull.dot(e);
  values.of(g.values, Model::charge_block) += now * w.transpose() * e;
  values.of(g.values, field_block_) += now * pull;
  auto of_factors = values.of(g.values, factor_block_);
  of_factors[0] += along;
  for_each_switch(values, s.t, [&](Index k, double u, double jump) {
    const double step = along * kernel::smooth_step(u), slope = along * jump * kernel::smooth_step_slope(u) / rise;
    of_factors[k + 1] += step;
    of_factors[k] -= step;
    values.of(g.values, time_block_)[k] -= slope;
    values.of(g.values, rise_block_)[0] -= slope * (u - 0.5);
  });
}

void require_resolved_rise(const Values& values, double time_step) {
  double shortest = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < static_cast<Index>(values.blocks().size()); ++k)
    if (values.block(k).name == "switch_rise") shortest = std::min(shortest, values[k].minCoeff());
  if (shortest >= (1 - rounding_of_times) * steps_of_a_rise * time_step) return;
  throw InvalidArgument(
      {"", "switched.rise",
       formatted("must be at least %g time steps (%g s)", steps_of_a_rise, steps_of_a_rise * time_step),
       formatted("%g s", shortest), "give a shorter time step or a longer rise"});
}

}  // namespace pithball::sim
