// Recordings that share keys, and files that hold several of them.

#include "app/experiment/recording/recording_list.hpp"

#include <fmt/format.h>

#include "tests/app/experiment/ball_document.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::app;
using namespace pithball::test;

namespace {

std::vector<std::string> names_in(const FitSpec& spec) {
  std::vector<std::string> names;
  for (const Recording& recording : spec.recordings) names.push_back(recording.name);
  return names;
}

using Names = std::vector<std::string>;

/// One marker along x, ten frames a second, present where the function of the frame is a number.
template <class Place>
void write_track(const Workplace& place, int frames, Place x) {
  std::string table = "t,x,y,z\n";
  for (int f = 0; f < frames; ++f) {
    const double at = x(f);
    table += std::isnan(at) ? fmt::format("{},,,\n", f / 10.0) : fmt::format("{},{},0,0\n", f / 10.0, at);
  }
  place.write("track.csv", table);
}

const std::string end = "  parameters: [stiffness]\n";

}  // namespace

TEST_CASE("recording_defaults: every recording has their keys, unless it writes them itself", "[app][fit][split]") {
  const Workplace place;
  write_three_runs(place);
  const FitSpec spec = read_ball(place, R"(fit:
  residual: {sigma: 1 mm}
  recording_defaults:
    file: runs.csv
    rate: 100
    markers: [1]
    frames: {skip_first: 2, skip_last: 5}
  recordings:
    - {name: first, rows: {run: a}}
    - {name: second, rows: {run: b}, frames: {skip_last: 1}, rate: 50}
)" + end);
  REQUIRE(names_in(spec) == Names{"first", "second"});
  CHECK(spec.recordings[0].observation.times.size() == 40 - 2 - 5);
  CHECK(spec.recordings[0].observation.times.front() == Approx(0.02));
  CHECK(spec.recordings[1].observation.times.size() == 40 - 2 - 1);  // mappings are merged
  CHECK(spec.recordings[1].observation.times.front() == Approx(0.04));
  const std::string stored = to_yaml(spec.filled);
  CHECK(!says(stored, "recording_defaults"));
  place.write("stored.yaml", stored);
  const FitSpec again = read_fit(load_document((place / "stored.yaml").string()));
  CHECK(again.recordings[1].observation.times == spec.recordings[1].observation.times);
}

TEST_CASE("recording_defaults: mistakes are reported where they were written", "[app][fit][split]") {
  const Workplace place;
  write_three_runs(place);
  const auto complaint = [&](const std::string& defaults) {
    return ball_complaint(place, "fit:\n  residual: {sigma: 1 mm}\n  recording_defaults: " + defaults +
                                     "\n  recordings:\n    - {file: runs.csv, rate: 100, rows: {run: a}}\n" + end);
  };
  CHECK(says(complaint("[a]"), "ball.yaml:11:23 fit.recording_defaults: must be a mapping of keys"));
  CHECK(
      says(complaint("{markers: [1], ratee: 2}"), "ball.yaml:11:38 fit.recording_defaults.ratee: is not a known key"));
  CHECK(says(
      ball_complaint(
          place,
          "fit:\n  residual: {sigma: 1 mm}\n  recording_default: {markers: [1]}\n  recordings:\n    - {file: runs.csv, "
          "rate: 100, rows: {run: a}, markers: [1]}\n" +
              end),
      "did you mean 'recording_defaults'?"));
}

TEST_CASE("split: by the values of a column", "[app][fit][split]") {
  const Workplace place;
  write_three_runs(place);
  const auto read = [&](const std::string& split, const std::string& more = "") {
    return read_ball(place, "fit:\n  residual: {sigma: 1 mm}\n  recordings:\n    - {file: runs.csv, rate: 100, " +
                                more + "markers: [1], split: " + split + "}\n" + end);
  };
  const FitSpec all = read("{column: run, validation: [b]}");
  REQUIRE(names_in(all) == Names{"runs #a", "runs #b", "runs #7"});
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(all.recordings[k].observation.positions.size() == 40);
    CHECK(all.recordings[k].observation.positions[0](1, 0) == k);
    CHECK(all.recordings[k].observation.is_validation(0) == (k == 1));
  }
  CHECK(names_in(read("{column: run, skip: [7.0]}", "name: swing, ")) == Names{"swing #a", "swing #b"});
  CHECK(names_in(read("{column: run, select: [b, 7]}")) == Names{"runs #b", "runs #7"});
}

