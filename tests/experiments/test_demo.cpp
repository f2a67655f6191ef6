#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "datasets/capture/capture_reader.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

// The demo of the README: charge and stiffness of a charged net from a simulated recording with noise and gaps.

namespace {

using pithball::test::demo_experiment;
using pithball::test::demo_folder;
using pithball::test::Outcome;
using pithball::test::read_text;
using pithball::test::Workplace;

constexpr double true_charge = 60e-9, true_stiffness = 10;  // [C], [N/m]: make-recording.yaml

double truth_of(const std::string& parameter) { return parameter == "charge" ? true_charge : true_stiffness; }

/// The command in the head of make-recording.yaml, for a seed.
std::string record(int seed) {
  return "record '" + demo_folder +
         "/make-recording.yaml' --rate 25 --noise '5 mm' --missing 0.05 --gap '0.3 s' --seed " + std::to_string(seed) +
         " --markers 0,2,4,6,16,18,20,22,40,42,44,46,56,58,60,62 --quiet --out tracks.csv";
}

pithball::datasets::Capture read_tracks(const std::string& file) {
  pithball::datasets::CaptureSpec spec;
  spec.file = file;
  return pithball::datasets::read_capture(spec);
}

/// Standard errors that `identify` predicts of make-recordings.yaml: of the charge [C] and the stiffness [N/m].
struct SeenNet {
  const char *file, *lens;
  double charge, stiffness;
};

void fit_seen_net(const SeenNet& seen, const std::string& options = "") {
  const Workplace place;
  INFO(seen.file << ", fit: " << seen.lens);
  const Outcome fit =
      place.run("fit '" + demo_folder + "/cameras/" + seen.file + ".yaml' --out run --overwrite --json " +
                "--set 'fit.recording_defaults.measurement.camera.fit=" + seen.lens + "'" + options);
  INFO(fit.err);
  REQUIRE(fit.status == 0);
  const auto report = fit.json();
  CHECK(report["notes"].empty());
  for (const auto& parameter : report["parameters"]) {
    const std::string name = parameter["name"];
    if (name != "charge" && name != "stiffness") continue;
    const double estimate = parameter["estimate"], error = parameter["standard_error"];
    INFO(name << " " << estimate << " ± " << error);
    CHECK(std::abs(estimate - truth_of(name)) < 3 * error);
    CHECK(error == Approx(name == "charge" ? seen.charge : seen.stiffness).epsilon(0.15));
  }
}

/// Fits so many recordings, made with these options; at least `least` intervals of each parameter must hold the truth.
void count_intervals(int recordings, const std::string& options, int least) {
  const Workplace place;
  pithball::test::fs::copy_file(demo_experiment, place / "charged-net.yaml");
  int charges = 0, stiffnesses = 0;
  for (int seed = 1; seed <= recordings; ++seed) {
    pithball::test::fs::remove(place / "tracks.csv");
    REQUIRE(place.run(record(seed) + options).status == 0);
    const Outcome fit = place.run("fit charged-net.yaml --out run --json");
    INFO("seed " << seed << ": " << fit.err);
    REQUIRE(fit.status == 0);
    const auto report = fit.json();
    REQUIRE(report["parameters"].size() == 2);
    for (const auto& parameter : report["parameters"]) {
      const std::string name = parameter["name"];
      const double truth = truth_of(name), lower = parameter["interval"][0], upper = parameter["interval"][1];
      if (lower <= truth && truth <= upper) ++(name == "charge" ? charges : stiffnesses);
    }
  }
  std::printf("intervals that hold the truth: charge %d, stiffness %d of %d\n", charges, stiffnesses, recordings);
  CHECK(charges >= least);
  CHECK(stiffnesses >= least);
}

}  // namespace

TEST_CASE("demo: finds charge and stiffness, and half the step finds the same", "[experiments]") {
  const Workplace place;
  const Outcome fit = place.run("fit '" + demo_experiment + "' --out demo --halve-step --json");
  INFO(fit.err);
  REQUIRE(fit.status == 0);
  const auto report = fit.json();
  REQUIRE(report["parameters"].size() == 2);
  for (const auto& parameter : report["parameters"]) {
    const std::string name = parameter["name"];
    const double truth = truth_of(name), start = parameter["initial"], estimate = parameter["estimate"],
                 error = parameter["standard_error"];
    INFO(name << " " << estimate << " ± " << error);
    CHECK(parameter["identifiable"] == true);
    CHECK(std::max(start / truth, truth / start) >= 2);
    CHECK(std::abs(estimate - truth) < 4 * error);  // beyond that: one recording in 16,000
    CHECK(error < 0.02 * truth);
  }
  REQUIRE(report["halved_step"]["parameters"].size() == 2);
  for (const auto& parameter : report["halved_step"]["parameters"])
    CHECK(parameter["change_in_standard_errors"].get<double>() < 0.3);
  // Three coordinates with 5 mm of noise in 662 samples: the root mean square is known to 1.6 %.
  CHECK(report["errors"]["fit"].get<double>() == Approx(5e-3 * std::sqrt(3)).epsilon(0.06));
}

