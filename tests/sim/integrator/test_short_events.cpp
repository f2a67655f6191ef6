// What happens within a step: switches, pulses and meetings much shorter than it.
#include <numeric>
#include <random>

#include "sim/field/analytic_field.hpp"
#include "sim/field/primitive_obstacles.hpp"
#include "sim/field/tabulated_field.hpp"
#include "sim/force/applied_force.hpp"
#include "sim/force/force_registry.hpp"
#include "sim/integrator/substeps.hpp"
#include "sim/run/simulator.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/map_settings.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

Model lone_particle(Terms terms, double mass = 1) {
  return Model({.particles = 1, .springs = {}, .held = {}}, all(1, mass), all(1, 1), std::move(terms));
}

State flying(const Vec3& x, const Vec3& v) { return {0, columns({x}), columns({v})}; }

/// 1 V/m along x from one time until another.
std::shared_ptr<ForceTerm> switched_field(const TabulatedField::Span& span) {
  const Vector s = Vector::LinSpaced(5, -1e3, 1e3);
  return std::make_shared<ElectricField>(std::make_shared<TabulatedField>(
      std::make_shared<LineField>(CubicSpline(s, -s), LineField::Quantity::Potential, Vec3::Zero(), Vec3::UnitX()),
      TabulatedField::Outside::Fail, span));
}

/// F(t) along x [N].
std::shared_ptr<ForceTerm> force_in_time(const std::string& expression) {
  return std::make_shared<AppliedForce>(
      AppliedForce::On::Each, std::make_shared<VectorInTime>(std::array<std::string, 3>{expression, "0", "0"}));
}

std::string gauss(double center, double width) {
  return "exp(-((t-" + std::to_string(center) + ")/" + std::to_string(width) + ")^2)";
}

Terms made(const std::string& name, const std::map<std::string, MapSettings::Value>& values) {
  MapSettings settings(2, values);
  for (const ForceInfo& info : forces())
    if (info.name == name) return info.make(settings);
  return {};
}

Trajectory simulated(const Model& model, const State& start, const IntegratorChoice& integrator, double h,
                     Index steps) {
  return simulate(model, start, {.integrator = integrator, .time_step = h, .steps = steps, .stage = {}});
}

std::vector<std::string> adaptive_integrators() {
  std::vector<std::string> names;
  for (const IntegratorInfo& info : integrators())
    if (info.adaptive) names.push_back(info.name);
  return names;
}

std::size_t count_substeps(const Trajectory& t) {
  std::size_t sum = 0;
  for (const StepRecord& record : t.records) sum += record.substeps.size();
  return sum;
}

}  // namespace

TEST_CASE(
    "short events: a field that is on for a part of a step has the impulse of that time, in every integrator "
    "whose steps may have any length",
    "[sim][integrator][switch]") {
  const double h = 0.1;
  int tested = 0;
  for (const IntegratorInfo& info : integrators()) {
    if (!divides_steps(info)) continue;
    ++tested;
    for (const auto& [from, width] : {std::pair{0.23, 1e-4}, {0.2, 0.03}, {0.27, 0.03}, {0.171, 0.17}, {0.2, 0.1}}) {
      INFO(info.name << ": from " << from << " s for " << width << " s");
      const Trajectory t = simulated(lone_particle({switched_field({.from = from, .until = from + width})}),
                                     flying({0.1, 0, 0}, {0.4, 0, 0}), info.name, h, 5);
      REQUIRE(t.status == StepStatus::Ok);
      const State& end = t.states.back();
      CHECK(end.t == Approx(0.5).epsilon(1e-15));
      CHECK(end.v(0, 0) - 0.4 == Approx(width).epsilon(1e-10));  // the parts at the switches are some roundings long
      if (info.position_order < 2) continue;
      CHECK(end.x(0, 0) - 0.1 - 0.4 * 0.5 == Approx(width * (0.5 - from - width / 2)).epsilon(1e-10));
      CHECK(std::abs(t.energy.back().numerical) < 1e-12);
    }
  }
  CHECK(tested >= 15);
}

TEST_CASE("short events: steps in which nothing switches, or something at their ends, are whole",
          "[sim][integrator][switch]") {
  const auto parts = [](const Model& model, double from, double to) {
    return make_step_parts(model, from, {to - from, to}, true);
  };
  const Model sudden = lone_particle({switched_field({.from = 0.3, .until = 0.7})}),
              gradual = lone_particle({switched_field({.from = 0.3, .until = 0.7, .time_constant = 0.1})});
  for (const Model* model : {&sudden, &gradual})
    for (const auto& [from, to] : {std::pair{0.0, 0.2}, {0.31, 0.69}, {0.8, 0.9}})
      CHECK(parts(*model, from, to).empty());
  CHECK(parts(gradual, 0.1, 0.3).empty());
  CHECK(parts(gradual, 0.3, 0.5).empty());
  CHECK(parts(sudden, 0.3, 0.5).empty());
  CHECK(parts(gradual, 0.2, 0.4).size() == 2);
  // A sudden switch has a part of its own, where a step ends there as well as within one, however its end is rounded.
  CHECK(parts(sudden, 0.2, 0.4).size() == 3);
  for (const double end : {std::nextafter(0.3, 0), 0.3, std::nextafter(0.3, 1)})
    CHECK(parts(sudden, 0.1, end).size() + parts(sudden, end, 0.5).size() >= 2);
  const Model framed = lone_particle({switched_field({})}).with_key_frames({1}, {0.25, 0.5, 0.6});
  CHECK(parts(framed, 0.1, 0.25).empty());
  CHECK(parts(framed, 0.2, 0.55).size() == 3);
  for (const std::vector<TimeStep>& made : {parts(sudden, 0.2, 0.4), parts(framed, 0.2, 0.55)}) {
    double sum = 0.2;
    for (const TimeStep& part : made) {
      CHECK(part.h > 0);
      CHECK(sum + part.h == Approx(part.end).epsilon(1e-15));
      sum += part.h;
    }
  }
}

