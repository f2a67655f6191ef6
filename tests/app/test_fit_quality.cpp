// Whether a fit says that it does not fit, and stays silent where it does.

#include <fmt/format.h>

#include <string>

#include "tests/app/program.hpp"
#include "tests/app/recorded_ball.hpp"
#include "tests/support/catch.hpp"

using nlohmann::json;
using pithball::test::lines_of;
using pithball::test::notes_of;
using pithball::test::Outcome;
using pithball::test::read_text;
using pithball::test::record_one;
using pithball::test::replaced;
using pithball::test::says;
using pithball::test::swinging_ball;
using pithball::test::Workplace;

namespace {

std::string fit_of(const std::string& recording, double start, const std::string& more = "") {
  return swinging_ball +
         fmt::format("fit:\n  recordings: [{{{}, markers: [1]}}]\n  parameters: [stiffness: {{initial: {}}}]\n{}",
                     recording, start, more);
}

/// At 20 Hz, where a beat hides a wrong stiffness from lag 1.
void record_ball(const Workplace& place, const std::string& noise) {
  record_one(place, swinging_ball, "--rate 20 --seed 4 --noise '" + noise + "'");
}

}  // namespace

TEST_CASE("fit quality: a wrong minimum does not fit, exit 1, and the right one says nothing", "[app][fit][quality]") {
  const Workplace place;
  record_ball(place, "3 mm");
  place.write("wrong.yaml", fit_of("file: f.csv", 171));
  const Outcome wrong = place.run("fit wrong.yaml --out wrong --set fit.starts=none");
  INFO(wrong.out << wrong.err);
  CHECK(wrong.status == 1);
  CHECK(says(wrong.out, "ball: does not fit after"));
  CHECK(says(wrong.err, "wrong.yaml: does not fit: f: misfit"));
  json told = json::parse(read_text(place / "wrong/fit.json"));
  CHECK(told["status"] == "does not fit");
  CHECK(json::parse(read_text(place / "wrong/summary.json"))["status"] == "does not fit");
  CHECK(says(told["remedy"], "fit.starts: {count: 10}"));
  CHECK(says(notes_of(told), "autocorrelated noise or an incomplete model"));
  const json& judged = told["quality"]["recordings"][0];
  CHECK(judged["noise"].get<double>() == Approx(3e-3).epsilon(0.2));
  CHECK(judged["misfit_over_noise"].get<double>() > 6);
  CHECK(told["quality"]["fits"] == false);
  CHECK(told["quality"]["causes"].size() >= 2);

  const Outcome accepted =
      place.run("fit wrong.yaml --out accepted --set fit.accept_misfit=true --set fit.starts=none --json");
  CHECK(accepted.status == 0);
  CHECK(accepted.json()["status"] == "does not fit");

  place.write("right.yaml", fit_of("file: f.csv", 34));
  const Outcome right = place.run("fit right.yaml --out right");
  INFO(right.out << right.err);
  CHECK(right.status == 0);
  CHECK(right.err.empty());
  told = json::parse(read_text(place / "right/fit.json"));
  CHECK(told["status"] == "converged");
  CHECK(told["notes"].empty());
  CHECK(told["quality"]["reduced_chi_square"].get<double>() ==
        Approx(1).margin(told["quality"]["tolerance"].get<double>()));
  CHECK(says(right.out, "reduced χ²"));
  CHECK(says(right.out, "noise of f: "));

  // Weights that are common to all residuals do not move estimates.
  const Outcome written = place.run("fit right.yaml --out written --json --set 'fit.residual.sigma=40 mm'");
  CHECK(written.json()["parameters"][0]["estimate"].get<double>() ==
        Approx(told["parameters"][0]["estimate"].get<double>()).epsilon(1e-6));
}

TEST_CASE("fit quality: a sigma called known is held against the residuals", "[app][fit][quality]") {
  const Workplace place;
  record_ball(place, "5 mm");
  place.write("fit.yaml", fit_of("file: f.csv", 34));
  const auto notes = [&](const std::string& sigma, int status = 0) {
    const Outcome outcome =
        place.run("fit fit.yaml --json --set 'fit.residual={sigma: " + sigma + ", absolute_sigma: true}'");
    INFO(outcome.out << outcome.err);
    CHECK(outcome.status == status);
    return notes_of(outcome.json());
  };
  CHECK(says(notes("1 mm", 1), "times sigma"));  // far beyond it
  CHECK(says(notes("4 mm"), "absolute_sigma: true"));
  CHECK(says(notes("20 mm"), "sigma is too large"));
  CHECK(notes("5 mm").empty());
}

TEST_CASE("fit quality: a constant column is no measurement", "[app][fit][quality][error]") {
  const Workplace place;
  record_ball(place, "3 mm");
  std::string flat;
  for (const std::string& line : lines_of(read_text(place / "f.csv")))
    flat += (line[0] == '#' || line[0] == 't' ? line : line.substr(0, line.rfind(',')) + ",0") + "\n";
  place.write("flat.csv", flat);
  place.write("fit.yaml", fit_of("file: flat.csv", 34));
  const Outcome rejected = place.run("fit fit.yaml");
  CHECK(rejected.status == 2);
  CHECK(says(rejected.err, "must vary irregularly from frame to frame, as the other coordinates do"));
  CHECK(says(rejected.err, "noise, or a motion too fast for the frame rate"));
  CHECK(says(rejected.err, "write `none` for this coordinate, or give a `sigma`"));
  CHECK(place.run("fit fit.yaml --set 'fit.residual.sigma=3 mm'").status == 0);
  CHECK(place.run("fit fit.yaml --set 'fit.recordings.0.columns={points: [[x0, y0, none]]}'").status == 0);
}

