#include "sim/integrator/xpbd.hpp"

#include "sim/integrator/impulses.hpp"
#include "sim/integrator/substeps.hpp"

namespace pithball::sim {
namespace {

/// Returns M⁻¹F of the forces that are not applied as flows [m/s²], 0 on held particles. If `impulses` is given, adds
/// weight [s] times these forces to it.
Points acceleration_without_flows(const Model& model, const State& s, Impulses* impulses, double weight) {
  Points force = Points::Zero(3, model.particles());
  add_forces(
      model, s, force, [](const ForceTerm& term) { return !is_flow(term); }, impulses, weight);
  if (impulses) impulses->add_reactions(model, weight, force);
  model.clear_held(force);
  return force * model.mass().cwiseInverse().asDiagonal();
}

/// x ← x + Δt v. Carries the rounding error into the next substep (Kahan), since it would accumulate over many short
/// ones.
void drift(double dt, State& s, Points& lost) {
  const Points move = dt * s.v + lost, end = s.x + move;
  lost = move - (end - s.x);
  s.x = end;
}

}  // namespace

const IntegratorInfo Xpbd::integrator{
    .name = "xpbd",
    .summary = "constraints: rods, pins, contacts, projected in substeps; forces explicit, first order",
    .position_order = 1,
    .velocity_order = 1,
    .force_evaluations = Options{}.substeps,
    .symplectic = true,
    .supports = {.constraints = true}};

Xpbd::Options Xpbd::read(Settings& settings) {
  Options options;
  options.substeps = read_substep_count(
      settings, "substeps", "number of substeps per step; more make constraints stiffer and the motion more accurate",
      options.substeps);
  options.iterations = read_substep_count(settings, "iterations",
                                          "number of iterations over all constraints per substep", options.iterations);
  options.forces_once = settings.choice("forces", {"every_substep", "every_step"},
                                        "how often forces are evaluated; `every_step` suits expensive and slowly "
                                        "varying forces, such as gravity between all particles",
                                        "every_substep") == "every_step";
  return options;
}

Xpbd::Xpbd(const Options& options) : options_(options), info_(integrator) {
  info_.force_evaluations = options.forces_once ? 1 : options.substeps;
}

void Xpbd::do_step(const Model& model, const TimeStep& step, State& s, History&, StepOutput& out) {
  const double h = step.h;
  const double n = options_.substeps;
  const double dt = h / n, beginning = s.t;
  Points a;
  std::optional<Impulses> impulses;  // of a substep
  const auto evaluate = [&](const State& at) {
    if (out.book) impulses.emplace(model);
    a = acceleration_without_flows(model, at, impulses ? &*impulses : nullptr, dt);
    ++out.record.work.force_evaluations;
  };
  if (options_.forces_once) {
    const double ahead = (1 - 1 / n) / 2 * h;
    State mean{s.t + ahead, s.x + ahead * s.v, s.v};
    model.place_held(mean.t, mean.x, &mean.v);
    evaluate(mean);
    if (out.tape) out.tape->forces_at = std::move(mean);
  }
  Points lost = Points::Zero(3, s.x.cols());
  Projection& projection = last_.emplace(model);
  last_substep_ = dt;
  if (out.tape) out.tape->iterations = options_.iterations;
  for (Index k = 1; k <= options_.substeps; ++k) {
    if (out.tape) out.tape->substeps.push_back({.h = dt, .before = s, .after = {}, .history_before = {}, .stages = {}});
    if (!options_.forces_once) evaluate(s);
    if (impulses) out.book->add(1, impulses->work(s.v + dt / 2 * a));
    s.v += dt * a;
    apply_velocity_flows(model, s, dt, FlowOrder::Forward, s.v, flow_book(model, s, dt, out.book));
    drift(dt, s, lost);
    s.t = k < options_.substeps ? beginning + k * dt : step.end;
    model.place_held(s.t, s.x, &s.v);
    if (!s.x.allFinite()) return;  // diverged: the caller checks for this
    const Model now = model.at(s.t);
    const Points before = s.v;
    projection.begin_substep(now, s.x, s.v, a, (options_.substeps - k + 1) * dt);
    for (Index sweep = 0; sweep < options_.iterations; ++sweep) projection.sweep(now, dt, s.x, s.v);
    const Projection::Swept swept{now, dt, s.x, before};
    if (out.book) projection.book_links(swept, model.at(beginning + (k - 1) * dt), s.v, *out.book);
    projection.exchange_momentum(swept, a, s.v, out.book);
    for (const RowForce& row : projection.take_broken(now, dt)) {
      out.record.broken.push_back({s.t, row.constraint, row.row, -row.force});
      if (!out.book) continue;
      const Constraint& constraint = *model.constraints()[row.constraint];
      (*out.book)[LossKind::Events] += stored_energy(constraint, now, row.row, s.x);
    }
    if (out.tape) out.tape->substeps.back().after = s;
  }
  out.record.substeps.assign(options_.substeps, dt);
  out.record.pushing = projection.pushing();
}

std::vector<RowForce> Xpbd::row_forces() const {
  return last_ ? last_->forces(last_substep_) : std::vector<RowForce>{};
}

std::vector<ContactRecord> Xpbd::contacts() const { return last_ ? last_->contacts() : std::vector<ContactRecord>{}; }

}  // namespace pithball::sim
