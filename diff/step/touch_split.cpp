#include "diff/step/touch_split.hpp"

#include <cmath>

#include "diff/step/kick_derivative.hpp"

namespace pithball::diff {
namespace {

/// A speed into a wall below this part of the speed and of what a step adds to it is lost in rounding.
constexpr double grazing = 1e-8;

/// Forces that depend on time explicitly are smooth over this part of a step.
constexpr double probe_of_step = 1.0 / 8192;

/// How fast the depths of all gaps change with the clock alone [m/s]: where radii have key frames.
std::vector<double> depth_rates(const sim::Model& model, const sim::State& s, double probe) {
  std::vector<double> rates;
  const auto add = [&](double factor, double t) {
    std::size_t k = 0;
    sim::for_each_gap(model, {t, s.x, s.v}, [&](const sim::MeetsObstacle&, const sim::WallGap& gap) {
      if (k == rates.size()) rates.push_back(0);
      rates[k++] += factor * gap.depth / (2 * probe);
    });
  };
  add(1, s.t + probe);
  add(-1, s.t - probe);
  return rates;
}

/// Accelerations by forces that meet obstacles.
Points obstacle_acceleration(const sim::Model& model, const sim::State& s) {
  Points force = Points::Zero(3, model.particles());
  model.add_forces(s, force, [](const sim::ForceTerm& term) { return bool(term.as<sim::MeetsObstacle>()); });
  return kick(model, force, 1);
}

}  // namespace

TouchSplit::TouchSplit(const sim::Model& model, const sim::StepTape& substep, const RungeKuttaDerivative& derivative,
                       double step)
    : model_(model),
      substep_(substep),
      held_(model.holding_touches(substep.before)),
      by_start_(derivative.drift(held_, substep, {1, 0, probe_of_step * step})),
      by_length_(derivative.drift(held_, substep, {0, 1, probe_of_step * step})) {
  find_changes(step);
  if (!changes_.empty()) find_jumps();
}

void TouchSplit::find_changes(double step) {
  std::vector<double> before;
  sim::for_each_gap(model_, substep_.before,
                    [&](const sim::MeetsObstacle&, const sim::WallGap& gap) { before.push_back(gap.depth); });
  const sim::State& end = substep_.after;
  const std::vector<double> rates = model_.has_constant_values() ? std::vector<double>(before.size(), 0.0)
                                                                 : depth_rates(model_, end, probe_of_step * step);
  std::size_t k = 0;
  sim::for_each_gap(model_, end, [&](const sim::MeetsObstacle& force, const sim::WallGap& gap) {
    const double by_clock = rates[k];
    if ((before[k++] > 0) == (gap.depth > 0)) return;
    const double by_length = by_clock + force.depth_jvp(model_, end, gap, by_length_);
    const double speed = by_length_.x.col(gap.i).norm() + step * by_length_.v.col(gap.i).norm();
    changes_.push_back({&force, gap, by_length, by_clock, sim::Vec3::Zero(), !(std::abs(by_length) > grazing * speed)});
  });
}

void TouchSplit::find_jumps() {
  const sim::State& end = substep_.after;
  const Points jumps = obstacle_acceleration(model_.holding_touches(end), end) - obstacle_acceleration(held_, end);
  std::vector<bool> met(model_.particles(), false);
  for (Change& change : changes_) {
    const Index i = change.gap.i;
    change.jump = jumps.col(i);
    const bool jumps_here = change.jump.norm() > grazing * by_length_.v.col(i).norm();
    if (jumps_here && (change.grazes || met[i])) reliable_ = false;
    met[i] = true;
  }
}

void TouchSplit::add_tangent(sim::Variation& d, double& s) const {
  d.x += s * by_start_.x;
  d.v += s * by_start_.v;
  std::vector<double> longer;
  for (const Change& c : changes_)
    longer.push_back(c.grazes ? 0
                              : -(c.force->depth_jvp(model_, substep_.after, c.gap, d) + c.by_clock * s) / c.by_length);
  const double tau = ends_as_planned() ? -s : longer[0];
  d.x += tau * by_length_.x;
  d.v += tau * by_length_.v;
  // Others change earlier or later than the first one: until then their forces are those before.
  for (std::size_t k = 1; k < changes_.size(); ++k) d.v.col(changes_[k].gap.i) += (tau - longer[k]) * changes_[k].jump;
  s = ends_as_planned() ? 0 : s + tau;
}

void TouchSplit::add_adjoint(sim::Variation& a, double& gs) const {
  double gtau = a.x.cwiseProduct(by_length_.x).sum() + a.v.cwiseProduct(by_length_.v).sum();
  if (ends_as_planned()) {
    gs = -gtau;
  } else {
    std::vector<double> glonger(changes_.size(), 0.0);
    for (std::size_t k = 1; k < changes_.size(); ++k) {
      const double g = a.v.col(changes_[k].gap.i).dot(changes_[k].jump);
      gtau += g;
      glonger[k] = -g;
    }
    glonger[0] = gtau + gs;
    for (std::size_t k = 0; k < changes_.size(); ++k) {
      const Change& c = changes_[k];
      if (c.grazes) continue;
      c.force->add_depth_vjp(model_, substep_.after, c.gap, -glonger[k] / c.by_length, a);
      gs -= glonger[k] * c.by_clock / c.by_length;
    }
  }
  gs += a.x.cwiseProduct(by_start_.x).sum() + a.v.cwiseProduct(by_start_.v).sum();
}

}  // namespace pithball::diff
