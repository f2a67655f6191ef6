// Forces of an experiment file with `select` beside their name.
#include "app/experiment/experiment.hpp"
#include "app/experiment/experiment_file.hpp"
#include "sim/force/selected_force.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using test::says;
using test::Workplace;

namespace {

std::string experiment_with(const std::string& forces) {
  return R"(name: selected
system:
  vertices: [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]]
  mass: 2 kg
  charge: 1 uC
  groups:
    ends: {vertices: [0, 3]}
forces:
)" + forces +
         R"(simulation: {integrator: imex_midpoint, time_step: 10 ms, duration: 0.1 s}
)";
}

sim::Points forces_of(const std::string& forces) {
  const Workplace place;
  place.write("selected.yaml", experiment_with(forces));
  const auto experiment = app::read_experiment(app::load_document((place / "selected.yaml").string()));
  sim::Points f = sim::Points::Zero(3, 4);
  experiment.scenario.model.add_forces(experiment.scenario.initial, f, sim::every_term);
  return f;
}

}  // namespace

TEST_CASE("select: a force acts on the particles and groups beside its name", "[app][forces]") {
  const sim::Vector down = forces_of("  - gravity: [0, 0, -10]\n    select: ends\n").row(2);
  CHECK(down == sim::Vector{{-20, 0, 0, -20}});
  const sim::Vector some = forces_of("  - gravity: [0, 0, -10]\n    select: [1-2, 0]\n").row(2);
  CHECK(some == sim::Vector{{-20, -20, -20, 0}});
  const sim::Vector shared =
      forces_of("  - select: ends\n    applied_force: {total: {expression: [\"3\", \"t\", \"0\"]}}\n").row(0);
  CHECK(shared == sim::Vector{{1.5, 0, 0, 1.5}});
  // Charges of the ends repel each other as if the others were not there.
  const sim::Points coulomb = forces_of("  - coulomb: {}\n    select: ends\n");
  CHECK(coulomb(0, 3) == Approx(8.9875517923e9 * 1e-12 / 9).epsilon(1e-12));
  CHECK(coulomb.col(1).isZero(0));
}

TEST_CASE("select: mistakes are reported with their place", "[app][forces][error]") {
  const Workplace place;
  const auto complaint = [&](const std::string& forces) {
    place.write("selected.yaml", experiment_with(forces));
    const auto outcome = place.run("simulate selected.yaml");
    CHECK(outcome.status == 2);
    return outcome.err;
  };
  CHECK(says(complaint("  - gravity: [0, 0, -10]\n    select: end\n"), "did you mean 'ends'"));
  CHECK(says(complaint("  - gravity: [0, 0, -10]\n    select: []\n"), "select: must select at least one particle"));
  CHECK(says(complaint("  - gravity: [0, 0, -10]\n    select: [4]\n"), "selected.yaml:10:"));
  CHECK(says(complaint("  - select: ends\n"), "must be one force: `name: settings`, got 0 keys"));
  CHECK(says(complaint("  - gravity: [0, 0, -10]\n    coulomb: {}\n    select: ends\n"), "got 2 keys"));
  CHECK(says(complaint("  - gravity: [0, 0, -10]\n    selected: ends\n"), "did you mean 'select'?"));
  CHECK(
      says(complaint("  - applied_force: {each: [1, 0, 0], total: [1, 0, 0]}\n"), "exactly one of `each` and `total`"));
  // Numbers in complaints of the force itself count within the selection.
  CHECK(says(complaint("  - point_charge: {charge: 1 uC, position: [3, 0, 0]}\n    select: ends\n"),
             "particle 1 (particles are counted within `select`)"));
}

TEST_CASE("select: other programs reject selected forces, and what they do not know", "[app][forces][backend]") {
  const Workplace place;
  for (const std::string forces : {"  - gravity: [0, 0, -10]\n    select: ends\n", "  - magnetic_field: [0, 0, 1]\n"}) {
    place.write("selected.yaml", experiment_with(forces));
    const auto outcome =
        place.run("simulate selected.yaml --set simulation.backend=lammps --set simulation.integrator=velocity_verlet",
                  "PITHBALL_LAMMPS=/bin/true");
    CAPTURE(outcome.err);
    CHECK(outcome.status == 2);
    CHECK((says(outcome.err, "counterparts for, got select") || says(outcome.err, "magnetic_field")));
  }
}

TEST_CASE("forces: gradients of new ones pass their check, and their values are fitted by name", "[app][gradient]") {
  const Workplace place;
  place.write("selected.yaml", experiment_with(R"(  - magnetic_field: [1e6, 2e6, -1e6]
    select: [0-2]
  - electric_field: [1e6, 0, 0]
  - applied_force: {total: [1, 2, 3]}
    select: ends
  - medium: {radius: 10 cm, viscosity: 1, density: 100, gravity: [0, 0, -9.81]}
    select: [1, 2]
)"));
  const auto outcome = place.run("check-gradient selected.yaml --steps 10 --json");
  CAPTURE(outcome.out, outcome.err);
  REQUIRE(outcome.status == 0);
  std::set<std::string> seen;
  const nlohmann::json checked = outcome.json();
  for (const auto& block : checked["blocks"]) {
    CAPTURE(block.dump());
    seen.insert(block["name"].get<std::string>());
    CHECK(block["largest"].get<double>() > 0);
  }
  for (const char* name :
       {"magnetic_field", "applied_force", "hydrodynamic_radius", "medium_viscosity", "medium_density"})
    CHECK(seen.contains(name));
}
