#include "sim/force/selected_force.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "sim/force/gravity.hpp"
#include "sim/force/magnetic_field.hpp"
#include "sim/model/particle_origin.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/force_specimens.hpp"

using namespace pithball;
using namespace pithball::tests::force_suite;

namespace {

const std::vector<Index> chosen{0, 2, 3, 5};

/// A force of a specimen on the chosen particles of six, and the same force in a model of these four, which the
/// program makes for populations. Particle 2 is held in both.
struct Pair {
  Model whole, alone;
  std::size_t term;
  const ForceTerm& selected() const { return *whole.terms()[term]; }
  const ForceTerm& lone() const { return *alone.terms()[term]; }
};

std::vector<std::shared_ptr<ForceTerm>> wrapped(const std::vector<std::shared_ptr<ForceTerm>>& terms) {
  std::vector<std::shared_ptr<ForceTerm>> all;
  for (const auto& term : terms) all.push_back(std::make_shared<SelectedForce>(term, chosen));
  return all;
}

Pair pair_of(const std::vector<std::shared_ptr<ForceTerm>>& terms, std::size_t term) {
  const auto model = [&](std::vector<Spring> springs, auto all) {
    return Model({.particles = N, .springs = std::move(springs), .held = {{2, {}}}}, specimen_masses(),
                 specimen_charges(), std::move(all));
  };
  std::vector<ParticleOrigin> origins;
  for (const Index i : chosen) origins.push_back({i, true});
  return {model(edges, wrapped(terms)), model({}, terms).with_particles(origins), term};
}

Points part(const Points& all) { return all(Eigen::all, chosen); }
State part(const State& s) { return {s.t, part(s.x), part(s.v)}; }
Vector part_of_values(const Model& whole, const Vector& values) {
  std::vector<double> entries;
  for (const ValueBlock& block : whole.values().blocks())
    for (Index e = 0; e < block.size; ++e)
      if (block.owner != ValueOwner::Particle || std::set<Index>(chosen.begin(), chosen.end()).contains(e))
        entries.push_back(values[block.offset + e]);
  return Eigen::Map<const Vector>(entries.data(), static_cast<Index>(entries.size()));
}
Variation part(const Model& whole, const Variation& d) {
  return {part(d.x), part(d.v), part_of_values(whole, d.values)};
}

/// Whether the chosen columns are those, and the others are these.
bool agree(const Points& all, const Points& of_chosen, const Points& others) {
  Points want = others;
  want(Eigen::all, chosen) = of_chosen;
  return all == want;
}
/// The same for gradients in positions and values.
bool agree(const Model& whole, const Variation& g, const Variation& of_chosen) {
  return agree(g.x, of_chosen.x, Points::Zero(3, N)) && part_of_values(whole, g.values) == of_chosen.values &&
         g.values.cwiseAbs().sum() == Approx(of_chosen.values.cwiseAbs().sum()).epsilon(1e-14).margin(0);
}

struct VertexWeights final : Majorizer {
  std::map<Index, double> vertices;
  int edges = 0;
  void edge(Index, Index, double) override { ++edges; }
  void vertex(Index i, double w) override { vertices[i] += w; }
};

void check_implicit(const Pair& p, const State& s) {
  BlockMatrix by_position(p.whole.topology()), by_velocity = by_position, x(p.alone.topology()), v = x;
  Vector bound = Vector::Zero(N), alone_bound = Vector::Zero(4);
  VertexWeights weights, alone_weights;
  if (const auto* stiff = p.selected().as<StiffPotential>()) {
    stiff->add_position_blocks(p.whole, s, 0.7, false, by_position);
    stiff->add_stiffness_majorizer(p.whole, 0.3, weights);
    stiff->add_negative_curvature_bound(p.whole, s, bound);
    const auto& lone = *p.lone().as<StiffPotential>();
    lone.add_position_blocks(p.alone, part(s), 0.7, false, x);
    lone.add_stiffness_majorizer(p.alone, 0.3, alone_weights);
    lone.add_negative_curvature_bound(p.alone, part(s), alone_bound);
  }
  if (const auto* dissipation = p.selected().as<Dissipation>()) {
    CHECK(dissipation->dissipation(p.whole, s) == p.lone().as<Dissipation>()->dissipation(p.alone, part(s)));
    dissipation->add_velocity_blocks(p.whole, s, 0.7, by_velocity);
    p.lone().as<Dissipation>()->add_velocity_blocks(p.alone, part(s), 0.7, v);
  }
  if (const auto* linear = p.selected().as<LinearDissipation>()) {
    linear->add_damping_majorizer(p.whole, 0.3, weights);
    p.lone().as<LinearDissipation>()->add_damping_majorizer(p.alone, 0.3, alone_weights);
  }
  for (Index k = 0; k < 4; ++k) {
    CHECK(by_position.diagonal(chosen[k]) == x.diagonal(k));
    CHECK(by_velocity.diagonal(chosen[k]) == v.diagonal(k));
    CHECK(bound[chosen[k]] == alone_bound[k]);
    CHECK(weights.vertices[chosen[k]] == alone_weights.vertices[k]);
  }
  for (const Index other : {1, 4}) {
    CHECK(by_position.diagonal(other).isZero(0));
    CHECK(by_velocity.diagonal(other).isZero(0));
    CHECK(!weights.vertices.contains(other));
  }
  CHECK(weights.edges == 0);
}

void check_flow(const Pair& p, const State& s, const Variation& d) {
  const auto *flow = p.selected().as<VelocityFlow>(), *lone = p.lone().as<VelocityFlow>();
  if (!flow) return;
  Points v = s.v, w = part(s.v), J = Points::Zero(3, N), K = Points::Zero(3, 4), dv = d.v, dw = part(d.v);
  flow->flow_velocity(p.whole, s, 0.4, v);
  lone->flow_velocity(p.alone, part(s), 0.4, w);
  CHECK(agree(v, w, s.v));
  flow->add_flow_impulse(p.whole, s, 0.4, J);
  lone->add_flow_impulse(p.alone, part(s), 0.4, K);
  CHECK(agree(J, K, Points::Zero(3, N)));
  flow->flow_velocity_jvp(p.whole, s, 0.4, d, dv);
  lone->flow_velocity_jvp(p.alone, part(s), 0.4, part(p.whole, d), dw);
  CHECK(agree(dv, dw, d.v));
  Variation g = Variation::zero(N, p.whole.values().size()), h = Variation::zero(4, p.alone.values().size());
  flow->flow_velocity_vjp(p.whole, s, 0.4, d.x, g);
  lone->flow_velocity_vjp(p.alone, part(s), 0.4, part(d.x), h);
  if (p.lone().traits().differentiable) CHECK(agree(g.v, h.v, d.x));
  CHECK(agree(p.whole, g, h));
}

void check_sum(const Pair& p, const State& s, const Variation& d) {
  Points f = Points::Zero(3, N), h = Points::Zero(3, 4), df = f, dh = h;
  p.selected().add_force(p.whole, s, f);
  p.lone().add_force(p.alone, part(s), h);
  CHECK(agree(f, h, Points::Zero(3, N)));
  CHECK(p.selected().energy(p.whole, s) == p.lone().energy(p.alone, part(s)));
  CHECK(p.selected().shortest_time(p.whole, s, d.v) == p.lone().shortest_time(p.alone, part(s), part(d.v)));
  p.selected().add_jvp(p.whole, s, d, df);
  p.lone().add_jvp(p.alone, part(s), part(p.whole, d), dh);
  CHECK(agree(df, dh, Points::Zero(3, N)));
  Variation g = Variation::zero(N, p.whole.values().size()), k = Variation::zero(4, p.alone.values().size());
  p.selected().add_vjp(p.whole, s, d.x, g);
  p.lone().add_vjp(p.alone, part(s), part(d.x), k);
  CHECK(agree(g.v, k.v, Points::Zero(3, N)));
  CHECK(agree(p.whole, g, k));
}

void check_field(const Pair& p, const State& s) {
  const auto *field = p.selected().as<ActsOnTestCharge>(), *lone = p.lone().as<ActsOnTestCharge>();
  if (!field) return;
  const Points at = (Points(3, 2) << 0.5, 0.4, 0.6, 0.5, 0.3, 2).finished();
  ChargeField got = ChargeField::zero(2), want = got;
  field->add_field(p.whole, {s.t, s.x, p.whole.charge()}, at, got);
  lone->add_field(p.alone, {s.t, part(s.x), p.alone.charge()}, at, want);
  CHECK(got.field == want.field);
  CHECK(got.potential == want.potential);
  CHECK(got.has_potential == want.has_potential);
}

}  // namespace

