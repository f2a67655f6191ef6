// The files of a run folder that hold JSON: what is written is what is read, and what is damaged is told.
#include <limits>
#include <string>

#include "app/base/json_text.hpp"
#include "app/result/json_fields.hpp"
#include "app/run_folder/run.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::app;
using nlohmann::ordered_json;
using test::replaced;
using test::small_experiment;
using test::Workplace;

namespace {

/// What a document becomes on disk and back.
ordered_json stored(const ordered_json& json) { return ordered_json::parse(json_text(json)); }

/// The text of what `read` makes of a document, written again; equal to the document's where nothing is lost.
template <class Read>
void check_round_trip(const ordered_json& json, Read read) {
  CHECK(json_text(to_json(read(stored(json)))) == json_text(json));
}

template <class Outcome>
void check_summary(const Summary& summary, const Outcome& outcome) {
  const ordered_json json = to_json(summary, outcome), back = stored(json);
  CHECK(json_text(to_json(read_result<Summary>(back), read_second<Summary, Outcome>(back))) == json_text(json));
}

Summary some_summary(const std::string& command) {
  return {.program = "pithball 7",
          .command = command,
          .name = "<net>",
          .status = "doubtful",
          .complete = false,
          .seconds = 0.1,
          .threads = 3,
          .folder = "runs/net"};
}

MeasuredRun some_run(const std::string& status) {
  MeasuredRun measured;
  measured.run = {.method = "theta (theta 0.5)",
                  .time_step = 0.02,
                  .status = status,
                  .steps = 17,
                  .seconds = 1e-3,
                  .compile_seconds = 2.5,
                  .force_evaluations = 18,
                  .coulomb_evaluations = 19,
                  .linear_solves = 20,
                  .cg_iterations = 21,
                  .capped_substeps = 22};
  measured.energy_mean = 0.1;
  measured.energy_standard_deviation = 1.0 / 3;
  measured.position = 1e-17;
  measured.over_time = ErrorsOverTime{{0.02, 0.04}, {0.25, not_known}, {0.5, 0.75}};
  return measured;
}

FitRecord some_fit() {
  FitRecord fit;
  fit.verdict.status = optim::RunStatus::Doubtful;
  fit.search.message = "<no> more progress";
  fit.estimates.parameters.resize(2);
  fit.estimates.parameters[0].name = "charge";
  fit.estimates.parameters[0].scope.group = "all";
  fit.estimates.parameters[0].unit = "C";
  fit.estimates.parameters[0].estimate = 0.1;
  fit.estimates.parameters[1].standard_error = std::numeric_limits<double>::infinity();
  fit.estimates.parameters[1].identifiable = false;
  fit.estimates.parameters[1].weak_direction = "mass +1.00";
  fit.estimates.correlation = (Eigen::MatrixXd(2, 2) << 1, -0.5, -0.5, not_known).finished();
  fit.estimates.weak_directions = {{.direction = {}, .relative_singular_value = 1e-12, .name = "mass +1.00"}};
  fit.estimates.condition = 1e12;
  fit.estimates.degrees_of_freedom = 97;
  fit.estimates.parameters[0].errors.formal = 0.5;
  fit.estimates.parameters[0].errors.robust = 0.75;
  fit.estimates.parameters[0].errors.widest = optim::ErrorKind::Robust;
  fit.estimates.parameters[0].half_step.shift = -0.25;
  fit.estimates.parameters[0].half_step.extrapolated = 0.125;
  fit.estimates.parameters[0].interval.upper_limit = 0.5;
  fit.estimates.parameters[0].interval.limit_holds = false;
  fit.estimates.parameters[0].interval.method = optim::IntervalMethod::Profile;
  fit.estimates.parameters[0].interval.curvature = 0.3;
  fit.estimates.uncertainty = {.frames = 30,
                               .autocorrelation = 0.5,
                               .mean_ratio = 1.5,
                               .by_mean_ratio = true,
                               .priors = {1.25, {"stiffness[3]"}, {{"stiffness", 0.25, true}}},
                               .most_influential = {"film", 2, "charge", -3},
                               .loss_threshold = 2.5,
                               .outliers = {{"film", 3, 90, "tip", 2, 0.25, 0.5}},
                               .samples = 20,
                               .products = 572,
                               .seconds = 1.5,
                               .exact = {"charge"}};
  fit.search.cost_history = {3, 2.5};
  fit.goodness.errors.fit.model = 0.001;
  fit.goodness.errors.fit.static_baseline = 0.3;
  for (const optim::Part part : optim::all_parts)
    fit.goodness.errors.recordings.push_back(
        {"film", part, {9, 9, 0.1, 0.2, not_known}, {{9, 9, 0.1, 0.2, 0.3}}, "it burst"});
  optim::FitQuality& quality = fit.goodness.quality;
  quality.chi_square = 9;
  quality.degrees = 97;
  quality.tolerance = 0.5;
  quality.is_comparable = false;
  quality.recordings.push_back({.recording = "film", .misfit = 0.5, .noise = 0.125, .motion = 1, .noise_said = "1 mm"});
  fit.goodness.causes = {{"units", "mm", "columns: {scale: 1 mm}", "film"}};
  fit.goodness.suspect =
      optim::MisfitCause{"clock_offset explains 98 %", "write it", "clock: {offset: [0 s, 1 s]}", "film"};
  fit.goodness.contradiction = "the recordings contradict each other";
  fit.goodness.contradicted = "stiffness";
  fit.goodness.aliases = "aliases cannot be excluded";
  fit.goodness.whiteness.push_back({"film",
                                    {},
                                    {{.samples = 0}, {.samples = 90, .lag_1 = 0.9, .degrees = 2, .p_value = 1e-9}},
                                    {.pairs = 3, .mean = 0.5, .statistic = 40, .p_value = 1e-8},
                                    0});
  fit.estimates.profiles.push_back(
      {"charge", "C", {1, 2}, {not_known, 0.5}, 3.84, 1, 2, "", "the charge has no effect"});
  fit.search.evaluations = {10, 20, 30};
  fit.search.failed_evaluations = 4;
  fit.notes = {"look here"};
  fit.seconds = 0.5;
  fit.search.stages.push_back(
      {.horizon = 0.7,
       .integrator = "rk4",
       .time_step = 0.01,
       .segments = 3,
       .minima = {{1, optim::MinimizerStatus::Converged, 2.5, 7, {{"charge", 0.1}, {"mass", not_known}}, 0},
                  {2, optim::MinimizerStatus::Converged, 2.75, 7, {}, 1}}});
  fit.search.summary = {"the search started with the early frames", "1 of 2 searches ended at the reported minimum"};
  fit.estimates.alternatives.push_back(
      {.theta = {}, .parameters = {fit.estimates.parameters[1], fit.estimates.parameters[0]}, .minimum = {"", 0.5, 1}});
  fit.search.stages.push_back(
      {.integrator = "", .minima = {{0, optim::MinimizerStatus::MaxIterations, not_known, 0, {}}}});
  fit.halved_step =
      optim::HalvedStep{optim::MinimizerStatus::Converged, {{"charge", 0.2, 1.5}, {"mass", 3, not_known}}, true};
  fit.cross_validation.push_back(
      {"converged", {"film", optim::Part::ValidationFrame, {9, 9, 0.1, 0.2, not_known}, {}, ""}});
  fit.verdict.why = "halving the step moves it";
  FittedValues values{2, "charge", "C", sim::ValueOwner::Particle, sim::Vector::Constant(3, not_known)};
  values.estimates[1] = 0.25;
  const FittedValues one{5, "gravity", "m/s^2", sim::ValueOwner::Term, sim::Vector::Constant(1, 9.75)};
  fit.recordings.push_back({"film",
                            "trajectory-film.h5",
                            {{"tip", {3, 4}, {0.25, 0.75}, 0.01}},
                            "markers-film.csv",
                            {values, one},
                            {{0.001, 0.002, not_known}},
                            FittedCamera{{1, 2, 3}, {1, 0, 0}, {0, 0, -1}, {0, 1, 0}, 0.5, 0.375}});
  fit.recordings.push_back({"blind", "trajectory-blind.h5", {}, "", {}, {}, {}});
  fit.search.path = {Eigen::Vector2d(0.1, 3), Eigen::Vector2d(0.2, not_known)};
  fit.estimates.parameters[1].scope.is_nuisance = true;
  return fit;
}

/// The experiment with a comparison of two methods over two charges.
std::string scanned() {
  return replaced(
      small_experiment, "simulation: {integrator: imex_midpoint, time_step: 0.01, duration: 0.2}",
      "simulation: {time_step: 0.02, duration: 0.2}\n"
      "compare: {integrators: [imex_euler, velocity_verlet], time_steps: [0.02, 0.01], reference: {time_step: "
      "0.001}}\nscan: {over: {system.charge: [1 uC, 2 uC]}}\n");
}

}  // namespace

