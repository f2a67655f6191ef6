// What `identify` and `plan` say before anything is fitted.

#include <cmath>
#include <filesystem>
#include <string>

#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using nlohmann::json;
using pithball::test::Outcome;
using pithball::test::replaced;
using pithball::test::small_experiment;
using pithball::test::Workplace;

namespace {

/// The small experiment with this section `fit:`.
std::string with_fit(const std::string& recording, const std::string& parameters, const std::string& more = "") {
  return std::string(small_experiment) + "fit:\n  recordings: [" + recording + "]\n  residual: {sigma: 1 mm}\n" +
         "  parameters: " + parameters + "\n" + more;
}

json read_json(const Workplace& place, const std::string& name) {
  return json::parse(pithball::test::read_text(place / name));
}

bool has_note(const json& result, const std::string& words) {
  for (const json& note : result["notes"])
    if (note.get<std::string>().find(words) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("identify: at a fit's estimates it predicts that fit's errors, without the scatter that it saw",
          "[app][identify]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run("record small.yaml --rate 50 --noise '1 mm' --out tracks.csv").status == 0);
  place.write("fit.yaml", with_fit("{file: tracks.csv}", "[stiffness: {initial: 12}, charge: {initial: 1.2 uC}]"));
  REQUIRE(place.run("fit fit.yaml --out run --quiet").status == 0);
  const json fitted = read_json(place, "run/fit.json");
  const Outcome outcome = place.run("identify fit.yaml --at run --json --out judged --report");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  json result = outcome.json();
  CHECK(result["folder"] == "judged");
  CHECK(std::filesystem::exists(place / result["report"].get<std::string>()));
  result.erase("folder");
  result.erase("report");
  CHECK(result == read_json(place, "judged/identify.json"));
  CHECK(result["at"] == "run");
  CHECK(result["residuals"] == 3 * 3 * 11);
  REQUIRE(result["parameters"].size() == 2);
  for (std::size_t k = 0; k < 2; ++k) {
    const json &predicted = result["parameters"][k], &found = fitted["parameters"][k];
    CHECK(predicted["at"].get<double>() == Approx(found["estimate"].get<double>()).epsilon(1e-12));
    CHECK(predicted["determination"] == "determined");
    // The fit measures the noise by its residuals; rounding of θ through fit.json is far below 1e-6.
    CHECK(predicted["standard_error"].get<double>() * fitted["residual_scale"].get<double>() ==
          Approx(found["standard_errors"]["formal"].get<double>()).epsilon(1e-6));
  }
  CHECK(result["singular_values"][0]["direction"].get<std::string>().find("stiffness") != std::string::npos);
  CHECK(has_note(result, "charge: the sign cannot be determined"));
  REQUIRE(result["growth"].size() == 1);
  CHECK(result["growth"][0]["times"].size() == 11);
  CHECK(result["growth"][0]["exponential"] == false);

  const std::string start = place.run("identify fit.yaml").out;
  CHECK(start.find("identifiability from 1 recording (99 coordinates), at the start") != std::string::npos);
  CHECK(start.find("stiffness [N/m]") != std::string::npos);
  CHECK(start.find("written to") == std::string::npos);  // a look leaves nothing
  CHECK_FALSE(std::filesystem::exists(place / "runs"));
  CHECK(place.run("identify fit.yaml --out judged").status == 2);  // never overwrites by itself
  CHECK(place.run("identify fit.yaml --out judged --overwrite --quiet").status == 0);
  CHECK(read_json(place, "judged/identify.json")["at"] == "start");
  // The vectors of the singular values are those of the names: charge alone is the weaker.
  const json& weakest = result["singular_values"].back();
  REQUIRE(weakest["vector"].size() == 2);
  CHECK(std::hypot(weakest["vector"][0].get<double>(), weakest["vector"][1].get<double>()) == Approx(1));
  const Outcome stranger = place.run("identify fit.yaml --at run --set 'fit.parameters=[mass]'");
  CHECK(stranger.status == 2);
  CHECK(stranger.err.find("must contain every parameter of the experiment, got none named 'mass'") !=
        std::string::npos);
  CHECK(place.run("identify fit.yaml --at nowhere").status == 2);
}

TEST_CASE("identify: a start that cannot be simulated ends with status 1 and says why", "[app][identify]") {
  const Workplace place;
  place.write("wild.yaml",
              with_fit("{planned: {rate: 100, duration: 2 s}, set: {simulation.duration: 2 s}}", "[stiffness]"));
  const std::string wild = " wild.yaml --set simulation.integrator=velocity_verlet --set system.springs.stiffness=1e11";
  for (const std::string command : {"identify", "plan"}) {
    INFO(command);
    const Outcome outcome = place.run(command + wild + " --json");
    CHECK(outcome.status == 1);
    const json result = outcome.json(), report = command == "plan" ? result["alternatives"][0] : result;
    CHECK(report["status"] == "failed");
    CHECK(report["failure"].get<std::string>().find("diverged at step") != std::string::npos);
  }
}

TEST_CASE("plan: a planned recording predicts the result of the actual one", "[app][plan]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run("record small.yaml --rate 50 --markers tip,1 --out tracks.csv").status == 0);
  const std::string parameters = "[stiffness, charge, {mass: {select: [tip]}}]";
  place.write("made.yaml", with_fit("{file: tracks.csv, markers: [tip, 1]}", parameters));
  const json made = place.run("identify made.yaml --json").json();
  place.write("planned.yaml", with_fit("{planned: {rate: 50, duration: 0.2 s}, markers: [tip, 1]}", parameters,
                                       R"(plan:
  alternatives:
    - name: half the noise
      set: {fit.residual.sigma: 0.5 mm}
    - name: tip only
      set: {fit.recordings.0.markers: [tip]}
    - name: heavier, no gravity
      set: {fit.parameters: [stiffness, charge, mass, damping], forces.gravity: [0, 0, 0]}
)"));
  const Outcome outcome = place.run("plan planned.yaml --json --out plan");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  const json rows = outcome.json()["alternatives"];
  CHECK(rows == read_json(place, "plan/plan.json")["alternatives"]);
  CHECK(read_json(place, "plan/summary.json")["command"] == "plan");
  REQUIRE(rows.size() == 4);
  CHECK(rows[0]["name"] == "as written");
  CHECK(rows[1]["set"]["fit.residual.sigma"] == "0.5 mm");
  for (std::size_t k = 0; k < 3; ++k) {
    const auto error = [&](const json& report) { return report["parameters"][k]["standard_error"].get<double>(); };
    INFO(made["parameters"][k]["name"]);
    // Tracks are written in full precision.
    CHECK(error(rows[0]) == Approx(error(made)).epsilon(1e-9));
    CHECK(error(rows[1]) == Approx(error(made) / 2).epsilon(1e-12));
    CHECK(error(rows[2]) > error(made));
  }
  CHECK(rows[2]["residuals"].get<int>() * 2 == rows[0]["residuals"].get<int>());
  CHECK(rows[3]["parameters"][2]["standard_error"].is_null());
  CHECK(rows[3]["parameters"][2]["determination"] == "none");
  CHECK(rows[3]["scale_symmetry"] == json::array({"stiffness", "charge²", "mass", "damping"}));

  const std::string text = place.run("plan planned.yaml").out;
  for (const char* words : {"half the noise", "tip only", "stiffness [N/m]", "coordinates",
                            "  heavier, no gravity: stiffness, charge², mass and damping can all be multiplied"})
    CHECK(text.find(words) != std::string::npos);
  CHECK(text.find("tip only: charge: the sign") == std::string::npos);  // said of the first already

  // A made and a planned recording together know more than either.
  place.write("both.yaml", with_fit("{file: tracks.csv, markers: [tip, 1]}, {name: next, planned: {rate: 50, duration: "
                                    "0.2 s}, markers: [tip, 1]}",
                                    parameters));
  const json both = place.run("plan both.yaml --json").json()["alternatives"][0];
  CHECK(both["parameters"][0]["standard_error"].get<double>() ==
        Approx(made["parameters"][0]["standard_error"].get<double>() / std::sqrt(2)).epsilon(1e-9));
}

TEST_CASE("plan: from where and when a film is taken changes nothing; not to know it costs",
          "[app][plan][recordings]") {
  const Workplace place;
  const auto planned = [&](const std::string& more) {
    place.write(
        "film.yaml",
        with_fit(
            "{planned: {rate: 50, duration: 0.2 s}, time_offset: 0.1 s, set: {simulation.duration: 0.4 s}" + more + "}",
            "[stiffness, charge]"));
    const Outcome outcome = place.run("identify film.yaml --json");
    INFO(outcome.err);
    REQUIRE(outcome.status == 0);
    return outcome.json();
  };
  const auto error = [](const json& report, std::size_t k) {
    return report["parameters"][k]["standard_error"].get<double>();
  };
  const std::string placement = ", placement: {rotation: [0.4, -0.7, 0.9], translation: [1, 2, 3], fit: ";
  const json plain = planned(""), turned = planned(placement + "none}"),
             unknown = planned(placement + "both}, clock: {offset: [0.05 s, 0.15 s]}");
  REQUIRE(unknown["parameters"].size() == 2 + 1 + 6);
  for (std::size_t k = 0; k < 2; ++k) {
    // The same sum in another order.
    CHECK(error(turned, k) == Approx(error(plain, k)).epsilon(1e-9));
    CHECK(error(unknown, k) > 1.01 * error(plain, k));
  }
}

TEST_CASE("plan: what cannot be meant is rejected before anything runs", "[app][plan][error]") {
  const Workplace place;
  const std::string film = "{planned: {rate: 50, duration: 0.2 s}}";
  const auto complaint = [&](const std::string& command, const std::string& yaml) {
    place.write("bad.yaml", yaml);
    const Outcome outcome = place.run(command + " bad.yaml");
    CHECK(outcome.status == 2);
    CHECK(outcome.out.empty());
    return outcome.err;
  };
  using Catch::Contains;
  CHECK_THAT(complaint("fit", with_fit(film, "[charge]")), Contains("must be recorded before it can be fitted"));
  CHECK_THAT(complaint("plan", with_fit("{planned: {rate: 50, duration: 0.2 s}, file: tracks.csv}", "[charge]")),
             Contains("must not be given together with `file`"));
  CHECK_THAT(complaint("plan", with_fit("{planned: {rate: 50, duration: 0.01 s}}", "[charge]")),
             Contains("must have 2 to 10 million frames"));
  CHECK_THAT(complaint("plan", with_fit("{planned: {rate: 50}}", "[charge]")), Contains("duration"));
  CHECK_THAT(
      complaint("plan", with_fit("{planned: {rate: 50, duration: 0.2 s}, initial_state: from_recording}", "[charge]")),
      Contains("must be from_system, free or equilibrium"));
  // Without a recording, nothing can be found from it.
  for (const std::string markers :
       {"nearest_face", "[tip, nearest_vertex]", "{attach: nearest_vertex, max_distance: 1 m}"})
    CHECK_THAT(
        complaint("plan", with_fit("{planned: {rate: 50, duration: 0.2 s}, markers: " + markers + "}", "[charge]")),
        Contains("must give the particles of markers in a planned recording"));
  CHECK_THAT(
      complaint("plan", with_fit("{planned: {rate: 50, duration: 0.2 s}, placement: {register: true}}", "[charge]")),
      Contains("placement: must be given for a planned recording"));
  const auto alternative = [&](const std::string& lines) {
    return with_fit(film, "[charge]", "plan:\n  alternatives:\n" + lines);
  };
  CHECK_THAT(complaint("plan", alternative("    - {name: as written, set: {system.mass: 1}}\n")),
             Contains("must differ from the other names"));
  CHECK_THAT(complaint("plan", alternative("    - {name: a, set: {fit: {residual: 1}}}\n")),
             Contains("write the whole path of each key: fit.residual: …"));
  CHECK_THAT(complaint("plan", alternative("    - {name: a, set: {plan.alternatives: []}}\n")),
             Contains("must be a key outside `plan:`"));
  CHECK_THAT(complaint("plan", alternative("    - {name: a, set: {system.mas: 1}}\n")), Contains("system.mas"));
  CHECK_THAT(complaint("plan", alternative("    - {name: a, sett: {system.mass: 1}}\n")), Contains("set"));
  // Other commands leave both alone.
  place.write("fine.yaml", alternative("    - {name: a, set: {system.mass: 1}}\n"));
  CHECK(place.run("simulate fine.yaml --quiet --out run").status == 0);
}
