// Derivatives of steps that are divided, or shortened, by what happens within them.
#include "diff/check/gradient_check.hpp"
#include "diff/step/step_derivative.hpp"
#include "sim/field/analytic_field.hpp"
#include "sim/field/tabulated_field.hpp"
#include "sim/force/applied_force.hpp"
#include "sim/force/electric_field.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/rich_system.hpp"

using namespace pithball;

namespace {

/// φ = −2e4 s − 5e4 s² V along a line, from one time until another.
std::shared_ptr<sim::ForceTerm> switched_field(double from, double until, double time_constant) {
  const sim::Vector s = sim::Vector::LinSpaced(9, -40, 40);
  const sim::Vector phi = -2e4 * s - 5e4 * s.cwiseAbs2();
  return std::make_shared<sim::ElectricField>(std::make_shared<sim::TabulatedField>(
      std::make_shared<sim::LineField>(sim::CubicSpline(s, phi), sim::LineField::Quantity::Potential, sim::Vec3::Zero(),
                                       sim::Vec3(1, 0.3, -0.2)),
      sim::TabulatedField::Outside::Fail,
      sim::TabulatedField::Span{.from = from, .until = until, .time_constant = time_constant}));
}

/// The body of many forces in four steps of 0.02 s, in which two tables switch, one of them twice in a step, and
/// pulses of F(t) and E(x, t) begin and end.
diff::Scenario switching_scenario(const std::string& integrator) {
  diff::Scenario s = tests::rich_scenario(integrator, 0.02, 4);
  auto terms = s.model.given_terms();
  terms.push_back(switched_field(0.025, 0.031, 0));
  terms.push_back(switched_field(0.013, 0.057, 0.01));
  terms.push_back(std::make_shared<sim::AppliedForce>(
      sim::AppliedForce::On::Total, std::make_shared<sim::VectorInTime>(std::array<std::string, 3>{
                                        "40*exp(-((t-0.047)/0.001)^2)", "3*exp(-((t-0.011)/0.002)^2)", "0"})));
  terms.push_back(std::make_shared<sim::ElectricField>(std::make_shared<sim::AnalyticField>(
      std::array<std::string, 3>{"0", "1e6*(1+y*x)*exp(-((t-0.07)/0.0015)^2)", "z*1e5"})));
  s.model = sim::Model(s.model.topology(), s.model.mass(), s.model.charge(), terms);
  s.integrator = tests::few_substeps(integrator);
  return s;
}

void check_switching(const std::vector<std::string>& integrators) {
  for (const std::string& name : integrators) {
    const diff::Scenario s = switching_scenario(name);
    const auto check = diff::check_gradient(s, diff::ProbeLoss(s),
                                            {.tangent_tolerance = 1e-9, .difference_tolerance = 1e-7, .entries = 1});
    REQUIRE(check.status.ok());
    for (const auto& block : check.blocks) {
      INFO(name << ": " << block.worst);
      CHECK(block.largest > 0);
      CHECK(block.adjoint_vs_tangent < 1e-9);
      CHECK(block.adjoint_vs_difference < 1e-7);
    }
    CHECK(check.passed);
  }
}

}  // namespace

// Steps that are not divided miss pulses that are shorter.
TEST_CASE("short events: adjoint, tangent and differences agree in every integrator whose steps are divided",
          "[diff][fd][switch][slow]") {
  std::vector<std::string> dividing = diff::differentiable_integrators();
  std::erase_if(dividing,
                [](const std::string& name) { return !sim::divides_steps(sim::IntegratorChoice(name).info()); });
  CHECK(dividing.size() > 10);
  check_switching(dividing);
}

TEST_CASE("short events: derivatives across switches and pulses are those that differences see", "[diff][fd][switch]") {
  check_switching({"imex_midpoint", "velocity_verlet", "dormand_prince", "imex_adaptive"});
}

TEST_CASE("short events: a tape has one substep for each part of a divided step", "[diff][switch]") {
  for (const std::string name : {"velocity_verlet", "imex_midpoint", "rk4"}) {
    INFO(name);
    const diff::Scenario s = switching_scenario(name);
    sim::Stepper stepper(s.model, s.initial, s.integrator, s.stage, s.time_step);
    std::vector<std::size_t> parts;
    for (int n = 0; n < 4; ++n) {
      sim::StepTape tape;
      REQUIRE(stepper.advance(&tape).status == sim::StepStatus::Ok);
      parts.push_back(tape.substeps.size());
    }
    CHECK(parts == std::vector<std::size_t>{2, 5, 2, 0});
  }
}
