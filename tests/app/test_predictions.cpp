// Recordings that are judged by a model of known values, with nothing fitted.

#include "tests/app/program.hpp"
#include "tests/app/recorded_ball.hpp"
#include "tests/support/catch.hpp"

using nlohmann::json;
using namespace pithball::test;

namespace {

const std::string judged = "fit:\n  recordings: [{file: f.csv, markers: [1], role: validation}]\n";

}  // namespace

TEST_CASE("prediction: recordings are judged without parameters", "[app][fit][prediction]") {
  const Workplace place;
  record_one(place, swinging_ball, "--rate 50 --noise '1 mm' --seed 4");
  place.write("right.yaml", swinging_ball + judged);
  const Outcome right = place.run("fit right.yaml --out right --json");
  INFO(right.out << right.err);
  REQUIRE(right.status == 0);
  const json told = right.json();
  CHECK(told["status"] == "predicted");
  CHECK(told["parameters"].empty());
  const double error = told["errors"]["validation_frames"];
  CHECK(error == Approx(1.73e-3).epsilon(0.15));  // three coordinates of 1 mm
  CHECK(told["errors"]["baselines"]["validation_frames"]["static"].get<double>() > 10 * error);
  CHECK(fs::exists(place / "right/markers-f.csv"));
  const Outcome text = place.run("fit right.yaml --out right");
  CHECK(says(text.out, "Prediction of 1 recording, nothing fitted: RMS error 1."));

  std::string elsewhere = swinging_ball;
  elsewhere.replace(elsewhere.find("[0.2, 0, 0]"), 11, "[0.6, 0, 0]");
  place.write("wrong.yaml", elsewhere + judged + "  parameters: []\n");
  const Outcome wrong = place.run("fit wrong.yaml --out wrong --json");
  CHECK(wrong.status == 0);
  CHECK(wrong.json()["status"] == "doubtful");
  CHECK(says(wrong.json()["why"], "static baseline only"));
}

TEST_CASE("prediction: what is to be fitted needs a parameter", "[app][fit][prediction]") {
  const Workplace place;
  record_one(place, swinging_ball, "--rate 50 --noise '1 mm' --seed 4");
  place.write("fit.yaml", swinging_ball + "fit:\n  recordings: [{file: f.csv, markers: [1]}]\n");
  const Outcome fit = place.run("fit fit.yaml --out run");
  CHECK(fit.status == 2);
  CHECK(says(fit.err, "fit.parameters: must contain at least one parameter"));
  CHECK(says(fit.err, "`role: validation` in every recording"));
  place.write("judge.yaml", swinging_ball + judged);
  CHECK(place.run("identify judge.yaml --out run").status == 2);
}

TEST_CASE("prediction: the start of a judged recording comes from its own first frames", "[app][fit][prediction]") {
  const Workplace place;
  record_one(place, swinging_ball, "--rate 50 --noise '1 mm' --seed 4");
  std::string free = judged;
  free.replace(free.find("role"), 4, "initial_state: free, role");
  place.write("free.yaml", swinging_ball + free);
  const Outcome fit = place.run("fit free.yaml --out run --json");
  INFO(fit.out << fit.err);
  REQUIRE(fit.status == 0);
  CHECK(fit.json()["errors"]["validation_frames"].get<double>() < 3e-3);
}
