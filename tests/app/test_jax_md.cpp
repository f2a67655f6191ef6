// JAX MD as a backend, where `make baselines` has installed it: the steps of our velocity Verlet, and the derivative of
// a loss with respect to the charge that all particles share.

#include <cmath>
#include <optional>

#include "app/backend/jax_md.hpp"
#include "app/experiment/experiment.hpp"
#include "app/experiment/experiment_file.hpp"
#include "tests/app/backend_place.hpp"
#include "tests/support/places.hpp"
#include "tests/support/skip.hpp"

using namespace pithball;
using namespace pithball::test;
using app::BackendJob;
using app::JaxMd;
using nlohmann::json;
using sim::Index;
using sim::Points;

namespace {

/// Skips the test where there is no JAX MD.
void require_jax_md() {
  const char* named = std::getenv("PITHBALL_BASELINES_PYTHON");
  const fs::path python =
      named ? fs::path(named) : fs::path(pithball::tests::built_program).parent_path() / "../baselines/bin/python";
  if (!fs::exists(python)) tests::skip("no JAX MD: `make baselines` installs it");
}

/// The torus of one charge [C], and a step job over all of its steps.
struct Torus {
  diff::Scenario scenario;
  BackendJob job;
  explicit Torus(const Workplace& place) : scenario(read(place)) {
    scenario.model.place_held(0, scenario.initial.x, &scenario.initial.v);
    job = {&scenario.model, scenario.initial, scenario.time_step, {scenario.steps}};
  }
  static diff::Scenario read(const Workplace& place) {
    place.write("torus.yaml", replaced(charged_torus("[coulomb]"), "heavy: -2 uC, rest: 6 uC", "rest: 6 uC"));
    return app::read_experiment(app::load_document((place / "torus.yaml").string())).scenario;
  }
  Points final_positions(double charge) const {
    diff::Scenario other = scenario;
    sim::Vector values = other.model.values().data();
    values.segment(scenario.model.particles(), scenario.model.particles()).setConstant(charge);
    other.model = other.model.with_values(values);
    Points end;
    diff::run_forward(other, [&](Index, const sim::State& s) { end = s.x; });
    return end;
  }
};

}  // namespace

TEST_CASE("backend: JAX MD makes the steps of velocity_verlet, softened charges too, and a diverged run is a row",
          "[app][backend][baselines][slow]") {
  require_jax_md();
  const Workplace place;
  place.write(
      "torus.yaml",
      charged_torus("[{coulomb: {softening: 0.1}}, {gravity: [1, 0, -9.81]}, {electric_field: {uniform: [3e4, 0, "
                    "1e5]}}, {point_charge: {charge: 20 uC, position: [0, 0, 3]}}]") +
          "output: {every: 7}\n");
  REQUIRE(place.run("simulate torus.yaml --quiet --out ours").status == 0);
  const Outcome outcome = place.run("simulate torus.yaml --quiet --out theirs --set simulation.backend=jax_md");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const KeptRun ours(place / "ours"), theirs(place / "theirs");
  REQUIRE(ours.trajectory.step.size() == 16);
  REQUIRE((ours.trajectory.states.back().x - ours.trajectory.states.front().x).norm() > 1);
  // What differs is the order of sums, by a few roundings a step over 100 steps. Were JAX MD's step rounded to single
  // precision, as it does with any but 1, positions would differ by 1e-9 m.
  check_parity(ours, theirs, 1e4);
  const json backend = theirs.summary["backend"];
  CHECK(backend["version"].get<std::string>().rfind("JAX MD ", 0) == 0);
  CHECK(backend["seconds"].get<double>() > 0);
  CHECK(backend["compile_seconds"].get<double>() > 0);

  const Outcome compared = place.run(
      "compare torus.yaml --json --quiet --set simulation.duration=10 --set "
      "'compare={integrators: [jax_md], time_steps: [0.5, 0.01], reference: {time_step: 0.005}}'");
  CAPTURE(compared.err);
  REQUIRE(compared.status == 0);
  const json rows = compared.json()["comparison"]["rows"];
  CHECK(rows[0]["status"] == "diverged");
  CHECK(rows[0]["failed_step"].get<int>() <= 20);
  CHECK(rows[0]["position_error"]["rms"].is_null());
  CHECK(rows[1]["status"] == "ok");
  CHECK(rows[1]["compile_seconds"].get<double>() > 0);
}

