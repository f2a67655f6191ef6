#include <cmath>

#include "optim/observation/marker_tracks.hpp"
#include "optim/verdict/position_errors.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::BodyOptions;
using pithball::test::make_body;

namespace {

/// A recording with noise, gaps, a coordinate that was never recorded, a clock of its own and a forecast.
Observation spoiled(const diff::Scenario& scenario) {
  Observation o = test::record(scenario, 5, 1e-2, 3);
  o.present.assign(o.times.size(), std::vector<bool>(o.markers.size(), true));
  o.present[2][1] = false;
  o.positions[4](0, 0) = NAN;
  for (Points& frame : o.positions) frame(1, 3) = NAN;
  for (double& t : o.times) t += 0.0123;  // between steps
  o.recording_frame.clock_offset = -0.0123 + 0.004;
  o.times.pop_back();
  o.positions.pop_back();
  o.present.pop_back();
  o.validation.from = o.times[6];
  return o;
}

/// One free particle that moves with 2 m/s along x.
diff::Scenario make_flight() {
  sim::Topology topology;
  topology.particles = 1;
  sim::State state;
  state.x = Points::Zero(3, 1);
  state.v = Points::Zero(3, 1);
  state.v(0, 0) = 2;
  return {.name = "a",
          .model = sim::Model(topology, Vector::Ones(1), Vector::Zero(1), {}),
          .initial = state,
          .integrator = "velocity_verlet",
          .time_step = 0.1,
          .steps = 10,
          .stage = {}};
}

}  // namespace

TEST_CASE("marker_tracks: model less recorded is the residual, whatever the reference", "[optim][marker_tracks]") {
  const diff::Scenario scenario = make_body("a");
  for (const Reference::Kind reference : {Reference::Kind::Absolute, Reference::Kind::Start, Reference::Kind::Given}) {
    INFO("reference " << static_cast<int>(reference));
    Observation o = spoiled(scenario);
    o.reference.kind = reference;
    if (reference == Reference::Kind::Start)
      o.positions[0](1, 3) = 0.2;  // only what is in the first frame can be compared
    if (reference == Reference::Kind::Given) {
      o.reference.observed = Points::Constant(3, 4, 0.3);
      o.reference.model = scenario.initial.x;
    }
    const MarkerTracks tracks = compute_tracks(scenario, o);
    REQUIRE(tracks.times.size() == 10);
    CHECK(tracks.times[3] == Approx(3 * 0.1 + 0.004));
    CHECK(tracks.failure.empty());
    Index compared = 0;
    for (const Part part : {Part::Fit, Part::ValidationFrame}) {
      const MeasurementModel measurement(o, scenario, part);
      Readings readings(measurement);
      diff::run_forward(scenario, [&](Index n, const sim::State& state) { readings.add_state(n, state); });
      Vector r(measurement.rows());
      CHECK(readings.residual(scenario.model, r).empty());
      for (const MeasurementModel::Sample& sample : measurement.samples()) {
        const std::size_t g = sample.frame;
        CHECK(tracks.parts[g] == part);
        Index row = sample.first_row;
        for (int a = 0; a < 3; ++a) {
          const double difference = tracks.model[g](a, sample.marker) - tracks.recorded[g](a, sample.marker);
          if (std::isnan(difference)) continue;
          CHECK(difference == Approx(r[row] * measurement.row_sigma(row)).margin(1e-14));
          ++row;
          ++compared;
        }
        CHECK(row == sample.first_row + sample.row_count);
      }
    }
    // 10 frames of 4 markers, less one sample, one coordinate and the last marker's y (seen once with Start).
    CHECK(compared == 120 - 3 - 1 - 10 + (reference == Reference::Kind::Start ? 1 : 0));
    for (std::size_t g = 0; g < tracks.times.size(); ++g) CHECK(tracks.model[g].allFinite());
    CHECK(tracks.recorded[2].col(1).array().isNaN().all());
  }
}

TEST_CASE("marker_tracks: of a flat recording in a turned placement, what was seen keeps its residual",
          "[optim][marker_tracks]") {
  const diff::Scenario scenario = make_body("a");
  for (const Vec3& rotation : {Vec3(0.7, -0.4, 0.2), Vec3(1.5707963, 0, 0), Vec3(0, 0, 0)}) {
    INFO("rotation " << rotation.transpose());
    Observation o = test::record(scenario, 5, 1e-2, 3);
    o.recording_frame.rotation = rotation;
    for (Points& frame : o.positions) {
      frame = o.recording_frame.to_recorded(frame).eval();
      frame.row(2).setConstant(NAN);
    }
    const MarkerTracks tracks = compute_tracks(scenario, o);
    const MeasurementModel measurement(o, scenario, Part::Fit);
    Readings readings(measurement);
    diff::run_forward(scenario, [&](Index n, const sim::State& state) { readings.add_state(n, state); });
    Vector r(measurement.rows());
    CHECK(readings.residual(scenario.model, r).empty());
    double square = 0;
    for (Index row = 0; row < r.size(); ++row) square += std::pow(r[row] * measurement.row_sigma(row), 2);
    REQUIRE(square > 0);
    const RecordingErrors errors = compute_errors(tracks, Part::Fit);
    CHECK(errors.all.samples == static_cast<Index>(measurement.samples().size()));
    CHECK(std::pow(errors.all.model, 2) * errors.all.samples == Approx(square).epsilon(1e-6));
    CHECK(std::isfinite(errors.all.static_baseline));
  }
}

