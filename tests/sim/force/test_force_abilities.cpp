// What forces can do beyond their sum, and that decorators can do the same.
#include <set>
#include <vector>

#include "sim/force/decorated_force.hpp"
#include "sim/model/framed_model.hpp"
#include "tests/support/force_specimens.hpp"
#include "tests/support/key_framed.hpp"

using namespace pithball;
using namespace pithball::tests::force_suite;

namespace {

/// Whether a term hands out exactly those abilities that its class has, and as itself.
template <class... Each>
bool hands_out_its_own(const ForceTerm& term, const Abilities<Each...>& handed) {
  return ((handed.template get<Each>() == dynamic_cast<const Each*>(&term)) && ...);
}

/// Whether what a decorator hands out is the decorator.
template <class... Each>
bool hands_out_itself(const ForceTerm& term, const Abilities<Each...>& handed) {
  return ((!handed.template get<Each>() || handed.template get<Each>() == dynamic_cast<const Each*>(&term)) && ...);
}

template <class... Each>
int count_of(const Abilities<Each...>& abilities) {
  return ((abilities.template get<Each>() ? 1 : 0) + ...);
}

/// The numbers that functions of a force give, in a row.
class Answers {
 public:
  template <class Matrix>
  void add(const Matrix& numbers) {
    for (Index j = 0; j < numbers.cols(); ++j)
      for (Index i = 0; i < numbers.rows(); ++i) all_.push_back(numbers(i, j));
  }
  void add(double number) { all_.push_back(number); }
  void add(const BlockMatrix& blocks) {
    blocks.for_each_block([this](Index, Index, const Mat3& B) { add(B); });
  }
  bool operator==(const Answers&) const = default;

 private:
  std::vector<double> all_;
};

/// The weights in the order in which they come.
struct Weights final : Majorizer {
  Answers numbers;
  void edge(Index i, Index j, double w) override { numbers.add(Vec3(i, j, w)); }
  void vertex(Index i, double w) override { numbers.add(Vec3(i, -1, w)); }
};

/// What an implicit step asks of a term: blocks, bounds, majorizer and dissipation.
std::vector<Answers> implicit_numbers(const ForceTerm& term, const Model& model, const State& s) {
  Answers all;
  Weights weights;
  BlockMatrix by_position(model.topology()), definite = by_position, by_velocity = by_position;
  Vector bound = Vector::Zero(N);
  if (const auto* stiff = term.as<StiffPotential>()) {
    stiff->add_position_blocks(model, s, 0.7, false, by_position);
    stiff->add_position_blocks(model, s, 0.7, true, definite);
    stiff->add_stiffness_majorizer(model, 0.3, weights);
    stiff->add_negative_curvature_bound(model, s, bound);
  }
  if (const auto* dissipation = term.as<Dissipation>()) {
    all.add(dissipation->dissipation(model, s));
    dissipation->add_velocity_blocks(model, s, 0.7, by_velocity);
  }
  if (const auto* linear = term.as<LinearDissipation>()) linear->add_damping_majorizer(model, 0.3, weights);
  for (const BlockMatrix* blocks : {&by_position, &definite, &by_velocity}) all.add(*blocks);
  all.add(bound);
  return {all, weights.numbers};
}

/// What a term makes of velocities: by its flow with both derivatives, and by its kick.
Answers explicit_numbers(const ForceTerm& term, const Model& model, const State& s) {
  Answers all;
  const Variation d = Dice(3).direction(model);
  if (const auto* flow = term.as<VelocityFlow>()) {
    Points v = s.v, impulse = Points::Zero(3, N), dv = d.v;
    flow->flow_velocity(model, s, 0.4, v);
    flow->add_flow_impulse(model, s, 0.4, impulse);
    flow->flow_velocity_jvp(model, s, 0.4, d, dv);
    Variation g = Variation::zero(N, model.values().size());
    flow->flow_velocity_vjp(model, s, 0.4, d.x, g);
    for (const Points* points : {&v, &impulse, &dv, &g.x, &g.v}) all.add(*points);
    all.add(g.values);
  }
  if (const auto* kick = term.as<Kick>()) {
    State after = s;
    kick->kick(model, 0.1, 4, after);
    all.add(after.v);
  }
  return all;
}

/// The field at two points.
Answers field_numbers(const ForceTerm& term, const Model& model, const State& s) {
  Answers all;
  const auto* field = term.as<ActsOnTestCharge>();
  if (!field) return all;
  ChargeField sum = ChargeField::zero(2);
  field->add_field(model, {s.t, s.x, model.at(s.t).charge()}, (Points(3, 2) << 0.5, 0.4, 0.6, 0.5, 0.3, 2).finished(),
                   sum);
  all.add(sum.field);
  all.add(sum.potential);
  all.add(sum.has_potential ? 1.0 : 0.0);
  all.add(static_cast<double>(field->field_origin()));
  all.add(static_cast<double>(field->field_method().size()));
  for (const Vec3& pole : field->field_poles(model, s.t)) all.add(pole);
  return all;
}

/// What touches, in order.
Answers touch_numbers(const ForceTerm& term, const Model& model, const State& s) {
  Answers all;
  const auto* force = term.as<BeginsAtTouch>();
  if (!force) return all;
  all.add(static_cast<double>(force->touching_force().size()));
  force->for_each_touch(model, s, [&](const Touch& at) {
    all.add(Vec3(at.i, at.other, at.mass));
    all.add(Vec3(at.stiffness, at.jump, at.smoothing));
    all.add(at.normal);
    all.add(at.velocity);
  });
  return all;
}

/// The gaps to walls with their derivatives, and the force elsewhere with the touches of here.
Answers gap_numbers(const ForceTerm& term, const Model& model, const State& s) {
  Answers all;
  const auto* force = term.as<MeetsObstacle>();
  if (!force) return all;
  const Variation d = Dice(3).direction(model);
  force->for_each_gap(model, s, [&](const WallGap& gap) {
    Variation g = Variation::zero(N, model.values().size());
    force->add_depth_vjp(model, s, gap, 0.7, g);
    all.add(Vec3(gap.i, gap.wall, gap.depth));
    all.add(gap.normal);
    all.add(force->depth_jvp(model, s, gap, d));
    all.add(g.x);
    all.add(g.values);
  });
  Points f = Points::Zero(3, N);
  force->holding(model, s)->add_force(model, {s.t, s.x + d.x, s.v}, f);
  all.add(f);
  return all;
}

/// The force itself with what belongs to it.
Answers sum_numbers(const ForceTerm& term, const Model& model, const State& s) {
  Answers all;
  const Variation d = Dice(3).direction(model);
  Points f = Points::Zero(3, N), df = f;
  term.add_force(model, s, f);
  term.add_jvp(model, s, d, df);
  Variation g = Variation::zero(N, model.values().size());
  term.add_vjp(model, s, d.x, g);
  for (const Points* points : {&f, &df, &g.x, &g.v}) all.add(*points);
  all.add(g.values);
  all.add(term.energy(model, s).value_or(-1));
  all.add(term.shortest_time(model, s, d.v));
  return all;
}

}  // namespace

