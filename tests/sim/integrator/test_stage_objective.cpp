#include "sim/integrator/stage_problem.hpp"

#include <random>

#include "sim/force/drag.hpp"
#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

Points spread_points(Index n, double size, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-size, size);
  Points p(3, n);
  for (double& entry : p.reshaped()) entry = uniform(generator);
  return p;
}

/// A ring with springs, dampers and both drags, one particle held.
Model damped_ring(Index n) {
  Topology t{.particles = n, .springs = {}, .held = {{1, {}}}};
  for (Index i = 0; i < n; ++i) t.springs.push_back({i, (i + 1) % n});
  const auto wind = std::make_shared<UniformField>(Vec3(0.3, -0.2, 0.1));
  return {std::move(t),
          Vector::LinSpaced(n, 1, 2),
          Vector::Zero(n),
          {std::make_shared<SpringForce>(Vector::LinSpaced(n, 3, 5), Vector::LinSpaced(n, 0.4, 1.5)),
           std::make_shared<SpringDamper>(Vector::LinSpaced(n, 0.5, 1)),
           std::make_shared<LinearDrag>(Vector::LinSpaced(n, 0.2, 0.4), wind),
           std::make_shared<QuadraticDrag>(Vector::LinSpaced(n, 0.3, 0.6), wind)}};
}

StageProblem some_stage(Index n, double g, unsigned seed) {
  const Points x = spread_points(n, 1, seed), v = spread_points(n, 1, seed + 1);
  return {.g = g,
          .t = 0,
          .start = x,
          .move = g * v,
          .velocity = v,
          .lagged = x,
          .force = spread_points(n, 1, seed + 2),
          .drag = true};
}

}  // namespace

TEST_CASE("stage objective: gradient and Hessian are the derivatives of Φ, in one stage after the other",
          "[sim][integrator]") {
  const Index n = 6;
  const Model model = damped_ring(n);
  StageObjective objective(model.topology());
  BlockMatrix H(objective.pattern()), whole(objective.pattern());
  for (const unsigned seed : {1U, 11U}) {
    const StageProblem s = some_stage(n, 0.3 + 0.01 * seed, seed);
    objective.begin(model, s);
    Points direction = spread_points(n, 1, seed + 5);
    model.clear_held(direction);
    StagePoint at, before, after;
    at.change = spread_points(n, 0.2, seed + 6);
    model.clear_held(at.change);
    const double d = 1e-5;  // error of the differences: d² times third derivatives, and ε/d
    before.change = at.change - d * direction;
    after.change = at.change + d * direction;
    for (StagePoint* point : {&at, &before, &after}) objective.evaluate(*point);

    const double slope = flat(at.gradient).dot(flat(direction));
    REQUIRE(std::abs(slope) > 0.01);
    CHECK((objective.energy(after).phi - objective.energy(before).phi) / (2 * d) == Approx(slope).epsilon(1e-7));
    CHECK(objective.energy(at).rounding < 1e-13 * (1 + std::abs(objective.energy(at).phi)));
    CHECK((at.residual - at.gradient.colwise().norm().transpose()).norm() == 0);

    // The part of H that stays from one δ to the next, and the other, make the whole.
    objective.assemble_hessian(after.change, false, H);
    objective.assemble_hessian(at.change, false, H);
    Points product(3, n);
    H.multiply(direction, product);
    const Points difference = (after.gradient - before.gradient) / (2 * d);
    CHECK((product - difference).norm() < 1e-7 * product.norm());
    assemble_stage_hessian(model, s, at.change, false, whole);
    Points same(3, n);
    whole.multiply(direction, same);
    CHECK(product == same);
  }
}