TEST_CASE("select: a selected force is that of a model with the selected particles alone", "[sim][force]") {
  int compared = 0;
  for (const auto& [name, model] : specimens()) {
    if (name == "springs" || name == "cubic_springs" || name == "dampers") continue;  // not of the list of forces
    const auto joins = [](const auto& term) {
      return term->template as<StiffPotential>() && !term->template as<StiffPotential>()->couplings().empty();
    };
    if (std::ranges::any_of(model.terms(), joins)) continue;  // bending: `select` is rejected
    for (std::size_t k = 0; k < model.terms().size(); ++k) {
      const Pair p = pair_of(model.terms(), k);
      INFO(name << ", " << p.lone().traits().name);
      Dice dice(9);
      const State s = dice.state();
      const Variation d = dice.direction(p.whole);
      CHECK(p.selected().abilities().same_kinds(p.lone().abilities()));
      check_sum(p, s, d);
      check_implicit(p, s);
      check_flow(p, s, d);
      check_field(p, s);
      if (const auto* kick = p.selected().as<Kick>()) {
        State after = s, alone = part(s);
        kick->kick(p.whole, 0.1, 4, after);
        p.lone().as<Kick>()->kick(p.alone, 0.1, 4, alone);
        CHECK(agree(after.v, alone.v, s.v));
      }
      if (const auto* approximation = p.selected().as<Approximation>()) {
        const auto frozen = approximation->frozen();
        CHECK(frozen->abilities().same_kinds(p.selected().abilities()));
        Points f = Points::Zero(3, N), h = f;
        frozen->add_force(p.whole, s, f);
        p.selected().add_force(p.whole, s, h);
        CHECK(f == h);
      }
      ++compared;
    }
  }
  CHECK(compared > 40);
}

