#include "sim/force/electric_field.hpp"
#include "sim/run/equilibrium.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/key_framed.hpp"
#include "tests/support/motions.hpp"
#include "tests/support/rich_system.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

/// Particle 1 on a damped spring to pinned particle 0, charged, in a uniform field along the spring.
Model driven_line(double stiffness, double charge, double damping) {
  Vector charges(2);
  charges << 0, charge;
  return Model(
      {.particles = 2, .springs = {{0, 1}}, .held = {{0, {}}}}, all(2, 0.5), charges,
      {springs(1, stiffness, 1), dampers(1, damping), std::make_shared<ElectricField>(uniform(Vec3(1e6, 0, 0)))});
}

/// The flat number of the entry that particle or spring `owner` has of a value.
Index entry_of(const Model& model, const char* value, Index owner) {
  return model.values().block(*model.values().find(value)).offset + owner;
}

/// With one value of one owner at key times.
Model with_keys(const Model& model, const char* value, Index owner, const std::vector<double>& times,
                const std::vector<double>& values) {
  const Model framed = model.with_key_frames({entry_of(model, value, owner)}, times);
  Vector data = framed.values().data();
  for (std::size_t j = 0; j < times.size(); ++j) data[framed.key_frames().back().key(0, j)] = values[j];
  return framed.with_values(data);
}

}  // namespace

TEST_CASE("key_frames: a value is straight between its key times and constant outside", "[sim][model][key_frames]") {
  const Model model = with_keys(driven_line(10, 1e-6, 0), "charge", 1, {1, 2, 4}, {3e-6, 5e-6, -1e-6});
  const auto charge = [&](double t) { return model.at(t).charge()[1]; };
  CHECK(charge(-7) == 3e-6);
  CHECK(charge(1) == 3e-6);
  CHECK(charge(1.25) == Approx(3.5e-6).epsilon(1e-15));
  CHECK(charge(2) == 5e-6);
  CHECK(charge(3.5) == Approx(0.5e-6).epsilon(1e-14));
  CHECK(charge(4) == Approx(-1e-6).epsilon(1e-15));
  CHECK(charge(1e9) == -1e-6);
  CHECK(model.at(3).charge()[0] == 0);  // the other particle has no key frames
  CHECK(model.at(3).key_frames().empty());
}

TEST_CASE("key_frames: begin as the constant values, and then change no motion", "[sim][model][key_frames]") {
  const diff::Scenario s = rich_scenario("imex_midpoint", 0.02, 10);
  Model framed = s.model;
  for (const ValueBlock& block : s.model.values().blocks())
    if (block.name != "mass")
      framed = framed.with_key_frames({block.offset}, {0, 0.08, 0.3});  // where steps end anyway
  for (const auto& info : integrators()) {
    INFO(info.name);
    const auto end = [&](const Model& model) {
      return simulate(model, s.initial,
                      {.integrator = few_substeps(info.name), .time_step = 0.02, .steps = 10, .stage = s.stage})
          .states.back();
    };
    const State plain = end(s.model), with_frames = end(framed);
    // Interpolation between equal values rounds once; the run multiplies that little.
    CHECK(distance(plain, with_frames) < 1e-11);
    CHECK(distance(plain, s.initial) > 0.1);
  }
}