TEST_CASE("records: summaries are read as they were written", "[app][records]") {
  SimulationOutcome simulation;
  check_summary(some_summary("simulate"), simulation);
  simulation = {.steps = {.completed = 5, .requested = 9, .failed = 6, .resumed_from = 2},
                .why = "it flew away",
                .remedy = "shorten the step",
                .notes = {"one", "two"},
                .energy_error = {0.1, 0.2, 0.3},
                .steps_by = {"jax_md", "JAX MD 7", 0.5, 0.25},
                .cost = {1, 2, 3, 4},
                .contacts = {.most = 11, .deepest = 0.01},
                .broken = {{.step = 3, .link = {.t = 0.3, .constraint = 1, .row = {2, 2, {5, 6}}, .tension = 40.5}}},
                .population = PassingParticles{10, 4, 6},
                .model = {.particles = 64, .springs = 112, .changing_values = {"charge"}},
                .method = {.integrator = "imex_midpoint", .time_step = 0.005, .linear_solver = "cholesky"}};
  check_summary(some_summary("simulate"), simulation);
  check_summary(some_summary("fit"), FitOutcome{"why", "", 2, 3, {"trajectory-a.h5", "trajectory-b.h5"}});
  check_summary(some_summary("compare"), ComparisonOutcome{"coarse", 3, 2, 0.2, 4, {0.02, 0.01}, "rk4", 0.001});
  check_summary(some_summary("scan"), ScanOutcome{"coarse", {"system.charge"}, 2, 4, {0.02}, "rk4", 0.001});
  check_summary(some_summary("check-gradient"), GradientOutcome{3, "failed", 64, 112, "imex_midpoint", 0.01});
}

