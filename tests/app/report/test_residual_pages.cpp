// What a fit's page shows of tracks, residuals, searches and regions, of results whose numbers are known.

#include <algorithm>
#include <cmath>
#include <random>

#include "app/report/fit_sections.hpp"
#include "optim/measurement/kinds/camera.hpp"
#include "tests/app/report/unpack.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::app;
using nlohmann::ordered_json;
using test::unpack;

namespace {

constexpr std::size_t frames = 400;

/// Two markers in the plane y = 0, of which the second is seen in every other frame; z is not recorded. The last
/// quarter is forecast. Noise is normal with the sigma that the fit used: 1 mm and 2 mm.
FitResults filmed() {
  FitResults results;
  optim::MarkerTracks tracks;
  tracks.recording = "film";
  tracks.markers = {"tip", "root"};
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  for (std::size_t g = 0; g < frames; ++g) {
    const double t = 0.01 * g;
    tracks.times.push_back(t);
    tracks.parts.push_back(g < 3 * frames / 4 ? optim::Part::Fit : optim::Part::ValidationFrame);
    optim::Points model(3, 2), recorded(3, 2);
    model << std::sin(t), 5 + std::cos(t), 0, 0, 1, 1;
    for (int m = 0; m < 2; ++m)
      for (int a = 0; a < 3; ++a) recorded(a, m) = model(a, m) + (m + 1) * 1e-3 * normal(random);
    recorded.row(2).setConstant(NAN);
    if (g % 2 == 1) recorded.col(1).setConstant(NAN);
    tracks.model.push_back(model);
    tracks.recorded.push_back(recorded);
  }
  results.tracks.push_back(tracks);
  FittedRecording& recording = results.fit.recordings.emplace_back();
  recording.name = "film";
  recording.sigma = {{1e-3, 1e-3, 1e-3}, {2e-3, 2e-3, 2e-3}};
  return results;
}

/// Numbers of one choice of a packed [X, C].
std::vector<double> column(const ordered_json& values, std::size_t choice) {
  const std::vector<double> all = unpack(values);
  const std::size_t choices = values.at("shape").at(1);
  std::vector<double> own;
  for (std::size_t k = choice; k < all.size(); k += choices)
    own.push_back(all[k] > values["offset"][choice].get<double>() + 65534.5 * values["scale"].get<double>() ? NAN
                                                                                                            : all[k]);
  return own;
}

}  // namespace

TEST_CASE("track section: each coordinate that was seen has its track and its differences beside the noise",
          "[app][report]") {
  const FitResults results = filmed();
  const Sections sections = track_sections(results);
  REQUIRE(sections.size() == 1);
  CHECK(sections[0].kind == "panels");
  const ordered_json& page = sections[0].document;
  CHECK(page["panels"].size() == 4);  // x and y; z was not recorded
  CHECK(page["marks"][0]["at"] == 3.0);
  REQUIRE(page["choice"]["names"].size() == 2);
  for (const std::string name : page["choice"]["names"]) {
    INFO(name);
    const std::size_t comma = name.find(", ");
    REQUIRE(comma != std::string::npos);
    // of 800 or 400 coordinates: four standard deviations 1/√(2n)
    CHECK(std::stod(name.substr(comma + 2)) == Approx(1).margin(4 / std::sqrt(2 * 400.0)));
  }
  const ordered_json &track = page["panels"][0]["series"], &rest = page["panels"][1]["series"];
  REQUIRE(track.size() == 3);  // simulated, recorded, recorded but not fitted
  const auto& tracks = results.tracks[0];
  for (std::size_t m = 0; m < 2; ++m) {
    const std::vector<double> model = column(track[0]["values"], m), fitted = column(track[1]["values"], m),
                              forecast = column(track[2]["values"], m), difference = column(rest[0]["values"], m);
    REQUIRE(model.size() == frames);
    std::size_t seen = 0;
    for (std::size_t g = 0; g < frames; ++g) {
      const double x = tracks.recorded[g](0, m), wanted = tracks.model[g](0, m);
      const bool is_fitted = tracks.parts[g] == optim::Part::Fit;
      // half a quantum, the widest range over 65534: 2 m for tracks, about 12 mm for differences
      CHECK(model[g] == Approx(wanted).margin(1.6e-5));
      CHECK(std::isnan(fitted[g]) == (std::isnan(x) || !is_fitted));
      CHECK(std::isnan(forecast[g]) == (std::isnan(x) || is_fitted));
      if (std::isnan(fitted[g])) continue;
      ++seen;
      CHECK(fitted[g] == Approx(x).margin(2e-5));
      CHECK(difference[g] == Approx(x - wanted).margin(2e-7));
    }
    CHECK(seen == (m == 0 ? 300 : 150));
  }
  CHECK(page["panels"][1]["bands"][0]["upper"] == ordered_json::array({2e-3, 4e-3}));
  CHECK(page["panels"][1]["bands"][1]["lower"] == ordered_json::array({-1e-3, -2e-3}));
}

