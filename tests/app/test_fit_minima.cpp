// Whether a fit says that its answer is one of several, and finds the right one of many where it can.

#include <cmath>
#include <string>

#include "tests/app/program.hpp"
#include "tests/app/recorded_ball.hpp"
#include "tests/support/catch.hpp"

using nlohmann::json;
using pithball::test::Outcome;
using pithball::test::read_text;
using pithball::test::record_one;
using pithball::test::replaced;
using pithball::test::says;
using pithball::test::swinging_ball;
using pithball::test::Workplace;

namespace {

/// A charged ball on a spring beside a charge that is 15 cm before or behind the plane of the film.
const std::string ball_beside_charge = R"(name: ball
system:
  vertices: [[0, 0, 0], [0.2, 0, 0]]
  mass: 0.01
  charge: [0, 50 nC]
  pinned: [0]
  springs: {edges: [[0, 1]], stiffness: 20}
forces:
  - gravity: [0, 0, -9.81]
  - point_charge: {charge: 1 uC, position: [0.1, 0.15, -0.1]}
simulation: {integrator: imex_midpoint, time_step: 1 ms, duration: 0.6 s}
)";

}  // namespace

TEST_CASE("fit minima: a charge in front of or behind the image plane is reported twice, and the fit is not unique",
          "[app][fit][minima]") {
  const Workplace place;
  record_one(place, ball_beside_charge, "--seed 1 --rate 50 --noise '1 mm'");
  place.write("fit.yaml", replaced(ball_beside_charge, "0.15, -0.1", "0.05, -0.1") +
                              "fit:\n  recordings: [{file: f.csv, markers: [1], columns: {points: [[x0, none, z0]]}}]\n"
                              "  starts: {count: 4}\n"
                              "  parameters: [point_charge_position: {components: y, bounds: [-0.4, 0.4]}]\n");
  const Outcome fit = place.run("fit fit.yaml --out run");
  INFO(fit.out << fit.err);
  CHECK(fit.status == 0);
  CHECK(says(fit.out, "ball: not unique after"));
  CHECK(says(fit.out, "equally good (Δχ² < 0.01, "));
  CHECK(says(fit.out, "the data do not distinguish between these minima"));
  const json told = json::parse(read_text(place / "run/fit.json"));
  CHECK(told["status"] == "not unique");
  CHECK(json::parse(read_text(place / "run/summary.json"))["status"] == "not unique");
  CHECK(says(told["why"], "searches ended equally well at "));
  CHECK(says(told["remedy"], "a camera view"));
  REQUIRE(told["alternatives"].size() == 1);
  const json &here = told["parameters"][0], &there = told["alternatives"][0]["parameters"][0];
  CHECK(there["name"] == here["name"]);
  CHECK(std::abs(here["estimate"].get<double>()) == Approx(0.15).margin(0.02));
  // A mirror image, with the same errors and the same cost.
  CHECK(there["estimate"].get<double>() == Approx(-here["estimate"].get<double>()).epsilon(1e-4));
  CHECK(there["standard_error"].get<double>() == Approx(here["standard_error"].get<double>()).epsilon(1e-3));
  CHECK(there["interval"][0].get<double>() == Approx(-here["interval"][1].get<double>()).epsilon(1e-3));
  CHECK(told["alternatives"][0]["delta_chi_square"].get<double>() == Approx(0).margin(1e-3));
  int ended[2] = {0, 0};
  for (const json& minimum : told["search"][0]["minima"])
    if (!minimum["place"].is_null()) ++ended[minimum["place"].get<int>()];
  CHECK(ended[0] > 0);
  CHECK(ended[1] == told["alternatives"][0]["searches"]);
  CHECK(place.run("report run").status == 0);

  // A view from the side tells them apart.
  place.write("seen.yaml", replaced(read_text(place / "fit.yaml"), ", columns: {points: [[x0, none, z0]]}", ""));
  const Outcome seen = place.run("fit seen.yaml --json");
  INFO(seen.out << seen.err);
  CHECK(seen.json()["status"] == "converged");
  CHECK(seen.json()["alternatives"].empty());
  CHECK(seen.json()["parameters"][0]["estimate"].get<double>() == Approx(0.15).margin(0.01));
}

TEST_CASE("fit minima: what does not fit is not called ambiguous only", "[app][fit][minima][verdict]") {
  const Workplace place;
  record_one(place, ball_beside_charge, "--seed 1 --rate 50 --noise '1 mm'");
  place.write("fit.yaml",
              replaced(replaced(ball_beside_charge, "0.15, -0.1", "0.05, -0.1"), "stiffness: 20", "stiffness: 8") +
                  "fit:\n  recordings: [{file: f.csv, markers: [1], columns: {points: [[x0, none, z0]]}}]\n"
                  "  starts: {count: 4}\n"
                  "  parameters: [point_charge_position: {components: y, bounds: [-0.4, 0.4]}]\n");
  const Outcome fit = place.run("fit fit.yaml --json");
  INFO(fit.out << fit.err);
  CHECK(fit.status == 1);
  CHECK(fit.json()["status"] == "does not fit");
}

TEST_CASE("fit minima: a stiffness that is too high by half is found from the early frames, unless stages are none",
          "[app][fit][minima][search]") {
  const Workplace place;
  record_one(place, swinging_ball, "--seed 1 --rate 50 --noise '1 mm'");
  place.write("fit.yaml", replaced(swinging_ball, "stiffness: 35.53", "stiffness: 50") +
                              "fit:\n  recordings: [{file: f.csv, markers: [1]}]\n  parameters: [stiffness]\n");
  const Outcome fit = place.run("fit fit.yaml --out run");
  INFO(fit.out << fit.err);
  CHECK(fit.status == 0);
  CHECK(says(fit.out, "the search started with the early frames: the first "));
  const json told = json::parse(read_text(place / "run/fit.json"));
  CHECK(told["status"] == "converged");
  CHECK(told["notes"].empty());
  CHECK(told["parameters"][0]["estimate"].get<double>() == Approx(35.53).epsilon(0.01));
  REQUIRE(told["search"].size() > 1);
  double before = 0;
  for (std::size_t k = 0; k + 1 < told["search"].size(); ++k) {
    CHECK(told["search"][k]["horizon"].get<double>() > before);
    before = told["search"][k]["horizon"];
  }
  CHECK(told["search"].back()["horizon"].is_null());
  CHECK(says(told["search_summary"][0], "a change of stiffness by 1 %"));

  // As a run's own run.yaml has it.
  const Outcome again = place.run("fit run/run.yaml --out again --json");
  INFO(again.err);
  CHECK(again.json()["search"].size() == told["search"].size());

  const Outcome whole = place.run("fit fit.yaml --json --set 'fit.stages=[]' --set fit.starts=none");
  INFO(whole.out << whole.err);
  CHECK(whole.status == 1);
  CHECK(whole.json()["search"].size() == 1);
  CHECK(whole.json()["search_summary"].empty());
  CHECK(whole.json()["status"] == "does not fit");
}