TEST_CASE("paper: JAX MD recovers a charge at a small step, and where its Verlet diverges finds none",
          "[app][paper][baselines][slow]") {
  require_jax_md();
  const Workplace place;
  place.write("torus.yaml", R"(name: torus
system:
  mesh: {torus: {major_radius: 4, minor_radius: 1.5, segments: [12, 5]}}
  mass: 0.1
  charge: 5 uC
  springs: {stiffness: 10}
forces: [coulomb]
simulation: {integrator: velocity_verlet, time_step: 0.01}
fit:
  recordings: [{file: all.csv, frames: {from: 2}}]
  parameters: [{charge: {share: all, initial: 5 uC, bounds: [1 uC, 20 uC]}}]
)");
  const Outcome film = place.run(
      "record torus.yaml --rate 1 --out all.csv --set 'system.charge=6 uC' --set simulation.time_step=0.005 "
      "--set simulation.duration=2 --quiet");
  CAPTURE(film.err);
  REQUIRE(film.status == 0);
  place.write("list.yaml", R"(items:
  - name: charge
    title: "Figure 6: charge"
    about: By JAX MD.
    runs:
      - {name: fine, jax_md_charge: torus.yaml, needs: [jax_md], show: [JAX MD]}
      - {name: coarse, jax_md_charge: torus.yaml, set: [simulation.time_step=0.2], needs: [jax_md]}
    claims:
      - {says: it is found, unit: C, find: fine/parameters/0/estimate, about: 6 uC, within: 0.001, why: Twice the step.}
      - {says: it is not, find: coarse/status, is: failed, why: The step is unstable.}
)");
  const Outcome outcome = place.run("paper --list list.yaml --json --quiet");
  CAPTURE(outcome.err);
  CAPTURE(outcome.out);
  REQUIRE(outcome.status == 0);
  CHECK(outcome.json()["counts"] == json({{"holds", 2}}));
  CHECK(outcome.json()["programs"]["jax_md"].get<std::string>().rfind("JAX MD ", 0) == 0);
  CHECK(read_text(place / "runs/paper/report.html").find("by JAX MD's velocity Verlet") != std::string::npos);
}

TEST_CASE("backend: JAX MD's derivative of the loss by the shared charge is ours, and it finds the charge",
          "[app][backend][baselines][fd][slow]") {
  require_jax_md();
  const Workplace place;
  const Torus torus(place);
  const Index n = torus.scenario.model.particles();
  const double charge = 6e-6, truth = 6.2e-6;
  const Points target = torus.final_positions(truth);
  Eigen::MatrixXd direction = Eigen::MatrixXd::Zero(torus.scenario.size(), 1);
  direction.col(0).segment(n, n).setOnes();  // the charges, after the masses
  double loss = 0, gradient = 0;
  diff::run_tangent(torus.scenario, direction,
                    [&](Index, const sim::State& s, const Eigen::MatrixXd& dx, const Eigen::MatrixXd&) {
                      const Points off = s.x - target;
                      loss = off.squaredNorm() / static_cast<double>(n);
                      gradient = 2 * off.reshaped().dot(dx.col(0)) / static_cast<double>(n);
                    });
  REQUIRE(std::abs(gradient) > 100);  // [m²/C]; losses of 1e-4 m² over 1e-6 C
  JaxMd jax_md;
  const JaxMd::ChargeLoss theirs = jax_md.charge_loss(torus.job, target, charge);
  // Positions agree to 1e-13 m, of which the loss has squares of 1e-3 m and more.
  CHECK(theirs.loss == Approx(loss).epsilon(1e-9));
  CHECK(theirs.gradient == Approx(gradient).epsilon(1e-9));
  CHECK(theirs.seconds > 0);
  CHECK(theirs.compile_seconds > 0);

  const JaxMd::ChargeEstimate found = jax_md.estimate_charge(torus.job, target, charge, 1e-6, 2e-5);
  CHECK(found.converged);
  CHECK(found.charge == Approx(truth).epsilon(1e-6));
  CHECK(found.loss < 1e-12);
  CHECK(found.evaluations >= 2);
}