TEST_CASE("records: a comparison is read as it was written, failed and unknown runs as well", "[app][records]") {
  CompareRecord record;
  record.reference.run = some_run("diverged").run;
  check_round_trip(to_json(record), read_result<CompareRecord>);
  record = {.backends = {{"lammps", "LAMMPS 7"}},
            .reference = {some_run("ok").run, some_run("ok"), false},
            .spacing = 0.04,
            .energy_scale = "exchanged",
            .scale_energy = 7,
            .largest_displacement = 0.3,
            .smallest_energy_error = 1e-9,
            .smallest_position_error = not_known,
            .rows = {some_run("ok"), some_run("not_converged")},
            .explanation = "the reference is not fine enough"};
  record.rows.back().run.compile_seconds = not_known;
  check_round_trip(to_json(record), read_result<CompareRecord>);
  CHECK(to_json(record)["rows"][0]["failed_step"].is_null());
  CHECK(to_json(record)["rows"][1]["failed_step"] == 17);
}

TEST_CASE("records: a scan and a gradient check are read as they were written", "[app][records]") {
  MeasuredRun row = some_run("ok");
  row.over_time.reset();
  const ScanRecord scan{.over = {{"system.charge", {"1 uC", "2 uC"}}, {"system.mass", {"1"}}},
                        .rows = {{{"1 uC", "1"}, row}, {{"2 uC", "1"}, row}},
                        .references = {{{"1 uC", "1"}, {row.run, row, true}}, {{"2 uC", "1"}, {row.run, {}, {}}}},
                        .explanation = "at system.charge = 2 uC: it failed"};
  check_round_trip(to_json(scan), read_result<ScanRecord>);
  GradientRecord gradient{
      .passed = true,
      .status = "ok",
      .unreliable_step = 3,
      .loss = 0.25,
      .steps = 4,
      .crossings = 1,
      .tangent_tolerance = 1e-8,
      .difference_tolerance = 1e-6,
      .blocks = {{"charge", 3, 0.1, 0.2, 0.3, 0.4, 0.5, "entry 2", diff::BlockVerdict::NotResolved, true}}};
  check_round_trip(to_json(gradient), read_result<GradientRecord>);
  gradient.unreliable_step.reset();
  gradient.loss = not_known;
  check_round_trip(to_json(gradient), read_result<GradientRecord>);
}

