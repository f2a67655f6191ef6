#include "sim/integrator/integrator.hpp"

#include <set>

#include "sim/force/point_charge.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

/// How a run by velocity_verlet ends, and after how many steps.
Trajectory verlet(const Model& model, const State& start, double h, Index steps) {
  return simulate(model, start, {.integrator = "velocity_verlet", .time_step = h, .steps = steps, .stage = {}});
}

const std::vector<double> sizes{std::pow(4.0, -20), 1e-9, 1e-3, 1, std::pow(4.0, 20)};

}  // namespace

TEST_CASE("divergence: a body of springs is caught at the same step at every size", "[sim][integrator][scale]") {
  std::set<std::size_t> ends;
  for (const double size : sizes) {
    INFO(size << " m");
    const Model model({.particles = 2, .springs = {{0, 1}}, .held = {}}, all(2, 1), all(2, 0), {springs(1, 10, size)});
    const State start{0, columns({{0, 0, 0}, {1.2 * size, 0, 0}}), Points::Zero(3, 2)};
    const Trajectory t = verlet(model, start, 1, 100);  // 2/ω = 0.45 s
    CHECK(t.status == StepStatus::Diverged);
    ends.insert(t.records.size());
  }
  CHECK(ends.size() == 1);
}

TEST_CASE("divergence: charges that nearly touch and a step far too long, of any number and size",
          "[sim][integrator][scale]") {
  for (const double size : sizes) {
    INFO(size << " m");
    // Charges that drive each other apart by 1e8 times their distance in a step of 1 s.
    const double q = std::sqrt(1e8 * size * size * size / coulomb_constant);
    const Model two({.particles = 2, .springs = {}, .held = {}}, all(2, 1), all(2, q),
                    {std::make_shared<CoulombForce>(std::make_unique<DirectCoulombSum>())});
    CHECK(verlet(two, {0, columns({{0, 0, 0}, {size, 0, 0}}), Points::Zero(3, 2)}, 1, 5).status ==
          StepStatus::Diverged);
    const Model one({.particles = 1, .springs = {}, .held = {}}, all(1, 1), all(1, q),
                    {std::make_shared<PointCharge>(q, Path(Vec3(0, 0, 0)))});
    CHECK(verlet(one, {0, columns({{size, 0, 0}}), Points::Zero(3, 1)}, 1, 5).status == StepStatus::Diverged);
    CHECK(verlet(one, {0, columns({{size, 0, 0}}), Points::Zero(3, 1)}, 1e-6, 5).status == StepStatus::Ok);
  }
}

TEST_CASE("divergence: no flight and no fall is one, however fast and however small the body",
          "[sim][integrator][scale]") {
  for (const double size : {1e-9, 1e-6}) {
    INFO(size << " m");
    const Points x = columns({{0, 0, 0}, {size, 0, 0}});
    const Points flight = columns({{10, 0, 0}, {0, 10, 0}});
    const std::shared_ptr<ForceTerm> gravity = std::make_shared<Gravity>(Vec3(0, 0, -9.81));
    const Model body({.particles = 2, .springs = {{0, 1}}, .held = {}}, all(2, 1), all(2, 0),
                     {springs(1, 1e-3, size), gravity});
    CHECK(verlet(body, {0, x, columns({{10, 0, 0}, {10, 0, 0}})}, 1, 5).status == StepStatus::Ok);
    const Model loose({.particles = 2, .springs = {}, .held = {}}, all(2, 1), all(2, 0), {gravity});
    CHECK(verlet(loose, {0, x, flight}, 1, 5).status == StepStatus::Ok);
    CHECK(verlet(loose, {0, x, Points::Zero(3, 2)}, 1, 5).status == StepStatus::Ok);
    // Beside a pinned one, as an emitter may put it.
    const Model beside({.particles = 2, .springs = {}, .held = {{0, {}}}}, all(2, 1), all(2, 0), {gravity});
    CHECK(verlet(beside, {0, x, Points::Zero(3, 2)}, 1, 5).status == StepStatus::Ok);
    const Model single({.particles = 1, .springs = {}, .held = {}}, all(1, 1), all(1, 0), {gravity});
    CHECK(verlet(single, {0, columns({{0, 0, 0}}), columns({{1e4, 0, 0}})}, 1, 5).status == StepStatus::Ok);
  }
}

TEST_CASE("divergence: a step is judged by its two states alone", "[sim][integrator]") {
  const Model model({.particles = 2, .springs = {{0, 1}}, .held = {}}, all(2, 1), all(2, 0), {springs(1, 10, 1)});
  const State rest{0, columns({{0, 0, 0}, {1, 0, 0}}), Points::Zero(3, 2)};
  State torn{1, columns({{0, 0, 0}, {2e6, 0, 0}}), columns({{0, 0, 0}, {2e6, 0, 0}})};
  CHECK(has_diverged(model, rest, torn, 1));
  CHECK_FALSE(has_diverged(model, rest, torn, 0.1));
  torn.x(0, 0) = NAN;
  CHECK(has_diverged(model, rest, torn, 0.1));
}