TEST_CASE("key_frames: every integrator follows the differential equation with coefficients in time",
          "[sim][model][key_frames]") {
  Model model = with_keys(driven_line(10, 1e-6, 0.2), "stiffness", 0, {0, 0.5, 1}, {10, 40, 20});
  model = with_keys(model, "charge", 1, {0, 1}, {1e-6, 9e-6});
  model = with_keys(model, "damping", 0, {0, 1}, {0.2, 1.4});
  model = with_keys(model, "electric_field", 0, {0.2, 0.8}, {1e6, 0.5e6});
  // By a fourth-order run of the scalar equation, written out; its step divides all key times.
  const auto ramp = [](double t, double a, double ya, double b, double yb) {
    return t <= a ? ya : t >= b ? yb : ya + (yb - ya) * (t - a) / (b - a);
  };
  const auto acceleration = [&](double t, double x, double v) {
    const double k = t < 0.5 ? ramp(t, 0, 10, 0.5, 40) : ramp(t, 0.5, 40, 1, 20);
    const double q = ramp(t, 0, 1e-6, 1, 9e-6), c = ramp(t, 0, 0.2, 1, 1.4), E = ramp(t, 0.2, 1e6, 0.8, 0.5e6);
    return (-k * (x - 1) - c * v + q * E) / 0.5;
  };
  double x = 1.3, v = 0.4;
  constexpr int fine = 10000;
  for (int n = 0; n < fine; ++n) {
    const double h = 1.0 / fine, t = n * h;
    const double a1 = acceleration(t, x, v), v2 = v + h / 2 * a1;
    const double a2 = acceleration(t + h / 2, x + h / 2 * v, v2), v3 = v + h / 2 * a2;
    const double a3 = acceleration(t + h / 2, x + h / 2 * v2, v3), v4 = v + h * a3;
    const double a4 = acceleration(t + h, x + h * v3, v4);
    x += h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  const State start{0, columns({{0, 0, 0}, {1.3, 0, 0}}), columns({{0, 0, 0}, {0.4, 0, 0}})};
  for (const auto& info : integrators()) {
    const auto error = [&](Index steps) {
      const Trajectory run = simulate(
          model, start, {.integrator = uncontrolled(info.name), .time_step = 1.0 / steps, .steps = steps, .stage = {}});
      REQUIRE(run.status == StepStatus::Ok);
      return std::abs(run.states.back().x(0, 1) - x);
    };
    const double coarse = error(200), fine_enough = error(800);
    INFO(info.name << ": " << coarse << ", " << fine_enough);
    // With ω = 9/s and h = 5 ms a first-order integrator errs by about ω²h/2 in a second, a second-order one by
    // ω³h²/12, of a motion of 0.5 m.
    CHECK(coarse < (info.position_order == 1 ? 0.1 : 3e-3));
    // Kinks at the key times leave a multi-step integrator no more than the second order.
    CHECK(fine_enough < coarse / (info.position_order == 1 ? 3 : 10) + 1e-9);
  }
}

TEST_CASE("key_frames: energies are those of the present values", "[sim][model][key_frames]") {
  const Model model = with_keys(driven_line(10, 1e-6, 0), "stiffness", 0, {0, 2}, {10, 30});
  const State s{1, columns({{0, 0, 0}, {1.5, 0, 0}}), Points::Zero(3, 2)};
  CHECK(energy_of(model, s).elastic == Approx(0.5 * 20 * 0.25).epsilon(1e-14));
  CHECK(energy_of(model.at(1), s).elastic == energy_of(model, s).elastic);
  // At rest where k(0) (x − 1) = q E.
  const Equilibrium rest = find_equilibrium(model, {0, s.x, {}});
  REQUIRE(rest.found());
  CHECK(rest.x(0, 1) == Approx(1 + 1.0 / 10).epsilon(1e-10));
}

TEST_CASE("key_frames: interpolation and its transpose agree", "[sim][model][key_frames]") {
  const Model model = with_moving_values(rich_scenario("imex_euler", 0.02, 1).model, {0, 1, 3}, true);
  REQUIRE(model.key_frames().size() > 5);
  const Index n = model.values().size();
  Vector d(n), g(n);
  for (Index k = 0; k < n; ++k) {
    d[k] = std::sin(k);
    g[k] = std::cos(2.0 * k);
  }
  for (const double t : {-1.0, 0.0, 0.3, 1.0, 2.9, 3.0, 8.0}) {
    Vector now = d, back = g;
    for (const KeyFrames& frames : model.key_frames()) {
      // Beforehand, neither may hold anything where the other writes.
      for (const Index e : frames.entries) now[e] = 0;
      for (Index k = 0; k < frames.count() * static_cast<Index>(frames.times.size()); ++k)
        back[frames.first_key + k] = 0;
    }
    const Vector d0 = now, g0 = back;
    for (const KeyFrames& frames : model.key_frames()) frames.interpolate(t, now);
    for (const KeyFrames& frames : model.key_frames()) frames.move_gradient(t, back);
    double forward = 0, backward = 0;
    for (const KeyFrames& frames : model.key_frames()) {
      for (const Index e : frames.entries) forward += g0[e] * now[e];
      for (Index k = 0; k < frames.count() * static_cast<Index>(frames.times.size()); ++k)
        backward += back[frames.first_key + k] * d0[frames.first_key + k];
    }
    REQUIRE(std::abs(forward) > 1e-3);
    CHECK(backward == Approx(forward).epsilon(1e-12));
  }
}

TEST_CASE("key_frames: what cannot be is rejected by name", "[sim][model][key_frames][error]") {
  const Model model = driven_line(10, 1e-6, 0.1);
  const Index charge = entry_of(model, "charge", 1), stiffness = entry_of(model, "stiffness", 0);
  CHECK_THROWS_WITH(model.with_key_frames({entry_of(model, "mass", 1)}, {0, 1}),
                    Catch::Contains("must not be of masses"));
  CHECK_THROWS_WITH(model.with_key_frames({charge}, {}), Catch::Contains("at least one key time"));
  CHECK_THROWS_WITH(model.with_key_frames({charge}, {0, 0}),
                    Catch::Contains("must have increasing key times, got 0 s after 0 s"));
  CHECK_THROWS_WITH(model.with_key_frames({}, {0, 1}), Catch::Contains("must select at least one entry"));
  CHECK_THROWS_WITH(model.with_key_frames({charge, stiffness}, {0, 1}), Catch::Contains("entries of one value"));
  CHECK_THROWS_WITH(model.with_key_frames({charge, charge}, {0, 1}), Catch::Contains("every entry once"));
  CHECK_THROWS_WITH(model.with_key_frames({1000}, {0, 1}), Catch::Contains("must be of values of the model"));
  const Model framed = model.with_key_frames({charge}, {0, 2});
  CHECK_THROWS_WITH(framed.with_key_frames({charge}, {0, 1}),
                    Catch::Contains("'charge[1]', which has key times 0, 2 s already"));
  Vector data = with_keys(model, "stiffness", 0, {0, 2}, {10, 20}).values().data();
  const Model stiff = with_keys(model, "stiffness", 0, {0, 2}, {10, 20});
  data[stiff.key_frames()[0].key(0, 1)] = -1;
  CHECK_THROWS_WITH(stiff.with_values(data),
                    Catch::Contains("stiffness(2 s)") && Catch::Contains("must be >= 0 N/m, got -1"));
}