TEST_CASE("short events: the record of a divided step has the lengths of its parts", "[sim][integrator][switch]") {
  for (const IntegratorInfo& info : integrators()) {
    if (!divides_steps(info)) continue;
    INFO(info.name);
    const Model model = lone_particle({switched_field({.from = 0.23, .until = 0.27})});
    Stepper stepper(model, flying({0.1, 0, 0}, {0.4, 0, 0}), info.name, {}, 0.1);
    stepper.advance();
    stepper.advance();
    const StepRecord divided = stepper.advance();
    CHECK(divided.substeps.size() >= 3);  // before, while and after it is on
    CHECK(std::accumulate(divided.substeps.begin(), divided.substeps.end(), 0.0) == Approx(0.1).epsilon(1e-12));
  }
}

TEST_CASE("short events: a pulse between key frames within one step has its impulse", "[sim][integrator][switch]") {
  const std::vector<double> times{0.512, 0.515, 0.52};
  for (const IntegratorInfo& info : integrators()) {
    if (!divides_steps(info)) continue;
    INFO(info.name);
    Model model = lone_particle({std::make_shared<ElectricField>(std::make_shared<UniformField>(Vec3(1, 0, 0)))});
    const Index entry = model.values().block(*model.values().find("electric_field")).offset;
    model = model.with_key_frames({entry}, times);
    Vector data = model.values().data();
    const KeyFrames& frames = model.key_frames().front();
    data[frames.key(0, 0)] = data[frames.key(0, 2)] = 0;
    data[frames.key(0, 1)] = 7;
    const Trajectory t = simulated(model.with_values(data), flying({0, 0, 0}, {0, 0, 0}), info.name, 0.1, 10);
    // Parts end at the peak, so that a scheme of second order or more is exact.
    if (info.velocity_order >= 2) CHECK(t.states.back().v(0, 0) == Approx(7 * 0.008 / 2).epsilon(1e-9));
    CHECK(t.states.back().v(0, 0) == Approx(7 * 0.008 / 2).epsilon(0.3));
  }
}

TEST_CASE("short events: adaptive integrators see pulses of F(t) and E(x, t) that are a few percent of a step long",
          "[sim][integrator][adaptive][pulse]") {
  std::mt19937 generator(11);
  std::uniform_real_distribution<double> place(0.15, 0.85), part(0.03, 0.1);
  for (const std::string& name : adaptive_integrators())
    for (int k = 0; k < 6; ++k) {
      const double center = place(generator), width = part(generator),
                   want = width * std::sqrt(M_PI) / 2 * (std::erf(center / width) + std::erf((1 - center) / width));
      const double speed = k % 2 == 0 ? 0 : 1;  // at rest, or in flight
      INFO(name << ": " << width << " s about " << center << " s, speed " << speed);
      const bool field = k % 3 == 2;
      const auto force = field ? std::make_shared<ElectricField>(std::make_shared<AnalyticField>(
                                     std::array<std::string, 3>{gauss(center, width) + "*(1 + 0*x)", "0", "0"}))
                               : force_in_time(gauss(center, width));
      const Trajectory t = simulated(lone_particle({force}), flying({0, 0, 0}, {0, speed, 0}), name, 1, 1);
      REQUIRE(t.status == StepStatus::Ok);
      CHECK(t.states.back().v(0, 0) == Approx(want).epsilon(name == "imex_adaptive" ? 0.01 : 1e-4));
      CHECK(t.states.back().v(1, 0) == speed);
      CHECK(count_substeps(t) > 5);
    }
}

TEST_CASE("short events: what is narrower needs max_step", "[sim][integrator][adaptive][pulse]") {
  const double center = 0.5123, width = 2e-4;
  for (const std::string& name : adaptive_integrators()) {
    INFO(name);
    const Model model = lone_particle({force_in_time(gauss(center, width))});
    MapSettings settings(0, {{"max_step", 1e-3}, {"max_substeps", 1e5}});
    const Trajectory t = simulated(model, flying({0, 0, 0}, {0, 1, 0}), {name, settings}, 1, 1);
    CHECK(t.states.back().v(0, 0) == Approx(width * std::sqrt(M_PI)).epsilon(0.02));
    CHECK(count_substeps(t) > 900);
    for (const double tau : t.records.front().substeps) CHECK(tau < 1.001e-3);
  }
}