TEST_CASE("records: predictions are read as they were written", "[app][records]") {
  optim::IdentifyReport prediction{
      .failure = "",
      .confidence = 0.9,
      .rows = 99,
      .sigmas = {{"film", 1e-3, 2e-3, "film: sigma 1 to 2 mm, as written"}},
      .has_priors = true,
      .parameters = {},
      .spectrum = {{{3, "charge +1.00", {}}, {1e-9, "mass +1.00", Eigen::Vector2d(0.6, -0.8)}},
                   {{.direction = {}, .relative_singular_value = 1e-9, .name = "mass"}},
                   3e9},
      .scale_symmetry = {"mass", "stiffness"},
      .correlation = (Eigen::MatrixXd(2, 2) << 1, not_known, not_known, 1).finished(),
      .growth = {},
      .notes = {"one"}};
  prediction.parameters.resize(2);
  prediction.parameters[0] = {"charge", "charge", "C", 1e-9, 1e-11, 0.9e-9, 1.1e-9, optim::Determination::Poor, "m"};
  prediction.parameters[1].name = "mass";
  prediction.growth.push_back({.recording = "film", .times = {0, 1, 2}, .shift = {0, 0.5, 2}, .extent = 0.25});
  check_round_trip(to_json(IdentifyRecord{"net", "start", prediction}), read_result<IdentifyRecord>);
  optim::IdentifyReport failed;
  failed.failure = "diverged at step 3";
  PlanRecord plan{
      "net", {{"as written", {}, prediction}, {"fast", {{"fit.recordings.0.planned.rate", "50"}}, failed}}, {}};
  check_round_trip(to_json(plan), read_result<PlanRecord>);
  plan.optimized = {
      .criterion = "D",
      .before = "as written",
      .given = "runs/first",
      .recordings = {{"film", 50, 2, 101, {3, 7}, {{"system.charge", "1 uC"}}, "camera", "film.h5", "film.csv"}},
      .gains = {{"charge", "C", 2e-9, 1e-9}, {"mass", "kg", not_known, 0.25}},
      .waveform_gain = 1.5,
      .runs = 4,
      .evaluations = 99,
      .notes = {"two"}};
  check_round_trip(to_json(plan), read_result<PlanRecord>);
  CHECK_FALSE(read_result<PlanRecord>(stored(to_json(plan))).alternatives[1].prediction.ok());
  CHECK(read_result<PlanRecord>(stored(to_json(plan))).alternatives[0].prediction.parameters[0].determination ==
        optim::Determination::Poor);
  check_summary(some_summary("plan"), PredictionOutcome{"fast: diverged", 2, 3});
}

