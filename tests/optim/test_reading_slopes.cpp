#include <random>

#include "optim/measurement/kinds/camera.hpp"
#include "optim/measurement/kinds/force.hpp"
#include "optim/measurement/kinds/point.hpp"
#include "optim/measurement/kinds/velocity.hpp"
#include "optim/observation/readings.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;

namespace {

Eigen::MatrixXd normal_matrix(Index rows, Index columns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}

Readings read_run(const diff::Scenario& scenario, const MeasurementModel& measurement, bool moves) {
  Readings readings(measurement, moves);
  REQUIRE(diff::run_forward(scenario, [&](Index n, const sim::State& state) { readings.add_state(n, state); }).ok());
  return readings;
}

Vector residual(const diff::Scenario& scenario, const MeasurementModel& measurement) {
  Vector r(measurement.rows());
  CHECK(read_run(scenario, measurement, false).residual(scenario.model, r).empty());
  return r;
}

/// One marker, or one support, with a missing component, seen from a general position.
Observation watch(std::shared_ptr<const Instrument> instrument) {
  Observation o;
  o.instrument = std::move(instrument);
  o.recording_frame = {0.012, 1.1, Vec3(0.3, -0.2, 0.25), Vec3(0.1, 0.2, -3)};
  for (double& value : o.recording_frame.own) value = 0.7;
  o.recording_frame.set_own("row_time", 1e-4);
  o.markers = {{"m", {{0, 0.5}, {2, 0.5}}}};
  o.times = {0, 0.033, 0.118};
  o.positions.assign(3, Points::Constant(3, 1, 30));  // in row 30
  o.positions[1](1, 0) = std::nan("");
  o.noise.sigma = Vector::Constant(1, 0.2);
  return o;
}

}  // namespace

TEST_CASE("reading_slopes: products with them are the difference quotient by the recording_frame, and transposes",
          "[optim][measurement][fd]") {
  test::BodyOptions options;
  options.time_step = 0.01;
  options.steps = 20;
  options.gravity = true;
  const diff::Scenario scenario = test::make_body("a", options);
  const Index of_model = scenario.model.values().size(), of_frame = RecordingFrame::size();
  for (const auto& instrument : {make_point_instrument(), make_camera_instrument({}), make_velocity_instrument(),
                                 make_force_instrument(4, {{0, 2}})}) {
    INFO(instrument->kind().name);
    const MeasurementModel measurement(watch(instrument), scenario, Part::Fit);
    REQUIRE(measurement.rows() == 3 * instrument->components() - 1);
    const ReadingSlopes slopes(read_run(scenario, measurement, true), scenario.model),
        fixed(read_run(scenario, measurement, false), scenario.model);

    // Two directions in everything, and one in the inputs alone.
    const RowMatrix inputs = normal_matrix(3 * measurement.inputs(), 3, 1);
    Eigen::MatrixXd frame = normal_matrix(of_frame, 2, 2);
    frame.row(recording_frame_offset("row_time")) *= 1e-2;  // over 30 rows a change of the time like that of the clock
    const Eigen::MatrixXd values = normal_matrix(of_model, 2, 3);
    const Eigen::MatrixXd J = slopes.push_forward({inputs, frame, values});
    const Vector w = normal_matrix(measurement.rows(), 1, 4);
    const ReadingSlopes::Gradient gradient = slopes.pull_back(w);
    REQUIRE(gradient.recording_frame.norm() > 0.1);
    CHECK((gradient.recording_frame[recording_frame_offset("row_time")] != 0) == (instrument->kind().name == "camera"));
    CHECK((gradient.model_values.norm() > 0) == (instrument->kind().name == "force"));
    for (Index c = 0; c < 3; ++c) {
      double paired = gradient.inputs.dot(inputs.col(c));
      if (c < 2) paired += gradient.recording_frame.dot(frame.col(c)) + gradient.model_values.dot(values.col(c));
      // Rounding of sums that cancel in part.
      CHECK(std::abs(w.dot(J.col(c)) - paired) < 1e-12 * w.norm() * J.norm());
    }

    const RowMatrix none = RowMatrix::Zero(3 * measurement.inputs(), 2);
    const Eigen::MatrixXd by_frame = slopes.push_forward({none, frame, 0 * values});
    constexpr double h = 1e-5;  // error of the quotient: h² by its length, and rounding of r by 1/h
    const Vector at = measurement.viewpoint().values;
    for (Index c = 0; c < 2; ++c) {
      const auto moved = [&](double step) {
        return residual(scenario, measurement.seen_from(RecordingFrame::of(at + step * frame.col(c))));
      };
      CHECK((by_frame.col(c) - (moved(h) - moved(-h)) / (2 * h)).norm() < 1e-6 * by_frame.col(c).norm());
    }

    CHECK(fixed.push_forward({inputs, {}, values}) == slopes.push_forward({inputs, {}, values}));
    CHECK(fixed.pull_back(w).inputs == gradient.inputs);
    CHECK(fixed.pull_back(w).recording_frame.isZero(0));
  }
}