TEST_CASE("short events: a smooth force in time costs no more substeps than its tolerance",
          "[sim][integrator][adaptive][pulse]") {
  // The acceleration cos t, as a force in time and as a spring to a fixed point that is released at x = 1.
  for (const std::string& name : adaptive_integrators()) {
    INFO(name);
    const Trajectory t =
        simulated(lone_particle({force_in_time("cos(t)")}), flying({0, 0, 0}, {0, 0.5, 0}), name, 0.5, 10);
    CHECK(t.states.back().v(0, 0) == Approx(std::sin(5)).epsilon(name == "imex_adaptive" ? 1e-2 : 1e-5));
    CHECK(count_substeps(t) < (name == "heun_euler" ? 20000 : 1500));
  }
  const Trajectory constant =
      simulated(lone_particle({force_in_time("3")}), flying({0, 0, 0}, {0, 0, 0}), "dormand_prince", 1, 1);
  CHECK(count_substeps(constant) == 1);
}

TEST_CASE("short events: adaptive integrators meet particles that a step would pass",
          "[sim][integrator][adaptive][flyby]") {
  const Model model({.particles = 2, .springs = {}, .held = {}}, Vector{{1, 1e6}}, all(2, 0),
                    made("lennard_jones", {{"epsilon", 10.0}, {"sigma", 0.5}}));
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> offset(-0.45, 0.45), start(-6, -4);
  for (int k = 0; k < 4; ++k) {
    const double x = k == 0 ? -5 : start(generator), y = k == 0 ? 0.3 : offset(generator);
    const State begin{0, columns({{x, 0, 0}, {0, y, 0}}), columns({{10, 0, 0}, {0, 0, 0}})};
    const State want = fine_state({"", model, begin, 1, {}}, 1, 2e-5);
    if (k == 0) CHECK((want.x.col(0) - Vec3(-1.118, -5.313, 0)).norm() < 1e-3);
    for (const std::string& name : adaptive_integrators()) {
      INFO(name << ": from " << x << ", " << -y);
      const Trajectory t = simulated(model, begin, name, 1, 1);
      REQUIRE(t.status == StepStatus::Ok);
      CHECK((t.states.back().x.col(0) - want.x.col(0)).norm() < (name == "imex_adaptive" ? 0.15 : 2e-3));
    }
  }
  // One that meets nothing flies in one step.
  const State away{0, columns({{5, 0, 0}, {0, 0.3, 0}}), columns({{0, 0, 0}, {0, 0, 0}})};
  CHECK(count_substeps(simulated(model, away, "dormand_prince", 1, 1)) == 1);
}

TEST_CASE("short events: adaptive integrators meet spheres and thin blocks", "[sim][integrator][adaptive][flyby]") {
  const Model spheres({.particles = 2, .springs = {}, .held = {}}, Vector{{1, 1e6}}, all(2, 0),
                      made("contact_penalty", {{"radius", all(2, 0.1)}, {"stiffness", 1e6}}));
  const State at_each_other{0, columns({{-5, 0, 0}, {0, 0.05, 0}}), columns({{10, 0, 0}, {0, 0, 0}})};
  const State want = fine_state({"", spheres, at_each_other, 1, {}}, 1, 1e-5);
  REQUIRE(want.x(0, 0) < -2);
  const Model block = lone_particle(made("box_penalty", {{"min", Vec3(0.5, -1, -1)},
                                                         {"max", Vec3(0.51, 1, 1)},
                                                         {"side", std::string("outside")},
                                                         {"stiffness", 1e8},
                                                         {"radius", all(1, 0.0)}}));
  for (const std::string& name : adaptive_integrators()) {
    INFO(name);
    const Trajectory met = simulated(spheres, at_each_other, name, 1, 1);
    REQUIRE(met.status == StepStatus::Ok);
    CHECK((met.states.back().x.col(0) - want.x.col(0)).norm() < (name == "imex_adaptive" ? 0.5 : 0.01));
    const Trajectory back = simulated(block, flying({0, 0, 0}, {5, 0, 0}), name, 1, 1);
    REQUIRE(back.status == StepStatus::Ok);
    CHECK(back.states.back().v(0, 0) < -4);
  }
}

TEST_CASE("short events: steps are divided alike in every system of units", "[sim][integrator][switch][scale]") {
  for (const double unit : {std::pow(4.0, -20), 1.0, std::pow(4.0, 20)}) {
    const Model model = lone_particle({switched_field({.from = 0.3 * unit, .until = 0.301 * unit})});
    std::size_t parts = 0;
    for (int n = 0; n < 10; ++n)
      parts += make_step_parts(model, n * 0.1 * unit, {0.1 * unit, (n + 1) * 0.1 * unit}, false).size();
    CHECK(parts == 5);
  }
}