TEST_CASE("track section: of a long film frames are left out", "[app][report]") {
  FitResults results = filmed();
  optim::MarkerTracks& tracks = results.tracks[0];
  for (std::size_t g = frames; g < 50000; ++g) {
    tracks.times.push_back(g);
    tracks.parts.push_back(optim::Part::Fit);
    tracks.model.push_back(tracks.model[0]);
    tracks.recorded.push_back(tracks.recorded[0]);
  }
  const ordered_json page = track_sections(results).front().document;
  CHECK(page["x"]["values"].size() == 16667);  // every third: 120,000 numbers of six coordinates each
  CHECK(page["note"].get<std::string>().find("16667 of 50000 frames") != std::string::npos);
}

TEST_CASE("residual section: normal noise follows the normal density and the line, a gross error is counted",
          "[app][report]") {
  FitResults results = filmed();
  const Sections sections = residual_sections(results);
  REQUIRE(sections.size() == 1);
  const ordered_json &bars = sections[0].document["panels"][0], &quantiles = sections[0].document["panels"][1];
  const std::size_t samples = 2 * (300 + 150);  // fitted, x and y
  double sum = 0;
  std::vector<double> density = bars["series"][0]["values"], normal = bars["series"][1]["values"];
  for (std::size_t k = 0; k < density.size(); ++k) {
    sum += 0.25 * density[k];
    // the share p of a bin scatters by √(p/n); four of that
    CHECK(0.25 * std::abs(density[k] - normal[k]) <= 4 * std::sqrt(0.25 * normal[k] / samples) + 2.0 / samples);
  }
  CHECK(sum == Approx(1));
  const std::vector<double> z = quantiles["x"]["values"], sample = quantiles["series"][0]["values"];
  REQUIRE(z.size() == sample.size());
  CHECK(std::ranges::is_sorted(z));
  // Blom: the least of n lies at Φ⁻¹(0.625/(n + 0.25))
  CHECK(std::erfc(-z.front() / std::sqrt(2.0)) / 2 == Approx(0.625 / (samples + 0.25)).epsilon(1e-6));
  CHECK(z.front() == Approx(-z.back()));
  for (std::size_t k = 0; k < z.size(); ++k)
    if (std::abs(z[k]) < 2) CHECK(std::abs(sample[k] - z[k]) < 0.3);
  CHECK(sections[0].document["note"].get<std::string>().find("All 900 fitted coordinates") != std::string::npos);
  CHECK(sections[0].document["note"].get<std::string>().find("0 of them lie beyond ± 4") != std::string::npos);
  results.tracks[0].recorded[0](0, 0) += 0.1;
  const std::string note = residual_sections(results)[0].document["note"];
  CHECK(note.find("1 of them lies beyond ± 4") != std::string::npos);
  CHECK(note.find("1 beyond ± 5 are not in the histogram") != std::string::npos);
}

TEST_CASE("residual section: where sigma is a weight, residuals are in units of their own scale", "[app][report]") {
  FitResults results = filmed();
  results.fit.recordings[0].sigma = {{1e-6, 1e-6, 1e-6}, {2e-6, 2e-6, 2e-6}};
  results.fit.goodness.quality.is_comparable = false;
  results.fit.estimates.residual_scale = 1000;
  const std::string note = residual_sections(results)[0].document["note"];
  CHECK(note.find("0 of them lie beyond") != std::string::npos);
}

TEST_CASE("confidence section: the regions are those of fit.json's errors, with the way of the search",
          "[app][report]") {
  FitRecord fit;
  CHECK(confidence_sections(fit).empty());
  fit.estimates.parameters.resize(3);
  fit.estimates.correlation = (Eigen::Matrix3d() << 1, 0.5, 0.1, 0.5, 1, -0.25, 0.1, -0.25, 1).finished();
  fit.search.path = {Eigen::Vector3d(1, 2, 3), Eigen::Vector3d(4, 5, 6)};
  for (std::size_t k = 0; k < 3; ++k) {
    fit.estimates.parameters[k].name = std::string(1, static_cast<char>('a' + k));
    fit.estimates.parameters[k].estimate = 10;
    fit.estimates.parameters[k].standard_error = 0.5;
  }
  fit.estimates.parameters[1].scope.is_nuisance = true;
  const Sections sections = confidence_sections(fit);
  REQUIRE(sections.size() == 1);
  const ordered_json& page = sections[0].document;
  CHECK(page["radius"].get<double>() == Approx(std::sqrt(5.991464547)));  // χ² of two degrees at 95 %
  REQUIRE(page["parameters"].size() == 2);
  CHECK(page["parameters"][1]["name"] == "c");
  CHECK(page["correlation"] == ordered_json::parse("[[1.0, 0.1], [0.1, 1.0]]"));
  CHECK(page["path"] == ordered_json::parse("[[1.0, 3.0], [4.0, 6.0]]"));
  fit.estimates.parameters[2].interval.upper_limit = 12;
  CHECK(confidence_sections(fit).empty());  // of one alone there is no region
  fit.estimates.parameters.resize(9, fit.estimates.parameters[0]);
  CHECK(confidence_sections(fit).empty());
}