TEST_CASE("marker_tracks: a frame in which nothing was seen is left out", "[optim][marker_tracks]") {
  const diff::Scenario scenario = make_body("a");
  Observation o = test::record(scenario, 10, 0, 1);
  o.positions[3].setConstant(NAN);
  o.times.push_back(99);  // beyond the simulated span, which is no error where nothing was seen
  o.positions.push_back(Points::Constant(3, 4, NAN));
  const MarkerTracks tracks = compute_tracks(scenario, o);
  REQUIRE(tracks.times.size() == 5);
  CHECK(tracks.times[3] == Approx(0.8));
}

TEST_CASE("marker_tracks: from where the model cannot continue its markers are missing", "[optim][marker_tracks]") {
  BodyOptions wild;
  wild.integrator = "velocity_verlet";
  wild.time_step = 0.5;
  wild.steps = 400;
  const diff::Scenario scenario = make_body("wild", wild);
  Observation o = test::record(make_body("calm"), 25, 0, 1);
  o.times = {0, 1, 200};
  o.validation.from = 100;
  const MarkerTracks tracks = compute_tracks(scenario, o);
  CHECK(tracks.failure.find("diverged at step") != std::string::npos);
  CHECK(tracks.model[1].allFinite());
  CHECK(tracks.model[2].array().isNaN().all());
  CHECK(tracks.recorded[2].allFinite());
  const RecordingErrors fitted = compute_errors(tracks, Part::Fit),
                        forecast = compute_errors(tracks, Part::ValidationFrame);
  CHECK(fitted.failure.empty());
  CHECK(std::isfinite(fitted.all.model));
  CHECK(forecast.failure == tracks.failure);
  CHECK(std::isnan(forecast.all.model));
  CHECK(std::isfinite(forecast.all.static_baseline));
}

TEST_CASE("fit_errors: baselines are what their names say", "[optim][fit]") {
  const diff::Scenario scenario = make_flight();
  Observation o = test::record(scenario, 1, 0, 1);
  o.validation.from = 0.55;
  const MarkerTracks tracks = compute_tracks(scenario, o);
  const PositionErrors fitted = compute_errors(tracks, Part::Fit).all,
                       forecast = compute_errors(tracks, Part::ValidationFrame).all;
  CHECK(fitted.samples == 6);
  CHECK(fitted.model < 1e-14);
  CHECK(fitted.constant_velocity < 1e-14);
  CHECK(fitted.static_baseline == Approx(0.2 * std::sqrt((0 + 1 + 4 + 9 + 16 + 25) / 6.0)));  // from the first frame
  CHECK(forecast.constant_velocity < 1e-14);
  CHECK(forecast.static_baseline ==
        Approx(0.2 * std::sqrt((1 + 4 + 9 + 16 + 25) / 5.0)));  // from the last fitted frame
  o.reference.kind = Reference::Kind::Given;
  o.reference.observed = Points::Constant(3, 1, 0.1);
  o.reference.model = o.reference.observed;
  o.validation.from = 0.05;
  const MarkerTracks displaced = compute_tracks(scenario, o);
  CHECK(compute_errors(displaced, Part::Fit).all.static_baseline ==
        Approx(0.1 * std::sqrt(3.0)));  // rests at the reference
}

TEST_CASE("fit_errors: errors over time add up to those of their part", "[optim][fit]") {
  const diff::Scenario scenario = make_body("a");
  Observation o = spoiled(scenario);
  for (std::size_t f = 0; f < 6; ++f) o.present[f][2] = false;  // no baseline for a marker that only the forecast shows
  BodyOptions other;
  other.stiffness = 9;
  const MarkerTracks tracks = compute_tracks(make_body("a", other), o);
  const std::vector<PositionErrors> over_time = compute_errors_over_time(tracks);
  REQUIRE(over_time.size() == 10);
  for (const Part part : {Part::Fit, Part::ValidationFrame}) {
    PositionErrors sums{0, 0, 0, 0, 0};
    for (std::size_t g = 0; g < over_time.size(); ++g) {
      if (tracks.parts[g] != part) continue;
      const PositionErrors& e = over_time[g];
      sums.samples += e.samples;
      sums.model += e.samples * e.model * e.model;
      if (e.with_baseline == 0) continue;
      sums.with_baseline += e.with_baseline;
      sums.static_baseline += e.with_baseline * e.static_baseline * e.static_baseline;
      sums.constant_velocity += e.with_baseline * e.constant_velocity * e.constant_velocity;
    }
    const PositionErrors expected = compute_errors(tracks, part).all;
    CHECK(sums.samples == expected.samples);
    CHECK(expected.model > 1e-3);
    CHECK(std::sqrt(sums.model / static_cast<double>(sums.samples)) == Approx(expected.model));
    const auto known = static_cast<double>(sums.with_baseline);
    CHECK(std::sqrt(sums.static_baseline / known) == Approx(expected.static_baseline));
    CHECK(std::sqrt(sums.constant_velocity / known) == Approx(expected.constant_velocity));
  }
  CHECK(tracks.static_baseline[7].col(2).array().isNaN().all());
}
