// What every constraint of the registry must do.
#include "sim/integrator/xpbd.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/constraint_specimens.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests::constraint_suite;

namespace {

double value_of(const Specimen& specimen, const ConstraintRow& row, const Points& x) {
  RowPoints gradient;
  return specimen.constraint().evaluate(specimen.model, row, row_points(row, x), gradient);
}

/// One step of so many iterations in one substep.
struct Swept {
  State end;
  std::vector<RowForce> forces;
};
Swept swept(const Specimen& specimen, double h, Index iterations) {
  Xpbd xpbd({.substeps = 1, .iterations = iterations});
  State s = moved();
  History history = xpbd.start(specimen.model, s);
  REQUIRE(xpbd.step(specimen.model, {h, s.t + h}, s, history).status == StepStatus::Ok);
  return {s, xpbd.row_forces()};
}

}  // namespace

TEST_CASE("constraints: the gradient is that of C", "[sim][constraint][fd]") {
  for (const Specimen& specimen : specimens()) {
    const State s = moved();
    const auto rows = specimen.rows(s.x);
    REQUIRE_FALSE(rows.empty());
    for (const ConstraintRow& row : rows) {
      RowPoints gradient;
      REQUIRE(specimen.constraint().evaluate(specimen.model, row, row_points(row, s.x), gradient) != 0);
      double largest = 0;
      for (Index k = 0; k < row.count; ++k)
        for (Index a = 0; a < 3; ++a) {
          const auto shifted = [&](double step) {
            Points x = s.x;
            x(a, row.particles[k]) += step;
            return value_of(specimen, row, x);
          };
          const double h = 1e-3;
          const double slope = (8 * (shifted(h) - shifted(-h)) - (shifted(2 * h) - shifted(-2 * h))) / (12 * h);
          INFO(specimen.name << ", item " << row.item << ", particle " << k << ", axis " << a);
          CHECK(std::abs(gradient(a, k) - slope) < 1e-9);  // h⁴ = 1e-12 times fifth derivatives of up to 1e2
          largest = std::max(largest, std::abs(slope));
        }
      CHECK(largest > 0.1);
    }
  }
}

TEST_CASE("constraints: the Hessian and the slope in its value are those of C, where derivatives are offered",
          "[sim][constraint][fd]") {
  Index differentiable = 0;
  for (const Specimen& specimen : specimens()) {
    const auto* differentiated = specimen.constraint().as<DifferentiableRows>();
    if (!differentiated) continue;
    ++differentiable;
    const State s = moved();
    for (const ConstraintRow& row : specimen.rows(s.x)) {
      INFO(specimen.name << ", item " << row.item);
      const RowPoints x = row_points(row, s.x);
      RowPoints d = RowPoints::Zero();
      for (Index k = 0; k < row.count; ++k) d.col(k) = s.v.col(row.particles[k]);
      const auto gradient = [&](double step) {
        RowPoints g = RowPoints::Zero();
        specimen.constraint().evaluate(specimen.model, row, x + step * d, g);
        return g;
      };
      const double h = 1e-3;
      const RowPoints slope = (8 * (gradient(h) - gradient(-h)) - (gradient(2 * h) - gradient(-2 * h))) / (12 * h);
      const RowPoints product = differentiated->hessian_product(specimen.model, row, x, d);
      CHECK((product - slope).norm() < 1e-8);
      if (row.count > 1) CHECK(product.norm() > 0.01);
      const RowValues values = differentiated->row_values(specimen.model, row);
      const auto shifted = [&](Index entry) {
        Vector data = specimen.model.values().data();
        data[entry] += 0.125;
        return specimen.model.with_values(data);
      };
      if (values.value >= 0) {
        RowPoints ignored;
        const double before = specimen.constraint().evaluate(specimen.model, row, x, ignored),
                     after = specimen.constraint().evaluate(shifted(values.value), row, x, ignored);
        CHECK((after - before) / 0.125 == Approx(values.slope).epsilon(1e-12));
      }
      CHECK(row_compliance(specimen.constraint(), shifted(values.compliance), row) ==
            Approx(row_compliance(specimen.constraint(), specimen.model, row) + 0.125));
      CHECK(row_damping(specimen.constraint(), shifted(values.damping), row) ==
            Approx(row_damping(specimen.constraint(), specimen.model, row) + 0.125));
    }
  }
  CHECK(differentiable >= 4);  // links and pins, each in two ways
}