TEST_CASE("forces: a class hands out every ability that it has", "[sim][force]") {
  int some = 0;
  for (const auto& [name, model] : specimens())
    for (const auto& term : model.terms()) {
      INFO(name << ", " << term->traits().name);
      some += count_of(term->abilities()) > 0;
      if (name == "field_potential" && !model.values().find("electric_potential"))
        CHECK(count_of(term->abilities()) == 0);  // its weight is not the charge
      else
        CHECK(hands_out_its_own(*term, term->abilities()));
    }
  CHECK(some > 20);
}

TEST_CASE("forces: no ability contradicts another one, the traits or the sum", "[sim][force]") {
  for (const auto& [name, model] : specimens())
    for (const auto& term : model.terms()) {
      INFO(name << ", " << term->traits().name);
      const State s = Dice(2).state();
      const bool stiff = term->as<StiffPotential>(), linear = term->as<LinearDissipation>(),
                 flow = term->as<VelocityFlow>(), kick = term->as<Kick>(),
                 conservative = term->traits().energy.has_value();
      CHECK((!stiff || conservative));  // a step minimizes its energy
      CHECK(!(conservative && is_velocity_dependent(*term)));
      CHECK(!(linear && flow));  // it would act twice, in the stage and by its flow
      CHECK((flow || linear) == is_velocity_dependent(*term));
      if (!kick) continue;
      CHECK(count_of(term->abilities()) == 1);
      CHECK(!(conservative || term->traits().differentiable));
      Points force = Points::Zero(3, N);
      term->add_force(model, s, force);
      CHECK(force == Points::Zero(3, N));
    }
}

