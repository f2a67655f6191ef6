#include "sim/force/field_potential.hpp"

#include "sim/field/analytic_field.hpp"
#include "sim/model/model.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;

TEST_CASE("field_potential: a particle in a well swings at the well's frequency", "[sim][force]") {
  const Model model({.particles = 2, .springs = {}, .held = {}}, Vector{{0.5, 2.0}}, Vector::Zero(2),
                    {std::make_shared<FieldPotential>(std::make_shared<AnalyticPotential>("4*(x - 1)^2"))});
  State start{0, Points::Zero(3, 2), Points::Zero(3, 2)};
  const double period = 2 * M_PI / std::sqrt(8 / 0.5);  // of the first; the second needs twice as long
  const Trajectory run =
      simulate(model, start, {.integrator = "rk4", .time_step = period / 200, .steps = 200, .stage = {}});
  CHECK((run.states.back().x.col(0) - Vec3(0, 0, 0)).norm() < 1e-6);
  CHECK((run.states.back().x.col(1) - Vec3(2, 0, 0)).norm() < 1e-6);
  CHECK(run.energy.front().external == 8);
}

TEST_CASE("field_potential: with mass or charge as weight it is gravity or an electric field", "[sim][force]") {
  using Weight = FieldPotential::Weight;
  const Vector mass{{0.5, 2.0}}, charge{{1e-3, -2e-3}};
  const State s{0, (Points(3, 2) << 0, 1, 2, 3, 4, 5).finished(), Points::Zero(3, 2)};
  const auto force = [&](const std::string& expression, Weight weight) {
    const Model model({.particles = 2, .springs = {}, .held = {}}, mass, charge,
                      {std::make_shared<FieldPotential>(std::make_shared<AnalyticPotential>(expression), weight)});
    Points f = Points::Zero(3, 2);
    model.terms()[0]->add_force(model, s, f);
    return f;
  };
  CHECK((force("9.81*z", Weight::Mass) - Vec3(0, 0, -9.81) * mass.transpose()).norm() < 1e-14);
  CHECK((force("-50*x", Weight::Charge) - Vec3(50, 0, 0) * charge.transpose()).norm() < 1e-16);
}

TEST_CASE("field_potential: a place without a gradient is rejected", "[sim][force][error]") {
  const Model model({.particles = 1, .springs = {}, .held = {}}, Vector::Ones(1), Vector::Zero(1),
                    {std::make_shared<FieldPotential>(std::make_shared<AnalyticPotential>("log(x)"))});
  CHECK_THROWS_WITH(model.validate({0, Points::Constant(3, 1, -1), Points::Zero(3, 1)}),
                    Catch::Contains("must have a gradient at every particle, got none at particle 0"));
}