TEST_CASE("records: a fit is read as it was written, with all that it may lack", "[app][records]") {
  check_round_trip(to_json(FitRecord()), read_result<FitRecord>);
  const FitRecord fit = some_fit();
  check_round_trip(to_json(fit), read_result<FitRecord>);
  const FitRecord back = read_result<FitRecord>(stored(to_json(fit)));
  CHECK(back.goodness.errors.recordings[2].part == optim::Part::ValidationMarker);
  CHECK(back.goodness.whiteness[0].markers[1].p_value == 1e-9);
  CHECK(back.goodness.whiteness[0].markers[0].p_value == 1);
  // A stored fit has all that its verdict depends on.
  CHECK(back.goodness.contradiction == fit.goodness.contradiction);
  CHECK(back.goodness.contradicted == "stiffness");
  CHECK(back.goodness.aliases == fit.goodness.aliases);
  CHECK(back.recordings[0].fitted_values[0].of == sim::ValueOwner::Particle);
  CHECK(back.recordings[0].fitted_values[0].estimates[1] == 0.25);
  const ordered_json whole = to_json(fit);
  for (const auto& [key, value] : whole.items()) {
    CAPTURE(key);
    ordered_json lacking = whole;
    lacking.erase(key);
    const bool may_lack = key == "cross_validation" || key == "halved_step" || key == "suspect";
    if (may_lack)
      CHECK_NOTHROW(read_result<FitRecord>(lacking));
    else
      CHECK_THROWS_WITH(read_result<FitRecord>(lacking), Catch::Contains("key '" + key + "' not found"));
  }
  CHECK(back.estimates.parameters[1].scope.is_nuisance);
  CHECK(back.recordings[0].sigma[0][1] == 0.002);
  ordered_json short_path = to_json(fit);
  short_path["path"][1].erase(1);
  CHECK_THROWS_WITH(read_result<FitRecord>(short_path), Catch::Contains("path: must have a number for each parameter"));
  ordered_json ragged = to_json(fit);
  ragged["correlation"][1].erase(1);
  CHECK_THROWS_WITH(read_result<FitRecord>(ragged), Catch::Contains("correlation: must have a row and a column"));
}

TEST_CASE("records: files of the program, read and written again, are the same to the byte", "[app][records]") {
  const Workplace place;
  place.write("scanned.yaml", scanned());
  for (const std::string command : {"simulate", "compare", "scan", "check-gradient"})
    REQUIRE(place.run(command + " scanned.yaml --quiet --out " + command).status == 0);
  const auto text = [&](const std::string& file) { return test::read_text(place / file); };
  const auto written = [](const ordered_json& json) { return json_text(json) + "\n"; };
  const Run simulated = read_run(place / "simulate"), compared = read_run(place / "compare"),
            scan = read_run(place / "scan"), checked = read_run(place / "check-gradient");
  const auto& simulation = std::get<SimulationResults>(simulated.results);
  CHECK(written(to_json(simulated.summary, simulation.outcome)) == text("simulate/summary.json"));
  const auto& comparison = std::get<CompareResults>(compared.results);
  CHECK(written(to_json(compared.summary, comparison.outcome)) == text("compare/summary.json"));
  CHECK(written(to_json(comparison.compare)) == text("compare/compare.json"));
  const auto& scanned = std::get<ScanResults>(scan.results);
  CHECK(written(to_json(scan.summary, scanned.outcome)) == text("scan/summary.json"));
  CHECK(written(to_json(scanned.scan)) == text("scan/scan.json"));
  const auto& gradient = std::get<GradientResults>(checked.results);
  CHECK(written(to_json(checked.summary, gradient.outcome)) == text("check-gradient/summary.json"));
  CHECK(written(to_json(gradient.gradient)) == text("check-gradient/gradient.json"));
}

TEST_CASE("records: files of predictions, read and written again, are the same to the byte", "[app][records]") {
  const Workplace place;
  place.write("plan.yaml", std::string(small_experiment) +
                               "fit:\n  recordings: [planned: {rate: 50, duration: 0.2 s}]\n  residual: {sigma: 1 mm}\n"
                               "  parameters: [stiffness, charge]\nplan:\n  alternatives:\n    - name: half the noise\n"
                               "      set: {fit.residual.sigma: 0.5 mm}\n");
  REQUIRE(place.run("identify plan.yaml --quiet --out identify").status == 0);
  REQUIRE(place.run("plan plan.yaml --quiet --report").status == 0);
  const auto text = [&](const std::string& file) { return test::read_text(place / file); };
  const Run identified = read_run(place / "identify"), planned = read_run(place / "runs/small-plan");
  const auto& identify = std::get<IdentifyResults>(identified.results);
  CHECK(json_text(to_json(identify.identify)) + "\n" == text("identify/identify.json"));
  CHECK(json_text(to_json(identified.summary, identify.outcome)) + "\n" == text("identify/summary.json"));
  const auto& plan = std::get<PlanResults>(planned.results);
  CHECK(json_text(to_json(plan.plan)) + "\n" == text("runs/small-plan/plan.json"));
  CHECK(place.run("report identify").status == 0);
  // What is in the folder makes the same run again.
  REQUIRE(place.run("plan runs/small-plan/run.yaml --quiet --out again").status == 0);
  CHECK(text("again/plan.json") == text("runs/small-plan/plan.json"));
}