TEST_CASE("start section: searches stand in order, those that ended at one minimum in one color", "[app][report]") {
  FitRecord fit;
  fit.estimates.parameters.resize(1);
  fit.estimates.parameters[0].name = "charge";
  fit.estimates.parameters[0].standard_error = 0.1;
  optim::FitStage& stage = fit.search.stages.emplace_back();
  const auto add = [&](double cost, double charge) {
    stage.minima.push_back(
        {Index(stage.minima.size()), optim::MinimizerStatus::Converged, cost, 3, {{"charge", charge}}});
  };
  add(100, 1);
  CHECK(start_sections(fit).empty());
  add(150, 7);
  add(100.00001, 1.05);
  add(100.001, -1);  // as good, but elsewhere
  add(not_known, 3);
  const Sections sections = start_sections(fit);
  REQUIRE(sections.size() == 1);
  const ordered_json& page = sections[0].document;
  REQUIRE(page["series"].size() == 3);
  CHECK(page["series"][0]["label"] == "best minimum (2 of 4 searches)");
  CHECK(page["series"][0]["values"] == ordered_json::parse("[0.001, 0.001, null, null]"));
  CHECK(page["series"][1]["values"][2].get<double>() == Approx(2e-3));
  CHECK(page["series"][2]["values"][3].get<double>() == Approx(100));
  CHECK(page["note"].get<std::string>().find("1 of 5 searches failed") != std::string::npos);
  CHECK(page["note"].get<std::string>().find("Alternatives") == std::string::npos);
}

TEST_CASE("start section: searches that ended at the estimate, at alternatives and elsewhere are distinguished",
          "[app][report]") {
  FitRecord fit;
  fit.estimates.parameters.resize(1);
  fit.estimates.parameters[0].name = "charge";
  fit.estimates.parameters[0].standard_error = 0.1;
  optim::FitStage& stage = fit.search.stages.emplace_back();
  const auto add = [&](double cost, double charge, Index place) {
    stage.minima.push_back(
        {Index(stage.minima.size()), optim::MinimizerStatus::Converged, cost, 3, {{"charge", charge}}, place});
  };
  add(100, 1, 0);
  add(99.9, -1, 1);    // a little better by its cost, but not the estimate that the fit gives
  add(100.2, 1.5, 0);  // the fit's own errors said that it is one place, though it is five of these apart
  add(120, 1, -1);     // given up before it was there
  add(150, 7, -1);
  const Sections sections = start_sections(fit);
  REQUIRE(sections.size() == 1);
  const ordered_json& page = sections[0].document;
  REQUIRE(page["series"].size() == 4);
  CHECK(page["series"][0]["label"] == "at the estimate (2 of 5 searches)");
  CHECK(page["series"][1]["label"] == "at alternative 1, as good (1 of 5 searches)");
  CHECK(page["series"][2]["label"] == "elsewhere: minimum 3 (1 of 5 searches)");
  CHECK(page["series"][3]["label"] == "elsewhere: minimum 4 (1 of 5 searches)");
  // In the order of cost, whatever the place.
  CHECK(page["series"][1]["values"] == ordered_json::parse("[0.001, null, null, null, null]"));
  CHECK(page["series"][0]["values"][0].is_null());
  CHECK(page["series"][0]["values"][1].get<double>() == Approx(0.2));
  CHECK(page["series"][0]["values"][2].get<double>() == Approx(0.6));
  CHECK(page["series"][2]["values"][3].get<double>() == Approx(40.2));
  CHECK(page["note"].get<std::string>().find("Alternatives are other estimates") != std::string::npos);
}

TEST_CASE("residual pages: pixels are named as readings, in pixels", "[app][report][measurement]") {
  FitResults results = filmed();
  optim::MarkerTracks& tracks = results.tracks.front();
  tracks.static_baseline = tracks.constant_velocity = tracks.recorded;
  const auto notes = [&] {
    std::string all;
    for (const Sections& sections : {track_sections(results), marker_sections(results)})
      for (const Section& section : sections) all += section.document.value("note", "") + "\n";
    return all;
  };
  const auto unit = [&] { return marker_sections(results)[0].document["y"]["unit"].get<std::string>(); };
  CHECK(notes().find("model's frame of reference") != std::string::npos);
  CHECK(notes().find("RMS distance from the recorded markers") != std::string::npos);
  CHECK(unit() == "m");
  tracks.kind = &optim::camera_kind();
  CHECK(notes().find("Readings of one marker (pixels in the image of a camera)") != std::string::npos);
  CHECK(notes().find("RMS difference from the recorded readings") != std::string::npos);
  CHECK(notes().find("model's frame") == std::string::npos);
  CHECK(notes().find("istance") == std::string::npos);
  CHECK(unit() == "px");
}
