#include <set>

#include "sim/run/simulator.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reference_system.hpp"

using namespace pithball;
using namespace pithball::tests;

namespace {
double relative(const sim::Points& got, const sim::Points& want) { return (got - want).norm() / want.norm(); }
}  // namespace

// Double precision with stages converged to 1e-13 agrees with the 50-digit program to 1e-10 or better; 1e-9 is the
// figure that the project promises.
TEST_CASE("integrators: final and middle states agree with the 50-digit reference", "[sim][integrator][reference]") {
  std::set<std::string> known;
  for (const auto& info : sim::integrators()) known.insert(info.name);
  // Integrators that the file does not hold; exact solutions test them.
  for (const char* absent :
       {"theta", "implicit_euler", "heun_euler", "bogacki_shampine", "dormand_prince", "imex_adaptive", "xpbd"})
    known.erase(absent);
  std::set<std::string> covered;
  for (const auto& c : reference().at("cases")) {
    const std::string name = c.at("integrator");
    if (!known.count(name)) continue;  // an integrator that the toolkit does not have yet
    covered.insert(name);
    std::vector<std::string> solvers{"auto"};
    if (sim::IntegratorChoice(name).info().implicit)
      solvers = {"auto", "block_jacobi_cg", "ssor_cg", "prefactored_cg", "cholesky"};
    for (const std::string& solver : solvers) {
      INFO(name << " h = " << c.at("time_step") << " pinned " << c.at("pinned") << " solver " << solver);
      const sim::Model model = reference_model(c.at("pinned"));
      sim::RunOptions options{
          .integrator = name, .time_step = c.at("time_step"), .steps = c.at("steps"), .every = 1, .stage = {}};
      options.stage.tolerance = 1e-13;
      options.stage.linear_solver = solver;
      // The velocities that an integrator carries: those of leapfrog and verlet are of half a step ago.
      sim::Stepper run(model, reference_state(), options.integrator, options.stage, options.time_step);
      while (run.n() < options.steps) {
        REQUIRE(run.advance().status == sim::StepStatus::Ok);
        if (run.n() == options.steps / 2) CHECK(relative(run.state().x, points_of(c.at("middle_positions"))) < 1e-10);
      }
      CHECK(relative(run.state().x, points_of(c.at("final_positions"))) < 1e-10);
      sim::Points v = points_of(c.at("final_velocities"));
      CHECK(relative(run.state().v, v) < 1e-9);
      const auto& energy = c.at("final_energy");
      const sim::EnergyRow row = sim::energy_of(model, run.state());
      CHECK(row.elastic == Approx(energy.at("elastic").get<double>()).epsilon(1e-9));
      CHECK(row.coulomb == Approx(energy.at("coulomb").get<double>()).epsilon(1e-9));
      CHECK(row.external == Approx(energy.at("external").get<double>()).epsilon(1e-9));
      CHECK(row.kinetic == Approx(energy.at("kinetic").get<double>()).epsilon(1e-9));
    }
  }
  CHECK(covered == known);  // no integrator escapes
}