TEST_CASE("records: fit.json, read and written again, is the same to the byte", "[app][records][fit]") {
  const Workplace place;
  place.write("small.yaml", small_experiment);
  REQUIRE(place.run("record small.yaml --rate 20 --noise '0.1 mm' --out tracks.csv").status == 0);
  place.write("fit.yaml", std::string(small_experiment) +
                              "fit:\n  recordings: [{file: tracks.csv}]\n  profiles: [stiffness]\n  starts: {count: "
                              "2}\n  parameters: [stiffness: {share: none, initial: 12}, charge: {initial: 1.2 uC}]\n");
  REQUIRE(place.run("fit fit.yaml --quiet --halve-step --out run").status == 0);
  const Run run = read_run(place / "run");
  const auto& results = std::get<FitResults>(run.results);
  CHECK(json_text(to_json(results.fit)) + "\n" == test::read_text(place / "run/fit.json"));
  CHECK(json_text(to_json(run.summary, results.outcome)) + "\n" == test::read_text(place / "run/summary.json"));
  ordered_json damaged = to_json(results.fit);
  damaged["parameters"][0].erase("estimate");
  place.write("run/fit.json", json_text(damaged));
  CHECK_THROWS_WITH(read_run(place / "run"), Catch::Contains("fit.json: must be as the program wrote it"));
  CHECK(place.run("identify fit.yaml --at run").status == 2);
  damaged = to_json(results.fit);
  damaged["parameters"][0]["interval_by"] = "guess";
  place.write("run/fit.json", json_text(damaged));
  CHECK_THROWS_WITH(read_run(place / "run"), Catch::Contains("run/fit.json interval_by: must be one of linear, "
                                                             "profile, bootstrap, scan, got \"guess\""));
}

TEST_CASE("records: a key that is missing or of another kind is reported with its file", "[app][records][error]") {
  const Workplace place;
  place.write("scanned.yaml", scanned());
  struct Damage {
    const char *command, *file, *key;
  };
  const Damage damages[] = {
      {"simulate", "summary.json", "completed_steps"},
      {"simulate", "summary.json", "cost"},
      {"simulate", "summary.json", "broken_links"},
      {"simulate", "summary.json", "backend"},
      {"compare", "compare.json", "rows"},
      {"compare", "compare.json", "reference"},
      {"compare", "compare.json", "backends"},
      {"scan", "scan.json", "over"},
      {"scan", "scan.json", "rows"},
      {"scan", "summary.json", "points"},
      {"check-gradient", "gradient.json", "blocks"},
      {"check-gradient", "summary.json", "command"},
  };
  for (const std::string command : {"simulate", "compare", "scan", "check-gradient"})
    REQUIRE(place.run(command + " scanned.yaml --quiet --out " + command).status == 0);
  for (const auto& [command, file, key] : damages) {
    const auto name = place / command / file;
    CAPTURE(command, file, key);
    const std::string whole = test::read_text(name);
    const auto write = [&](const std::string& text) { place.write(std::string(command) + "/" + file, text); };
    const auto damaged = [&](const ordered_json& json) {
      write(json_text(json));
      CHECK_THROWS_WITH(read_run(place / command),
                        Catch::Contains(name.string() + ": must be as the program wrote it"));
    };
    ordered_json json = ordered_json::parse(whole);
    json[key] = std::string(key) == "command" ? ordered_json(7) : ordered_json("damaged");
    damaged(json);
    json.erase(key);
    damaged(json);
    write(whole);
  }
}