TEST_CASE("constraints: internal ones push with no force in sum and keep the momentum, the others push outside",
          "[sim][constraint][conservation]") {
  for (const Specimen& specimen : specimens()) {
    INFO(specimen.name);
    const State start = moved();
    double outside = 0;
    for (const ConstraintRow& row : specimen.rows(start.x)) {
      RowPoints gradient = RowPoints::Zero();
      specimen.constraint().evaluate(specimen.model, row, row_points(row, start.x), gradient);
      outside = std::max(outside, gradient.leftCols(row.count).rowwise().sum().norm());
    }
    const bool internal = specimen.constraint().traits().internal;
    CHECK(internal == (outside < 1e-15));
    const Trajectory run = simulate(specimen.model, start,
                                    {.integrator = "xpbd", .time_step = 0.02, .steps = 100, .every = 100, .stage = {}});
    REQUIRE(run.status == StepStatus::Ok);
    const auto momentum = [&](const State& s) { return Vec3(s.v * specimen.model.mass()); };
    const double change = (momentum(run.states.back()) - momentum(start)).norm();
    REQUIRE((run.states.back().v - start.v).norm() > 0.1);
    if (internal)
      CHECK(change < 1e-11);  // 1000 substeps of roundings of impulses up to 1e2 N s
    else
      CHECK(change > 1e-3);
  }
}

TEST_CASE("constraints: where sweeps converge, each row acts as the force −C/α − β dC/dt, or C = 0 if it is rigid",
          "[sim][constraint]") {
  for (const Specimen& specimen : specimens()) {
    const Swept step = swept(specimen, 0.02, 2000);
    REQUIRE_FALSE(step.forces.empty());
    for (const RowForce& acting : step.forces) {
      const ConstraintRow& row = acting.row;
      INFO(specimen.name << ", item " << row.item);
      RowPoints gradient;
      const double C = specimen.constraint().evaluate(specimen.model, row, row_points(row, step.end.x), gradient);
      const double alpha = row_compliance(specimen.constraint(), specimen.model, row);
      const double beta = row_damping(specimen.constraint(), specimen.model, row);
      double rate = 0;
      for (Index k = 0; k < row.count; ++k) rate += gradient.col(k).dot(step.end.v.col(row.particles[k]));
      if (alpha > 0) {
        CHECK(std::abs(C) > 1e-4);
        CHECK(acting.force == Approx(-C / alpha - beta * rate).epsilon(1e-9));
      } else {
        CHECK(std::abs(C) < 1e-12);
        CHECK(std::abs(acting.force) > 0.1);
      }
    }
  }
}

TEST_CASE("constraints: compliant ones store C²/(2α), rigid ones nothing", "[sim][constraint][energy]") {
  for (const Specimen& specimen : specimens()) {
    const State s = moved();
    double energy = 0;
    for (const ConstraintRow& row : specimen.rows(s.x)) {
      const double C = value_of(specimen, row, s.x), alpha = row_compliance(specimen.constraint(), specimen.model, row);
      if (alpha > 0 && (!specimen.constraint().traits().inequality || C < 0)) energy += C * C / (2 * alpha);
    }
    CHECK(stored_energy(specimen.constraint(), specimen.model, s.x) == Approx(energy).epsilon(1e-14));
    CHECK(energy_of(specimen.model, s).elastic == Approx(energy).epsilon(1e-14));
  }
}

TEST_CASE("constraints: every integrator but xpbd rejects them and names xpbd", "[sim][constraint][error]") {
  Index projecting = 0;
  for (const Specimen& specimen : specimens())
    for (const IntegratorInfo& info : integrators()) {
      const RunOptions options{.integrator = info.name, .time_step = 0.01, .steps = 1, .stage = {}};
      if (info.supports.constraints) {
        ++projecting;
        CHECK_NOTHROW(simulate(specimen.model, moved(), options));
      } else {
        CHECK_THROWS_WITH(simulate(specimen.model, moved(), options),
                          Catch::Contains("simulation.integrator: must be xpbd") && Catch::Contains(info.name));
      }
    }
  CHECK(projecting == static_cast<Index>(specimens().size()));
}

TEST_CASE("constraints: values have names of their own, and particles that do not exist are rejected",
          "[sim][constraint][error]") {
  for (const Specimen& specimen : specimens()) {
    const auto& blocks = specimen.model.values().blocks();
    REQUIRE(blocks.size() > 2);  // after mass and charge
    for (std::size_t k = 2; k < blocks.size(); ++k) CHECK(blocks[k].name.rfind(specimen.name + "_", 0) == 0);
    CHECK_THROWS_WITH(Model({.particles = 1, .springs = {}, .held = {}}, Vector::Ones(1), Vector::Zero(1), {},
                            {specimen.model.constraints().front()}),
                      Catch::Contains("constraints." + specimen.name));
  }
}