TEST_CASE("forces: a dissipation's negative gradient in the velocities is the force", "[sim][force][fd]") {
  int count = 0;
  for (const auto& [name, model] : specimens())
    for (const auto& term : model.terms()) {
      const auto* R = term->as<Dissipation>();
      if (!R) continue;
      INFO(name << ", " << term->traits().name);
      ++count;
      Dice dice(7);
      const State s = dice.state();
      const Points d = dice.points(1);
      Points force = Points::Zero(3, N);
      term->add_force(model, s, force);
      const double want = -flat(force).dot(flat(d));
      REQUIRE(std::abs(want) > 1e-3);
      const auto at = [&](double e) {
        return Vector::Constant(1, R->dissipation(model, {s.t, s.x, s.v + e * d})).eval();
      };
      CHECK(std::abs(fourth_order_difference(at)[0] - want) < difference_tolerance * force.norm() * d.norm());
      Eigen::MatrixXd J = dense_jacobian(*term, model, s, true);
      BlockMatrix blocks(model.topology());
      R->add_velocity_blocks(model, s, -1, blocks);
      Points product(3, N);
      blocks.multiply(d, product);
      CHECK((flat(product) + J * flat(d)).norm() < 1e-13 * J.norm() * d.norm());
    }
  CHECK(count == 14);  // of springs, linear drag twice, quadratic drag twice, two media, dry friction, six obstacles
}

TEST_CASE("forces: what begins at a touch pushes along its normal, by k times the depth, and by its jump",
          "[sim][force]") {
  int touches = 0;
  for (const auto& [name, model] : specimens())
    for (const auto& term : model.terms()) {
      const auto* force = term->as<BeginsAtTouch>();
      if (!force) continue;
      INFO(name << ", " << term->traits().name);
      const State s = Dice(2).state();
      CHECK_THAT(force->touching_force(), Catch::EndsWith("_penalty"));
      std::vector<bool> touched(N, false);
      force->for_each_touch(model, s, [&](const Touch& at) {
        ++touches;
        touched[at.i] = true;
        if (at.other >= 0) touched[at.other] = true;
        CHECK(at.normal.norm() == Approx(1).epsilon(1e-12));
        const double inverse = (model.is_held(at.i) ? 0 : 1 / model.mass()[at.i]) +
                               (at.other < 0 || model.is_held(at.other) ? 0 : 1 / model.mass()[at.other]);
        CHECK(at.mass == 1 / inverse);
        CHECK(at.velocity == (at.other < 0 ? Vec3(s.v.col(at.i)) : Vec3(s.v.col(at.i) - s.v.col(at.other))));
        CHECK((at.jump > 0) == is_velocity_dependent(*term));
        CHECK(at.stiffness > 0);
      });
      Points f = Points::Zero(3, N);
      term->add_force(model, s, f);
      for (Index i = 0; i < N; ++i) CHECK((f.col(i).norm() > 0) == touched[i]);
    }
  CHECK(touches > 20);
}

TEST_CASE("forces: the depths of gaps are those of touches, with their derivatives", "[sim][force][fd]") {
  int gaps = 0;
  for (const auto& [name, model] : specimens())
    for (const auto& term : model.terms()) {
      const auto* force = term->as<MeetsObstacle>();
      if (!force) continue;
      INFO(name << ", " << term->traits().name);
      const State s = Dice(2).state();
      const Variation d = two_sided(model, Dice(3).direction(model));
      std::set<std::pair<Index, Index>> touching, deep;
      term->as<BeginsAtTouch>()->for_each_touch(model, s, [&](const Touch& at) {
        if (!model.is_held(at.i)) touching.emplace(at.i, -1 - at.other);
      });
      const auto depth_at = [&](const WallGap& gap, double e) {
        const Shifted there = shifted(model, s, d, e);
        double depth = 0;
        force->for_each_gap(there.model, there.state, [&](const WallGap& at) {
          if (at.i == gap.i && at.wall == gap.wall) depth = at.depth;
        });
        return Vector::Constant(1, depth).eval();
      };
      force->for_each_gap(model, s, [&](const WallGap& gap) {
        ++gaps;
        CHECK(!model.is_held(gap.i));
        if (gap.depth > 0) deep.emplace(gap.i, gap.wall);
        const double want = force->depth_jvp(model, s, gap, d);
        const auto along = [&](double e) { return depth_at(gap, e); };
        CHECK(std::abs(want) > 1e-6);
        CHECK(std::abs(fourth_order_difference(along)[0] - want) < difference_tolerance * d.x.norm());
        Variation g = Variation::zero(N, model.values().size());
        force->add_depth_vjp(model, s, gap, 0.7, g);
        CHECK(flat(g.x).dot(flat(d.x)) + g.values.dot(d.values) == Approx(0.7 * want).epsilon(1e-12));
      });
      if (!deep.empty()) CHECK(deep == touching);
    }
  CHECK(gaps > 20);
}