TEST_CASE("split: at gaps in time", "[app][fit][split]") {
  const Workplace place;
  write_track(place, 30, [](int f) { return (f >= 8 && f < 14) || f == 20 ? NAN : 0.1 + 0.001 * f; });
  const FitSpec spec = read_ball(place, R"(fit:
  residual: {sigma: 1 mm}
  recordings:
    - {file: track.csv, markers: [1], split: {gap: 0.3 s}}
)" + end);
  REQUIRE(names_in(spec) == Names{"track #0", "track #1"});
  CHECK(spec.recordings[0].observation.times.front() == 0);
  CHECK(spec.recordings[1].observation.times.front() == Approx(1.4));
  CHECK(spec.recordings[1].observation.times.size() == 16);  // one missing frame is no gap
  CHECK(spec.recordings[1].observation.simulated_time(0) == Approx(0).margin(1e-12));
}

TEST_CASE("split: where a marker leaves its rest", "[app][fit][split]") {
  const Workplace place;
  // Two releases, at frames 20 and 60, that swing through their rest and decay.
  write_track(place, 100, [](int f) {
    if (f < 20) return 0.1;
    const int since = f < 60 ? f - 20 : f - 60;
    return 0.1 + 0.05 * std::exp(-0.2 * since) * std::cos(since);
  });
  const auto read = [&](const std::string& trigger) {
    return read_ball(place,
                     "fit:\n  residual: {sigma: 1 mm}\n  recordings:\n    - {file: track.csv, markers: [1], "
                     "rest_frames: {first: 10}, split: {trigger: " +
                         trigger + "}}\n" + end);
  };
  const FitSpec spec = read("{marker: 0, farther_than: 2 cm, still: 1 s, before: 0.3 s}");
  REQUIRE(names_in(spec) == Names{"track #0", "track #1"});
  CHECK(spec.recordings[0].observation.times.front() == Approx(1.7));
  CHECK(spec.recordings[0].observation.times.back() == Approx(5.6));
  CHECK(spec.recordings[1].observation.times.front() == Approx(5.7));
  CHECK(spec.recordings[1].observation.times.back() == Approx(9.9));
  // A rest of less than half a swing lets every swing trigger.
  CHECK(read("{marker: 0, farther_than: 2 cm, still: 0.1 s}").recordings.size() > 2);
}

TEST_CASE("split: what cannot be split is rejected at its line", "[app][fit][split]") {
  const Workplace place;
  write_three_runs(place);
  const auto complaint = [&](const std::string& split) {
    return ball_complaint(place, "fit:\n  recordings:\n    - file: runs.csv\n      rate: 100\n      split: " + split +
                                     "\n      markers: [1]\n" + end);
  };
  CHECK(says(complaint("{column: run, skip: [c]}"),
             "ball.yaml:13:34 fit.recordings[0].split.skip: must name parts of the file, got 'c'; parts are a, b, 7"));
  CHECK(says(complaint("{column: ruN}"), "ruN"));
  CHECK(says(complaint("{}"), "split: must have one of column, gap and trigger, got none"));
  CHECK(says(complaint("{column: run, gap: 1 s}"), "must have one of column, gap and trigger, got column, gap"));
  CHECK(says(complaint("{column: run, skipp: [a]}"), "split.skipp: is not a known key here; did you mean 'skip'?"));
  CHECK(says(complaint("{trigger: {marker: 0, farther_than: 1 cm, still: 1 s}}"), "requires `rest_frames`"));
}

TEST_CASE("recordings: a key without a value, or with an empty one, is rejected or left out", "[app][fit][error]") {
  const Workplace place;
  write_three_runs(place);
  place.write("ball.yaml", ball_with("fit:\n  residual: {sigma: 1 mm}\n  recordings:\n    - {file: runs.csv, rows: "
                                     "{run: a}, rate: 100, markers: [{vertices: [1]}]}\n" +
                                     end));
  int rejected = 0, tried = 0;
  const KeyPage page = experiment_keys();
  for (const KeyPage::Row& row : page.rows()) {
    const std::string list = "fit.recordings[].";
    if (row.path.rfind(list, 0) != 0) continue;
    std::string key = row.path.substr(list.size());
    if (key.rfind("markers[].", 0) == 0) key.replace(0, 10, "markers.0.");
    if (key.find_first_of("[ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string::npos) continue;
    for (const std::string value : {"null", "[]", "{}", "[null]", "''"}) {
      CAPTURE(key, value);
      ++tried;
      try {
        read_fit(load_document((place / "ball.yaml").string(), {{"fit.recordings.0." + key, value, "--set"}}));
      } catch (const InvalidArgument&) {  // anything else fails the test
        ++rejected;
      }
    }
  }
  CHECK(tried > 300);
  CHECK(rejected > tried / 2);
}
