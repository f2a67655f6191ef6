// Files of drops between plates: mass of a sphere, slip, a switched field, Brownian motion.

#include <numbers>

#include "app/experiment/experiment_file.hpp"
#include "app/experiment/fit_spec.hpp"
#include "sim/core/error.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::test;

namespace {

using sim::Index;
using sim::Vector;

/// What differs between the files of these tests.
struct DropFile {
  std::string mass = "{density: 886 kg/m3, radius: 600 nm}", forces = "",
              switched = "{field: [0, 0, 20 kV/m], factors: [0, 1, 0], times: [1 s, 2 s], rise: 80 ms}",
              recording = "brownian: {temperature: 293 K}", residual = "residual: {sigma: 1 um}",
              parameters = "[charge, hydrodynamic_radius, switch_time: {share: none}]";
  std::string text() const {
    return "name: drop\nsystem:\n  vertices: [[0, 0, 0]]\n  mass: " + mass +
           "\n  charge: 0.8 aC\nforces:\n  - gravity: [0, 0, -9.81]\n"
           "  - medium: {radius: 600 nm, viscosity: 18.1 uPa s, slip_length: 81 nm}\n"
           "  - electric_field: {switched: " +
           switched + "}\n" + forces +
           "simulation: {integrator: imex_midpoint, time_step: 20 ms}\n"
           "fit:\n  recordings:\n    - {file: film.csv, markers: [0], initial_state: from_system" +
           (recording.empty() ? "" : ", ") + recording + "}\n  " + residual + "\n  parameters: " + parameters + "\n";
  }
};

app::FitSpec read_drop(const Workplace& place, const DropFile& file) {
  std::string table = "t (s),x (um),z (um)\n";
  for (int k = 0; k < 30; ++k) table += std::to_string(0.1 * k) + ",0," + std::to_string(-4.0 * k) + "\n";
  place.write("film.csv", table);
  place.write("drop.yaml", file.text());
  return app::read_fit(app::load_document((place / "drop.yaml").string()));
}

std::string drop_complaint(const Workplace& place, const DropFile& file) {
  try {
    read_drop(place, file);
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("drop files: a fitted radius moves the mass of a sphere with it", "[app][fit][drop]") {
  const Workplace place;
  const app::FitSpec spec = read_drop(place, {});
  const optim::ParameterMap& map = spec.fit->map();
  CHECK(map.names() == std::vector<std::string>{"charge", "hydrodynamic_radius", "switch_time[0]", "switch_time[1]"});
  const auto mass_of = [](double r) { return 4 * std::numbers::pi / 3 * 886 * r * r * r; };
  CHECK(spec.base.scenario.model.mass()[0] == Approx(mass_of(600e-9)).epsilon(1e-12));
  Vector theta = map.initial();
  theta[1] = map.info()[1].transform.theta(700e-9);
  const diff::Scenario larger = map.scatter(theta, 0);
  CHECK(larger.model.mass()[0] == Approx(mass_of(700e-9)).epsilon(1e-12));
  CHECK(spec.problem().observations[0].noise.thermal_energy == Approx(293 * 1.380649e-23).epsilon(1e-12));
  // The same by a tie that is written.
  DropFile written{.mass = std::to_string(1e15 * mass_of(600e-9)) + "e-15"};
  written.parameters = "[hydrodynamic_radius, mass: {tied_to: {parameter: hydrodynamic_radius, density: 886 kg/m3}}]";
  const app::FitSpec tied = read_drop(place, written);
  CHECK(tied.fit->map().scatter(Vector{{std::log(700e-9)}}, 0).model.mass()[0] ==
        Approx(mass_of(700e-9)).epsilon(1e-12));
}

TEST_CASE("drop files: what does not belong together is refused with the reason", "[app][fit][drop][error]") {
  const Workplace place;
  CHECK(drop_complaint(place, {}).empty());
  CHECK(says(drop_complaint(place, {.mass = "{density: 886 kg/m3, radius: 500 nm}"}),
             "must have one radius of particle 0 for mass and drag"));
  CHECK(says(drop_complaint(place, {.mass = "{density: 886 kg/m3}"}), "mass.radius: must be given with a density"));
  CHECK(says(drop_complaint(place, {.mass = "{density: , radius: 1 um}"}), "mass.density: must have a value"));
  const std::string spheres = "{density: 886 kg/m3, radius: 600 nm}";
  CHECK(drop_complaint(place, {.mass = spheres + "\n  payload: 0"}).empty());  // as a run's own run.yaml has it
  CHECK(says(drop_complaint(place, {.mass = spheres + "\n  payload: 1 pg"}),
             "payload: must be 0 or left out for spheres of one density"));
  CHECK(says(drop_complaint(place, {.parameters = "[hydrodynamic_radius, mass]"}),
             "must not contain mass beside the radius of spheres"));
  CHECK(says(
      drop_complaint(place, {.switched = "{field: [0, 0, 20 kV/m], factors: [0, 1], times: [1 s, 2 s], rise: 80 ms}"}),
      "switched.factors: must be one more than the times (3), got 2"));
  CHECK(says(drop_complaint(place, {.switched = "{field: [0, 0, 1], factors: [0, 1], times: [1 s], rise: 79 ms}"}),
             "switched.rise: must be at least 4 time steps (0.08 s), got 0.079 s"));
  CHECK(says(drop_complaint(place, {.residual = "residual: {}"}), "brownian: must be given together with sigma"));
  const std::string walled = drop_complaint(
      place, {.forces = "  - plane_penalty: {point: [0, 0, -1], normal: [0, 0, 1], stiffness: 1, radius: 0}\n"});
  CHECK(says(walled,
             "brownian: must be of particles that drift freely, got the force plane_penalty, which is not the "
             "same everywhere and linear in velocity"));
  CHECK(says(drop_complaint(place, {.recording = "brownian: {temperature: 293 K}, time_offset: 1 ms, clock: {offset: "
                                                 "[0 ms, 2 ms]}"}),
             "brownian: must not be given together with a fitted clock"));
}

TEST_CASE("drop files: the shipped film gives charge, radius and switch times", "[app][fit][drop]") {
  const Workplace place;
  const Outcome fit =
      place.run("fit '" + pithball::tests::in_sources("experiments/fits/switched_drop.yaml") + "' --out run --quiet");
  CAPTURE(fit.err, fit.out);
  REQUIRE(fit.status == 0);
  const auto record = nlohmann::json::parse(read_text(place / "run/fit.json"));
  // Velocities alternate from step to step of the midpoint rule in air so viscous; the drop does not.
  CHECK(record["status"] == "converged");
  const std::vector<double> truth{0.801e-18, 600e-9, 4.13, 8.25};
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const auto& p = record["parameters"][k];
    INFO(p["name"]);
    CHECK(std::abs(p["estimate"].get<double>() - truth[k]) < 3 * p["standard_error"].get<double>());
    CHECK(p["standard_error"].get<double>() < 0.1 * truth[k]);
  }
}