TEST_CASE("forces: held touches stay wherever particles are", "[sim][force]") {
  int held = 0;
  for (const auto& [name, model] : specimens())
    for (const auto& term : model.terms()) {
      const auto* force = term->as<MeetsObstacle>();
      if (!force) continue;
      INFO(name << ", " << term->traits().name);
      const State here = Dice(2).state();
      const auto at = [&](const ForceTerm& of, double part) {
        Points f = Points::Zero(3, N);
        of.add_force(model, {here.t, here.x + part * Dice(5).points(0.01), here.v}, f);
        return f;
      };
      const auto holding = force->holding(model, here);
      CHECK(holding->abilities().same_kinds(term->abilities()));
      CHECK(at(*holding, 0) == at(*term, 0));
      const Points away = at(*holding, 300);
      bool begins_at_once = true;
      term->as<BeginsAtTouch>()->for_each_touch(
          model, here, [&](const Touch& touch) { begins_at_once = begins_at_once && touch.smoothing == 0; });
      if (!begins_at_once) {
        CHECK(away == at(*term, 300));
        continue;
      }
      for (Index i = 0; i < N; ++i)
        if (!model.is_held(i)) CHECK((away.col(i).norm() > 0) == (at(*term, 0).col(i).norm() > 0));
      held += at(*term, 300) != away;
    }
  CHECK(held > 0);
}

TEST_CASE("counted_force: behaves like the counted force, with its abilities", "[sim][force]") {
  for (const auto& [name, model] : specimens()) {
    const State s = Dice(4).state();
    for (const auto& term : model.terms()) {
      INFO(name << ", " << term->traits().name);
      const auto count = std::make_shared<ForceCount>();
      const CountedForce counted(term, count);
      CHECK(counted.abilities().same_kinds(term->abilities()));
      CHECK(hands_out_itself(counted, counted.abilities()));
      CHECK(sum_numbers(counted, model, s) == sum_numbers(*term, model, s));
      CHECK(implicit_numbers(counted, model, s) == implicit_numbers(*term, model, s));
      CHECK(explicit_numbers(counted, model, s) == explicit_numbers(*term, model, s));
      CHECK(field_numbers(counted, model, s) == field_numbers(*term, model, s));
      CHECK(touch_numbers(counted, model, s) == touch_numbers(*term, model, s));
      CHECK(count->sums == 1);
      CHECK(count->products == 2);
      CHECK(gap_numbers(counted, model, s) == gap_numbers(*term, model, s));
      if (const auto* approximate = counted.as<Approximation>()) {
        const auto frozen = approximate->frozen();
        CHECK(frozen->abilities().same_kinds(term->abilities()));
        Points f = Points::Zero(3, N);
        frozen->add_force(model, s, f);
        CHECK(count->sums == 2);
      }
    }
  }
}

TEST_CASE("key frames: a force with them has the abilities of the one without", "[sim][force][values]") {
  for (const auto& [name, model] : specimens()) {
    const Model framed = tests::with_moving_values(model, {0, 1}, false);
    State s = Dice(4).state();
    s.t = 0.4;
    const Model now = framed.at(s.t);
    for (std::size_t k = 0; k < framed.terms().size(); ++k) {
      const ForceTerm &moving = *framed.terms()[k], &still = *framed.given_terms()[k];
      INFO(name << ", " << still.traits().name);
      CHECK(&moving != &still);
      CHECK(moving.abilities().same_kinds(still.abilities()));
      CHECK(hands_out_itself(moving, moving.abilities()));
      // What only reads values is that of the model as it is now; derivatives belong to the keys instead.
      const auto read = [&](const ForceTerm& term, const Model& at) {
        Points f = Points::Zero(3, N), v = s.v;
        term.add_force(at, s, f);
        State after = s;
        if (const auto* flow = term.as<VelocityFlow>()) flow->flow_velocity(at, s, 0.4, v);
        if (const auto* kick = term.as<Kick>()) kick->kick(at, 0.1, 4, after);
        Answers all;
        for (const Points* points : {&f, &v, &after.v}) all.add(*points);
        all.add(term.energy(at, s).value_or(-1));
        if (const auto* dissipation = term.as<Dissipation>()) all.add(dissipation->dissipation(at, s));
        return all;
      };
      CHECK(read(moving, framed) == read(still, now));
      CHECK(field_numbers(moving, framed, s) == field_numbers(still, now, s));
      CHECK(touch_numbers(moving, framed, s) == touch_numbers(still, now, s));
      const auto depths_of = [&](const ForceTerm& term, const Model& at) {
        Answers all;
        if (const auto* force = term.as<MeetsObstacle>())
          force->for_each_gap(at, s, [&](const WallGap& gap) { all.add(Vec3(gap.i, gap.wall, gap.depth)); });
        return all;
      };
      CHECK(depths_of(moving, framed) == depths_of(still, now));
    }
  }
}
