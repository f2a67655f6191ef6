// A known mass on top of one that is fitted.

#include "tests/app/experiment/ball_document.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::test;

namespace {

using sim::Vector;

std::string fit_of(const std::string& recording, const std::string& mass) {
  return "fit:\n  residual: {sigma: 1 mm}\n  recordings:\n    - {file: runs.csv, rate: 100, rows: {run: a}, markers: "
         "[1], " +
         recording + "}\n  parameters: [mass: {" + mass + "}]\n";
}

/// Masses of the first recording at a value of the parameter.
Vector masses_at(const app::FitSpec& spec, double p) {
  const Vector theta{{spec.fit->map().info()[0].transform.theta(p)}};
  return spec.fit->map().scatter(theta, 0).model.mass();
}

}  // namespace

TEST_CASE("payload: a parameter changes the own mass, by value or by factor", "[app][fit][payload]") {
  const Workplace place;
  write_three_runs(place);
  const std::string system = "mass: [0.1, 0.3]\n  payload: {tip: 200 g}\n  groups: {tip: {vertices: [1]}}";
  const app::FitSpec factor = read_ball(place, fit_of("name: f", "multiplier: true"), system);
  CHECK(factor.recordings[0].own.scenario.model.mass().isApprox(Vector{{0.1, 0.5}}, 1e-12));
  CHECK(masses_at(factor, 1).isApprox(Vector{{0.1, 0.5}}, 1e-12));
  CHECK(masses_at(factor, 2).isApprox(Vector{{0.2, 0.8}}, 1e-12));
  const app::FitSpec value = read_ball(place, fit_of("name: f", "select: [tip]"), system);
  CHECK(masses_at(value, 0.4).isApprox(Vector{{0.1, 0.6}}, 1e-12));
  // A recording may carry another one.
  const app::FitSpec own = read_ball(place, fit_of("set: {system.payload.tip: 400 g}", "multiplier: true"), system);
  CHECK(masses_at(own, 2).isApprox(Vector{{0.2, 1.0}}, 1e-12));
}

TEST_CASE("value_offsets: part of the value in the file, and the parameter is the rest of it", "[app][fit][payload]") {
  const Workplace place;
  write_three_runs(place);
  const std::string offsets = "value_offsets: {mass: [0, 0.2]}", system = "mass: [0.1, 0.5]";
  CHECK(
      masses_at(read_ball(place, fit_of(offsets, "multiplier: true"), system), 2).isApprox(Vector{{0.2, 0.8}}, 1e-12));
  const std::string both = "mass: [0.1, 0.5]\n  payload: [0, 0.1]";
  place.write("both.yaml", ball_with(fit_of(offsets, "multiplier: true"), both));
  try {
    app::read_fit(app::load_document((place / "both.yaml").string()));
    FAIL("accepted");
  } catch (const InvalidArgument& error) {
    CHECK(says(error.what(), "value_offsets.mass: must not be given together with `system.payload`"));
  }
}

TEST_CASE("axial_damping: dampers of one viscosity, each by its length", "[app][payload]") {
  const Workplace place;
  place.write("chain.yaml", R"(name: chain
system:
  vertices: [[0, 0, 0], [0.5, 0, 0], [0.7, 0, 0]]
  mass: 1
  springs: {edges: [[0, 1], [1, 2]], axial_stiffness: 10, axial_damping: 3}
simulation: {integrator: imex_midpoint, time_step: 10 ms, duration: 1 s}
)");
  const app::Experiment chain = app::read_experiment(app::load_document((place / "chain.yaml").string()));
  const sim::Values& values = chain.scenario.model.values();
  CHECK(Vector(values[*values.find("damping")]).isApprox(Vector{{6, 15}}, 1e-12));
  const Outcome both = place.run("simulate chain.yaml --set system.springs.damping=1");
  CHECK(both.status == 2);
  CHECK(says(both.err, "axial_damping: must be given instead of damping"));
}