TEST_CASE("select: all particles selected are as none", "[sim][force]") {
  const Model model(
      {.particles = N, .springs = {}, .held = {}}, specimen_masses(), specimen_charges(),
      {std::make_shared<SelectedForce>(std::shared_ptr<ForceTerm>(std::make_shared<Gravity>(Vec3(1, 2, 3))),
                                       std::vector<Index>{0, 1, 2, 3, 4, 5})});
  const Points f = force_of(model, Dice(1).state());
  CHECK(f == Points(Vec3(1, 2, 3) * specimen_masses().transpose()));
}

TEST_CASE("select: integrators move selected particles only, by whichever ability", "[sim][force][integrator]") {
  const auto turning =
      std::shared_ptr<ForceTerm>(std::make_shared<MagneticField>(std::make_shared<UniformField>(Vec3(0, 0, 4e5))));
  const Model model({.particles = N, .springs = {}, .held = {}}, specimen_masses(), specimen_charges(),
                    {std::make_shared<SelectedForce>(turning, chosen)});
  const State start = Dice(1).state();
  for (const auto& info : integrators()) {
    INFO(info.name);
    const State end =
        simulate(model, start, {.integrator = info.name, .time_step = 0.01, .steps = 10, .stage = {}}).states.back();
    for (Index i = 0; i < N; ++i) {
      const bool selected = std::find(chosen.begin(), chosen.end(), i) != chosen.end();
      CHECK(((end.v.col(i) - start.v.col(i)).norm() > 1e-3) == selected);
    }
  }
}

TEST_CASE("select: new particles feel what the particle they are like feels", "[sim][force][population]") {
  const Model model({.particles = 3, .springs = {}, .held = {}}, Vector::Ones(3), Vector::Zero(3),
                    {std::make_shared<SelectedForce>(
                        std::shared_ptr<ForceTerm>(std::make_shared<Gravity>(Vec3(0, 0, -1))), std::vector<Index>{1})});
  const auto force = [](const Model& m) {
    Points f = Points::Zero(3, m.particles());
    m.add_forces({0, f, f}, f, every_term);
    return Vector(f.row(2));
  };
  CHECK(force(model) == Vector{{0, -1, 0}});
  CHECK(force(model.with_particles({{0, true}, {1, true}, {1, false}, {2, false}})) == Vector{{0, -1, -1, 0}});
  CHECK(force(model.with_particles({{2, true}, {1, true}})) == Vector{{0, -1}});
  const Model without = model.with_particles({{0, true}, {2, true}});
  CHECK(force(without).isZero(0));
  CHECK_NOTHROW(simulate(without, {0, Points::Zero(3, 2), Points::Zero(3, 2)}, {.steps = 2, .stage = {}}));
}