TEST_CASE("fit quality: a number in place of a column is no measurement, and the fit says so", "[app][fit][quality]") {
  const Workplace place;
  record_ball(place, "3 mm");
  place.write("fit.yaml", fit_of("file: f.csv", 34));
  const auto told = [&](const std::string& depth, const std::string& residual) {
    const Outcome fit = place.run("fit fit.yaml --json --set 'fit.recordings.0.columns={points: [[x0, y0, " + depth +
                                  "]]}' --set 'fit.residual={" + residual + "}'");
    INFO(fit.out << fit.err);
    REQUIRE(fit.status == 0);
    return fit.json();
  };
  for (const std::string residual : {"sigma: 3 mm", "loss: none"}) {
    INFO(residual);
    const json zero = told("0", residual), none = told("none", residual), three = told("z0", residual);
    CHECK(zero["degrees_of_freedom"] == none["degrees_of_freedom"]);
    CHECK(zero["parameters"][0]["standard_error"] == none["parameters"][0]["standard_error"]);
    CHECK(three["degrees_of_freedom"].get<int>() > zero["degrees_of_freedom"].get<int>());
    CHECK(says(notes_of(zero), "a number instead of a column for z"));
    CHECK_FALSE(says(notes_of(none), "instead of a column"));
    CHECK_FALSE(says(notes_of(three), "instead of a column"));
  }
}

TEST_CASE("limits: a drag that is not there is printed and kept as an upper limit", "[app][fit][limits]") {
  const Workplace place;
  place.write("truth.yaml", replaced(swinging_ball, "linear: 0.01", "linear: 0"));
  const std::string section =
      "fit:\n  recordings: [{file: f.csv, markers: [1]}]\n  parameters: [stiffness, linear_drag]\n";
  place.write("fit.yaml", swinging_ball + section);
  int limited = 0;
  for (int seed = 1; seed <= 6; ++seed) {
    REQUIRE(place
                .run(fmt::format("record truth.yaml --markers 1 --rate 40 --seed {} --out f.csv --noise '3 mm' "
                                 "--overwrite",
                                 seed))
                .status == 0);
    const Outcome fit = place.run("fit fit.yaml --out run");
    INFO(fit.out << fit.err);
    REQUIRE(fit.status == 0);
    const json told = json::parse(read_text(place / "run/fit.json")), drag = told["parameters"][1];
    CHECK_FALSE(drag["interval"][1].is_null());
    CHECK(told["parameters"][0]["upper_limit"].is_null());
    CHECK(told["parameters"][0]["upper_limit_holds"].is_null());
    if (drag["upper_limit"].is_null()) continue;
    ++limited;
    CHECK(drag["interval"][0] == 0);
    CHECK(drag["upper_limit"].get<double>() < 0.01);
    CHECK(drag["upper_limit_holds"] == true);
    CHECK(drag["identifiable"] == true);
    CHECK(says(fit.out, "(95 %), consistent with 0"));
    CHECK(says(notes_of(told), "linear_drag is consistent with 0"));
  }
  // By chance 84 of 100; none of 6 once in 60,000.
  CHECK(limited > 0);
}

TEST_CASE("limits: one of a model that does not fit is not presented as one", "[app][fit][limits]") {
  const Workplace place;
  // The ball swings farther than the model can, so that any drag is too much.
  record_one(place, replaced(swinging_ball, "rest_length: 0.15", "rest_length: 0.12"),
             "--rate 40 --seed 1 --noise '3 mm'");
  place.write("fit.yaml",
              swinging_ball + "fit:\n  recordings: [{file: f.csv, markers: [1]}]\n  parameters: [linear_drag]\n");
  const Outcome fit = place.run("fit fit.yaml --out run");
  INFO(fit.out << fit.err);
  CHECK(fit.status == 1);
  const json told = json::parse(read_text(place / "run/fit.json")), drag = told["parameters"][0];
  REQUIRE(told["status"] == "does not fit");
  REQUIRE_FALSE(drag["upper_limit"].is_null());
  CHECK(drag["upper_limit_holds"] == false);
  CHECK(says(fit.out, "of a model that does not fit"));
  CHECK_FALSE(says(fit.out, "consistent with 0"));
  CHECK(says(notes_of(told), "linear_drag: its upper limit of "));
  CHECK(says(notes_of(told), "is not valid, because the model does not fit"));
}

TEST_CASE("fit quality: what looks wrong with units, placement and clock is said before the search",
          "[app][fit][quality]") {
  const Workplace place;
  record_ball(place, "3 mm");
  const auto said = [&](const std::string& recording) {
    place.write("fit.yaml", fit_of("file: f.csv" + recording, 34, "  max_iterations: 1\n"));
    return place.run("fit fit.yaml --set fit.accept_misfit=true").err;
  };
  CHECK(says(said(", scale: 100"), "f: readings are in m, 100 times those of the simulated start"));
  CHECK(says(said(", placement: {translation: [0, 0, 5]}"),
             "check `scale` (for example `scale: 1 mm`), `up` and `placement`"));
  CHECK(says(said(", time_offset: 8, set: {simulation.duration: 20}"), "later than the recording lasts"));
  CHECK_FALSE(says(said(""), "look at"));
}
