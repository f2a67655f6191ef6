#include "diff/step/embedded_runge_kutta_derivative.hpp"

#include <cmath>

#include "diff/step/kick_derivative.hpp"
#include "diff/step/runge_kutta_derivative.hpp"
#include "sim/integrator/embedded_runge_kutta.hpp"

namespace pithball::diff {

/// A substep in which the touches of its beginning persist, for variations that shift the time of its beginning. Let s
/// [s] be that shift, and τ [s] the change of its length. The substep ends where a touch begins or ends, or else as
/// planned: then τ = −s.
class TouchSplit {
 public:
  /// `step`: length of the whole step [s]. All arguments must outlive this object.
  TouchSplit(const sim::Model& model, const sim::StepTape& substep, const RungeKuttaDerivative& derivative,
             double step);

  /// Whether the substep ends as planned.
  bool ends_as_planned() const { return changes_.empty(); }
  /// False if forces jump where a touch grazes, or where a particle meets two walls at once.
  bool reliable() const { return reliable_; }

  /// Adds the effect of s and τ to a variation of the end at a fixed time, and sets s to that of the end.
  void add_tangent(sim::Variation& d, double& s) const;
  /// The transpose: from a = ∂L/∂(end) and gs = ∂L/∂s at the end, computes the gradients with respect to the end at a
  /// fixed time and to s at the beginning.
  void add_adjoint(sim::Variation& a, double& gs) const;

 private:
  /// A touch that begins or ends at the end of the substep.
  struct Change {
    const sim::MeetsObstacle* force;
    sim::WallGap gap;
    double by_length,  // ∂depth/∂τ, and the rate at a fixed state [m/s]
        by_clock;
    sim::Vec3 jump;  // of the acceleration [m/s²]
    bool grazes;     // approaches too slowly to determine the time of the touch
  };
  void find_changes(double step);
  void find_jumps();

  const sim::Model& model_;
  const sim::StepTape& substep_;
  sim::Model held_;
  sim::Variation by_start_, by_length_;  // ∂(x, v)/∂s and ∂(x, v)/∂τ at the end
  std::vector<Change> changes_;          // the first one determines τ
  bool reliable_ = true;
};

namespace {

/// A rate of gap depth below this fraction of the speed (plus the velocity change in a step) is lost in rounding.
constexpr double grazing = 1e-8;

/// Forces that depend explicitly on time are assumed smooth over this fraction of a step.
constexpr double probe_of_step = 1.0 / 8192;

/// Returns the rates of all gap depths at a fixed state [m/s], which are nonzero where radii have key frames.
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

/// Returns the accelerations due to the forces exerted by obstacles.
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
  // The other touches begin or end a little earlier or later than the first one; until then, their previous forces act.
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

namespace {

/// For each substep, whether it ends where a touch begins or ends.
std::vector<bool> ends_at_changes(const sim::Model& model, const sim::StepTape& tape) {
  std::vector<bool> ends;
  for (const sim::StepTape& substep : tape.substeps)
    ends.push_back(substep.holds_touches && sim::touches_differ(model, substep.before, substep.after));
  return ends;
}

/// Whether a variation of the state changes the time of the end or the beginning of a substep.
bool is_retimed(const std::vector<bool>& ends, std::size_t k) { return ends[k] || (k > 0 && ends[k - 1]); }

/// Returns the model with which a substep was made.
sim::Model model_of(const sim::Model& model, const sim::StepTape& substep) {
  return substep.holds_touches ? model.holding_touches(substep.before) : model;
}

}  // namespace

void EmbeddedRungeKuttaDerivative::tangent(const sim::Model& model, const sim::StepTape& tape,
                                           std::vector<StateDirections>& groups, DerivativeCost& cost) const {
  const std::vector<bool> ends = ends_at_changes(model, tape);
  std::vector<std::vector<double>> later;  // for each direction: delay of the beginning of the substep [s]
  for (const StateDirections& d : groups) later.emplace_back(d.count(), 0.0);
  for (std::size_t k = 0; k < tape.substeps.size(); ++k) {
    const sim::StepTape& substep = tape.substeps[k];
    substep_.tangent(model_of(model, substep), substep, groups, cost);
    if (!is_retimed(ends, k)) continue;
    const TouchSplit split(model, substep, substep_, tape.h);
    for (std::size_t c = 0; c < groups.size(); ++c)
      for (Index p = 0; p < groups[c].count(); ++p) {
        sim::Variation d = groups[c].alone(p);
        split.add_tangent(d, later[c][p]);
        groups[c].set(p, d);
      }
    cost.reliable = cost.reliable && split.reliable();
  }
}

void EmbeddedRungeKuttaDerivative::adjoint(const sim::Model& model, const sim::StepTape& tape,
                                           std::vector<StateVariation>& all, DerivativeCost& cost) const {
  const std::vector<bool> ends = ends_at_changes(model, tape);
  std::vector<double> glater(all.size(), 0.0);
  for (std::size_t k = tape.substeps.size(); k-- > 0;) {
    const sim::StepTape& substep = tape.substeps[k];
    if (is_retimed(ends, k)) {
      const TouchSplit split(model, substep, substep_, tape.h);
      for (std::size_t c = 0; c < all.size(); ++c) split.add_adjoint(all[c], glater[c]);
      cost.reliable = cost.reliable && split.reliable();
    }
    substep_.adjoint(model_of(model, substep), substep, all, cost);
  }
}

}  // namespace pithball::diff