TEST_CASE("demo: its recording is the one that make-recording.yaml makes", "[experiments]") {
  const Workplace place;
  const Outcome made = place.run(record(7));
  INFO(made.err);
  REQUIRE(made.status == 0);
  const auto committed = read_tracks(demo_folder + "/tracks.csv"), again = read_tracks((place / "tracks.csv").string());
  REQUIRE(again.present == committed.present);
  double difference = 0;
  for (std::size_t f = 0; f < committed.positions.size(); ++f)
    for (std::size_t m = 0; m < committed.markers.size(); ++m)
      if (committed.present[f][m])
        difference = std::max(difference, (again.positions[f] - committed.positions[f]).col(m).norm());
  CHECK(difference < 1e-9);  // machines round differently, and this motion does not enlarge that
  const std::string text = read_text(demo_folder + "/tracks.csv");
  for (const char* words : {"# Simulated, not measured", "velocity_verlet", "0.005 m standard deviation", "seed 7",
                            "154 of 816 samples", "charge 6e-08 C"})
    CHECK(text.find(words) != std::string::npos);
}

TEST_CASE("demo: half the film of one camera of unknown focal length finds charge and stiffness", "[experiments]") {
  fit_seen_net({"one-camera", "[focal_length]", 9.8e-11, 0.040}, " --set fit.recording_defaults.frames.to=1");
}

TEST_CASE("demo: cameras of unknown pose, and of unknown focal length, find charge and stiffness",
          "[experiments][slow]") {
  for (const SeenNet& seen : {SeenNet{"one-camera", "[]", 6.8e-11, 0.034},
                              {"one-camera", "[focal_length]", 6.9e-11, 0.034},
                              {"two-cameras", "[]", 4.3e-11, 0.023},
                              {"two-cameras", "[focal_length]", 4.3e-11, 0.024}})
    fit_seen_net(seen);
}

TEST_CASE("demo: two phones find stiffness, drag, lens and the time between their clocks, whatever the start",
          "[experiments]") {
  const Workplace place;
  const Outcome fit = place.run("fit '" + demo_folder + "/phones/two-phones.yaml' --out run --json");
  INFO(fit.err);
  REQUIRE(fit.status == 0);
  const auto report = fit.json();
  const std::vector<std::pair<std::string, double>> truth{{"stiffness", 9},
                                                          {"linear_drag", 0.01},
                                                          {"clock_offset[right]", 0.137},
                                                          {"focal_length[right]", 1050},
                                                          {"lens_k1[right]", -0.05},
                                                          {"row_time[right]", 15e-6}};
  REQUIRE(report["parameters"].size() == truth.size() + 18);  // one start of three balls
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const auto& parameter = report["parameters"][k];
    CHECK(parameter["name"] == truth[k].first);
    INFO(truth[k].first << " " << parameter["estimate"] << " ± " << parameter["standard_error"]);
    CHECK(std::abs(parameter["estimate"].get<double>() - truth[k].second) <
          4 * parameter["standard_error"].get<double>());
  }
  // Where the right one stood, for the page: it looks at the body, with the focal length that was found.
  const auto& camera = report["recordings"][1]["camera"];
  CHECK(camera["position"] == nlohmann::json{1.8, -1.0, -0.5});
  CHECK(camera["ahead"][0].get<double>() == Approx(-std::sqrt(0.75)));
  CHECK(camera["ahead"][1].get<double>() == Approx(0.5));
  CHECK(camera["down"][2].get<double>() == Approx(-1));
  CHECK(camera["half_width"].get<double>() == Approx(639.5 / 1050).epsilon(2e-3));
}

TEST_CASE("record: equal seeds give equal files, other seeds other gaps", "[experiments]") {
  const Workplace place;
  place.write("small.yaml", pithball::test::small_experiment);
  for (const char* arguments : {"--seed 3 --out a.csv", "--seed 3 --out b.csv", "--seed 4 --out c.csv"}) {
    const Outcome made =
        place.run("record small.yaml --rate 10 --noise '1 mm' --missing 0.3 " + std::string(arguments));
    INFO(made.err);
    REQUIRE(made.status == 0);
  }
  CHECK(read_text(place / "a.csv") == read_text(place / "b.csv"));
  CHECK(read_tracks((place / "a.csv").string()).present != read_tracks((place / "c.csv").string()).present);
}

TEST_CASE("record: what cannot be filmed is rejected before anything is written", "[experiments]") {
  const Workplace place;
  place.write("small.yaml", pithball::test::small_experiment);
  place.write("there.csv", "t,x,y,z\n");
  const std::vector<std::pair<std::string, std::string>> wrong{{"--rate 37 --out x.csv", "--rate"},
                                                               {"--rate 0 --out x.csv", "--rate"},
                                                               {"--rate 10 --noise 5kg --out x.csv", "--noise"},
                                                               {"--rate 10 --noise=-1 --out x.csv", "--noise"},
                                                               {"--rate 10 --missing 1 --out x.csv", "--missing"},
                                                               {"--rate 10 --gap 99 --out x.csv", "--gap"},
                                                               {"--rate 10 --markers 1,tipp --out x.csv", "--markers"},
                                                               {"--rate 10 --out there.csv", "must not exist"}};
  for (const auto& [arguments, named] : wrong) {
    const Outcome outcome = place.run("record small.yaml " + arguments);
    INFO(arguments << ": " << outcome.err);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(named) != std::string::npos);
  }
  CHECK(place.listing() == "small.yaml there.csv ");
}

TEST_CASE("demo: of two short recordings, an interval of each parameter holds the truth", "[experiments]") {
  count_intervals(2, " --set simulation.duration=1", 1);  // neither does by chance once in 400 pairs
}

TEST_CASE("demo: of 20 recordings, at least 17 intervals of each parameter hold the truth", "[experiments][slow]") {
  // Of 20 true 95 % intervals at least 17 hold the truth with probability 0.98; the seeds are fixed.
  count_intervals(20, "", 17);
}
