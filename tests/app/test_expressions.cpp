#include <cmath>
#include <sstream>
#include <string>

#include "datasets/trajectory/h5md.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::test;

namespace {

/// A particle of 1 kg in a wave of this length [m], near whose bottom it swings at 1 rad/s.
std::string wave(double length, const std::string& rest) {
  const double k = 2 * M_PI / length;
  std::ostringstream text;
  text.precision(17);
  text << "name: wave\nsystem: {vertices: [[" << 0.2 * length << ", 0, 0]], mass: 1, springs: none}\n"
       << "forces: [{field_potential: {expression: \"-" << 1 / (k * k) << "*cos(" << k << "*x)\"}}]\n"
       << rest;
  return text.str();
}

}  // namespace

TEST_CASE("field_potential: gradients of a run are right whatever the length of a wave", "[app][gradient]") {
  const Workplace place;
  for (const double length : {10.0, 0.1, 0.01, 0.001}) {
    CAPTURE(length);
    place.write("wave.yaml", wave(length, "simulation: {integrator: velocity_verlet, time_step: 0.05, duration: 3}\n"));
    const Outcome check = place.run("check-gradient wave.yaml --json");
    CAPTURE(check.out, check.err);
    REQUIRE(check.status == 0);
    const auto result = check.json();
    int compared = 0;
    for (const auto& block : result["blocks"])
      if (block["name"] == "mass" || block["name"] == "position") {
        ++compared;
        CHECK(block["adjoint_vs_tangent"].get<double>() < 1e-12);    // rounding of 60 steps
        CHECK(block["adjoint_vs_difference"].get<double>() < 1e-8);  // the difference's own noise
      }
    CHECK(compared == 2);
  }
}

TEST_CASE("field_potential: a fit in a wave of 1 mm finds the mass that made the recording", "[app][fit]") {
  const Workplace place;
  const std::string integrator = "simulation: {integrator: velocity_verlet, time_step: 0.05";
  place.write("true.yaml", wave(0.001, integrator + ", duration: 20}\n"));
  REQUIRE(place.run("record true.yaml --rate 5 --noise '2e-6 m' --out wave.csv").status == 0);
  place.write("fit.yaml", wave(0.001, integrator + "}\n" + R"(fit:
  recordings: [{file: wave.csv, markers: [0]}]
  residual: {sigma: 2e-6}
  parameters: [mass]
)"));
  const Outcome fit = place.run("fit fit.yaml --set system.mass=1.05 --out fit --json");
  CAPTURE(fit.out, fit.err);
  REQUIRE(fit.status == 0);
  const auto mass = nlohmann::json::parse(read_text(place / "fit/fit.json"))["parameters"][0];
  CAPTURE(mass.dump());
  const double error = mass["standard_error"];
  CHECK(error < 1e-3);
  CHECK(std::abs(mass["estimate"].get<double>() - 1) < 4 * error);
}

TEST_CASE("field_potential: one linearized implicit step is the same in small and in large waves", "[app]") {
  const Workplace place;
  for (const double theta : {0.5, 1.0}) {
    std::vector<double> ends;
    for (const double length : {10.0, 0.001}) {
      place.write("wave.yaml", wave(length, "simulation: {integrator: {theta: {theta: " + std::to_string(theta) +
                                                ", newton_iterations: 1}}, time_step: 0.1, duration: 3}\n"));
      const Outcome run = place.run("simulate wave.yaml --out run --json");
      CAPTURE(run.out, run.err);
      REQUIRE(run.status == 0);
      ends.push_back(datasets::read_h5md((place / "run/trajectory.h5").string()).trajectory.states.back().x(0, 0) /
                     length);
      fs::remove_all(place / "run");
    }
    CAPTURE(theta);
    REQUIRE(std::abs(ends[0]) < 0.2);
    CHECK(ends[1] == Approx(ends[0]).epsilon(1e-9));  // the same motion, with other roundings
  }
}
