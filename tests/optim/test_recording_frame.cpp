#include "optim/measurement/recording_frame.hpp"

#include <Eigen/LU>
#include <cmath>

#include "optim/fit.hpp"
#include "optim/parameter/parameter_blocks.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::complaint;
using pithball::test::contains;
using pithball::test::make_body;
using pithball::test::shared;

namespace {

RecordingFrame make_tilted() {
  RecordingFrame frame{-4.93, 1.02, Vec3(0.4, -0.7, 0.9), Vec3(0.3, -1.2, 0.5)};
  frame.set_scale(1.1);
  return frame;
}

const RecordingFrame tilted = make_tilted();

/// What a camera at `view` records of a scenario's particles at its steps 3, 3 + stride, …: x = Rᵀ(x_model − T)/s, at
/// times that its clock shows; the first frame is then near 5 s.
Observation record_in_frame(const diff::Scenario& scenario, Index stride, const RecordingFrame& view) {
  Observation o = test::record(scenario, stride, 0, 1);
  o.times.clear();
  o.positions.clear();
  const Mat3 turned = view.rotation_matrix().transpose();
  diff::run_forward(scenario, [&](Index n, const sim::State& state) {
    if (n < 3 || (n - 3) % stride != 0) return;
    const double t = n * scenario.time_step, first = 3 * scenario.time_step - view.clock_offset;
    o.times.push_back(first + (t - first - view.clock_offset) / view.clock_scale);
    o.positions.push_back(turned * (state.x.colwise() - view.translation) / view.scale());
  });
  return o;
}

std::vector<Parameter> free_recording_frame() {
  std::vector<Parameter> parameters;
  for (const RecordingFrameValue& value : recording_frame_values()) {
    if (value.offset > RecordingFrame::scale_offset) continue;  // of instruments that these recordings do not use
    parameters.push_back(shared(value.name));
    parameters.back().recordings.sharing = RecordingSharing::Each;
  }
  return parameters;
}

/// Two recordings, one filmed from elsewhere; stiffness and everything of the recording_frames free, away from the
/// truth.
TrajectoryResidual recorded_residual(Reference::Kind reference) {
  test::BodyOptions options;
  options.steps = 40;
  options.gravity = true;
  const std::vector<diff::Scenario> scenarios{make_body("a", options), make_body("b", options)};
  RecordingFrame start = tilted;
  start.clock_offset += 0.013;
  start.clock_scale = 1.01;
  start.rotation += Vec3(0.05, 0.02, -0.03);
  start.translation += Vec3(-0.1, 0.02, 0.05);
  start.set_scale(1.15);
  std::vector<Observation> observations;
  for (const RecordingFrame& view : {tilted, RecordingFrame{-4.93, 1, Vec3::Zero(), Vec3::Zero()}}) {
    Observation& o = observations.emplace_back(record_in_frame(scenarios[0], 5, view));
    o.times.pop_back();
    o.positions.pop_back();
    o.positions[2](1, 0) = NAN;
    o.reference.kind = reference;
    o.reference.observed = Points::Constant(3, 4, 0.1);
    o.reference.model = scenarios[0].initial.x;
    o.recording_frame = view;
  }
  observations[0].recording_frame = start;
  observations[1].recording_frame.clock_offset +=
      0.007;  // between steps: at a step the polynomial's second derivative jumps
  std::vector<Parameter> parameters = free_recording_frame();
  parameters.push_back(shared("stiffness", 11));
  return TrajectoryResidual(
      ParameterMap(scenarios, parameters, {observations[0].recording_frame, observations[1].recording_frame}),
      observations);
}

}  // namespace

TEST_CASE("recording_frame: its rotation is a rotation about its axis, and its derivative the difference quotient",
          "[optim][recording_frame][fd]") {
  CHECK(RecordingFrame{}.rotation_matrix() == Mat3::Identity());
  const RecordingFrame quarter{0, 1, Vec3(0, 0, std::acos(0.0)), Vec3(1, 2, 3)};
  CHECK(quarter.to_model(Vec3(1, 0, 0)).isApprox(Vec3(1, 3, 3)));
  for (const double angle : {0.0, 1e-6, 0.05, 0.1, 1.0, 3.1, 5.0}) {
    CAPTURE(angle);
    RecordingFrame view;
    view.rotation = angle * Vec3(2, -1, 2) / 3;
    const Mat3 R = view.rotation_matrix();
    CHECK((R * R.transpose() - Mat3::Identity()).norm() < 1e-14);
    CHECK(R.determinant() == Approx(1));
    CHECK(R.trace() == Approx(1 + 2 * std::cos(angle)));
    const auto derivative = view.rotation_derivative();
    const double h = 1e-5;
    for (Index k = 0; k < 3; ++k) {
      RecordingFrame ahead = view, behind = view;
      ahead.rotation[k] += h;
      behind.rotation[k] -= h;
      const Mat3& exact = derivative[k];
      REQUIRE(exact.norm() > 0.3);
      // Rounding 1e-16/h and the third derivative, about h²: both 1e-11 to 1e-10.
      CHECK(((ahead.rotation_matrix() - behind.rotation_matrix()) / (2 * h) - exact).norm() < 1e-9);
    }
  }
}

TEST_CASE("recording_frame: a missing component hides those that it mixes into", "[optim][recording_frame]") {
  const RecordingFrame shifted{0, 1, Vec3::Zero(), Vec3(1, 1, 1)};
  const Vec3 flat = shifted.to_model(Vec3(2, NAN, 4));
  CHECK(flat[0] == 3);
  CHECK(std::isnan(flat[1]));
  CHECK(flat[2] == 5);
  CHECK(tilted.to_model(Vec3(2, NAN, 4)).array().isNaN().all());
}

TEST_CASE("recording_frame: clock and placement have inverses", "[optim][recording_frame]") {
  Observation o;
  o.times = {2, 2.5, 4};
  o.recording_frame = tilted;
  for (std::size_t f = 0; f < 3; ++f) CHECK(o.recorded_time(o.simulated_time(f)) == Approx(o.times[f]).epsilon(1e-14));
  CHECK(std::isinf(o.recorded_time(std::numeric_limits<double>::infinity())));
  const Points recorded = Points::Random(3, 4);
  Points model(3, 4);
  for (Index k = 0; k < 4; ++k) model.col(k) = tilted.to_model(recorded.col(k));
  CHECK((model - recorded).norm() > 0.1);
  CHECK((tilted.to_recorded(model) - recorded).norm() < 1e-14);
}

TEST_CASE("recording_frame: registration finds the placement, and never a mirror image", "[optim][recording_frame]") {
  Points recorded(3, 5);
  recorded << 0, 1, 0.3, 0.4, 2, 0, 0.1, 0.9, 0.3, 1, 0, -0.1, 0.1, 0.8, 0.2;
  Points model = tilted.scale() * tilted.rotation_matrix() * recorded;
  model.colwise() += tilted.translation;
  const RecordingFrame found = register_points(recorded, model, tilted);
  CHECK((found.rotation - tilted.rotation).norm() < 1e-12);
  CHECK((found.translation - tilted.translation).norm() < 1e-12);
  CHECK(found.clock_offset == tilted.clock_offset);
  CHECK(found.scale() == tilted.scale());
  const Points mirrored = Vec3(1, 1, -1).asDiagonal() * recorded;
  CHECK(register_points(mirrored, model).rotation_matrix().determinant() == Approx(1));
  const Points plane = recorded.leftCols(3);  // three points are enough
  CHECK((register_points(plane, model.leftCols(3), tilted).rotation - tilted.rotation).norm() < 1e-12);
  CHECK(contains(complaint([&] { register_points(recorded.leftCols(2), model.leftCols(2)); }), "at least three"));
  Points line(3, 4);
  line << 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3;
  CHECK(contains(complaint([&] { register_points(line, model.leftCols(4)); }), "on one line"));
}

TEST_CASE("recording_frame: the covariance of a registration is that of its difference quotients",
          "[optim][recording_frame][fd]") {
  Points recorded(3, 5);
  recorded << 0, 1, 0.3, 0.4, 2, 0, 0.1, 0.9, 0.3, 1, 0, -0.1, 0.1, 0.8, 0.2;
  Points model = tilted.scale() * tilted.rotation_matrix() * recorded;
  model.colwise() += tilted.translation;
  Vector sigma(5);
  sigma << 1e-3, 2e-3, 1e-3, 3e-3, 1e-3;
  Eigen::Matrix<double, 6, 6> expected = Eigen::Matrix<double, 6, 6>::Zero();
  const double h = 1e-6;
  for (Index k = 0; k < 5; ++k)
    for (Index a = 0; a < 3; ++a) {
      const auto placed = [&](double change) {
        Points moved = recorded;
        moved(a, k) += change;
        return register_points(moved, model, tilted).values();
      };
      const Vector slope = (placed(h) - placed(-h)).segment(2, 6) / (2 * h);
      expected += sigma[k] * sigma[k] * slope * slope.transpose();
    }
  const Eigen::Matrix<double, 6, 6> found = registration_covariance(recorded, tilted, sigma);
  CHECK((found - expected).norm() < 1e-6 * expected.norm());
}

TEST_CASE("recording_frame: a recording seen from the true recording_frame has no residual",
          "[optim][recording_frame]") {
  const diff::Scenario scenario = make_body("a");
  Observation o = record_in_frame(scenario, 5, tilted);
  Parameter charge = shared("charge");
  charge.factor = true;  // the charges differ
  const auto seen = [&] { return TrajectoryResidual(ParameterMap({scenario}, {charge}, {o.recording_frame}), {o}); };
  Vector r;
  o.recording_frame = tilted;
  const TrajectoryResidual there = seen();
  REQUIRE(there.evaluate(there.map().initial(), r, nullptr).ok());
  CHECK(r.norm() * 1e-3 < 1e-12);  // σ = 1 mm
  o.recording_frame.rotation[0] += 0.01;
  const TrajectoryResidual elsewhere = seen();
  REQUIRE(elsewhere.evaluate(elsewhere.map().initial(), r, nullptr).ok());
  CHECK(r.norm() * 1e-3 > 1e-3);
}

TEST_CASE("recording_frame: derivatives by tangent and adjoint are the difference quotient, whatever the reference",
          "[optim][recording_frame][fd]") {
  for (const Reference::Kind reference : {Reference::Kind::Absolute, Reference::Kind::Start, Reference::Kind::Given}) {
    CAPTURE(static_cast<int>(reference));
    const TrajectoryResidual residual = recorded_residual(reference);
    REQUIRE(residual.parameters() == 19);
    const Vector theta = residual.map().initial();
    Vector r, ahead, behind, Jd, Jtw;
    Eigen::MatrixXd J;
    REQUIRE(residual.evaluate(theta, r, &J).ok());
    const double h = 1e-6;
    for (Index k = 0; k < residual.parameters(); ++k) {
      const std::string name = residual.map().names()[k];
      CAPTURE(name);
      REQUIRE(residual.evaluate(theta + h * Vector::Unit(theta.size(), k), ahead, nullptr).ok());
      REQUIRE(residual.evaluate(theta - h * Vector::Unit(theta.size(), k), behind, nullptr).ok());
      const bool matters = reference == Reference::Kind::Absolute || !contains(name, "translation");
      if (!matters) {
        CHECK(J.col(k).norm() == 0);  // displacements do not know where the recording stands
        continue;
      }
      REQUIRE(J.col(k).norm() > 1);
      // Stages are solved to 1e-12; divided by σ = 1e-3 and h that is 1e-3 absolute for what moves the run.
      CHECK(((ahead - behind) / (2 * h) - J.col(k)).norm() < 1e-6 * J.col(k).norm() + 1e-3);
    }
    Vector d(theta.size()), w(residual.rows());
    for (Index k = 0; k < d.size(); ++k) d[k] = std::sin(1.0 + 2 * static_cast<double>(k));
    for (Index k = 0; k < w.size(); ++k) w[k] = std::cos(3.0 * k);
    std::unique_ptr<Linearization> at;
    REQUIRE(residual.linearize(theta, at).ok());
    CHECK((at->residual() - r).norm() < 1e-9 * r.norm());
    REQUIRE(at->jvp(d, Jd).ok());
    REQUIRE(at->vjp(w, Jtw).ok());
    CHECK((Jd - J * d).norm() < 1e-9 * Jd.norm());
    CHECK((Jtw - J.transpose() * w).norm() < 1e-8 * (J.cwiseAbs().transpose() * w.cwiseAbs()).norm());
  }
}

TEST_CASE("recording_frame: a fit recovers placement, clock offset and clock scale together with a stiffness",
          "[optim][recording_frame]") {
  test::BodyOptions options;
  options.gravity = true;
  options.steps = 60;
  const diff::Scenario scenario = make_body("release", options);
  const Observation filmed = record_in_frame(scenario, 4, tilted);
  for (const std::string solver : {"levenberg_marquardt", "gauss_newton", "lbfgs"}) {
    FitProblem problem;
    problem.search.solver = solver;
    problem.search.minimizer.max_iterations = 500;
    problem.search.minimizer.function_tolerance = 1e-14;
    problem.scenarios = {scenario};
    problem.observations = {filmed};
    problem.observations[0].times.pop_back();  // room for a clock that runs late
    problem.observations[0].positions.pop_back();
    RecordingFrame& start = problem.observations[0].recording_frame;
    start = tilted;
    start.clock_offset += 0.02;
    start.clock_scale = 1;
    start.rotation += Vec3(0.2, -0.1, 0.1);
    start.translation += Vec3(0.2, 0.2, -0.1);
    start.set_scale(1);
    problem.parameters = free_recording_frame();
    problem.parameters.push_back(shared("stiffness", 14));
    problem.parameters.back().factor = true;
    problem.parameters.back().initial = 1.2;
    const FitReport report = fit(problem);
    CAPTURE(solver, report.search.message);
    REQUIRE(report.search.status == MinimizerStatus::Converged);
    REQUIRE(report.estimates.parameters.size() == 10);
    // The data have no noise: what is left is how far the search went, by gradients alone less far.
    const double tolerance = solver == "lbfgs" ? 1e-3 : 1e-7;
    const Vector truth = tilted.values();
    const std::vector<std::string> names{"clock_offset[release]",
                                         "clock_scale[release]",
                                         "placement_rotation[release].x",
                                         "placement_rotation[release].y",
                                         "placement_rotation[release].z",
                                         "placement_translation[release].x",
                                         "placement_translation[release].y",
                                         "placement_translation[release].z",
                                         "placement_scale[release]"};
    for (std::size_t k = 0; k < names.size(); ++k) {
      CHECK(report.estimates.parameters[k].name == names[k]);
      CHECK(report.estimates.parameters[k].estimate == Approx(truth[k]).margin(tolerance));
      CHECK(report.estimates.parameters[k].identifiable);
      CHECK(report.estimates.parameters[k].standard_error > 0);
    }
    CHECK(report.estimates.parameters[0].unit == "s");
    CHECK(report.estimates.parameters[2].unit == "rad");
    CHECK(report.estimates.parameters[9].estimate == Approx(1).margin(tolerance));
    CHECK(report.goodness.errors.fit.model < tolerance);
    // The tracks are those of the fitted recording_frame, on the simulation's clock.
    CHECK(report.tracks[0].times.front() == Approx(3 * scenario.time_step).margin(tolerance));
  }
}

TEST_CASE("recording_frame: one placement may serve several recordings", "[optim][recording_frame]") {
  test::BodyOptions options;
  options.steps = 30;
  const std::vector<diff::Scenario> scenarios{make_body("a", options), make_body("b", options)};
  std::vector<Parameter> parameters{shared("placement_rotation"), shared("mass")};
  const ParameterMap map(scenarios, parameters);
  CHECK(map.size() == 4);
  CHECK(map.names()[0] == "placement_rotation.x");
  CHECK(map.moves_recording_frame(1));
  CHECK(find_neighbors(map, 0, "placement_rotation").empty());
  Vector theta = map.initial();
  theta[1] += 0.1;
  for (Index s : {0, 1}) {
    CHECK(map.recording_frame(theta, s).rotation == Vec3(0, 0.1, 0));
    CHECK(map.scatter(theta, s).physical_values().isApprox(scenarios[0].physical_values(), 1e-14));
    CHECK(map.recording_frame_directions(theta, s).norm() == Approx(std::sqrt(3)));
    const Vector d = Vector::LinSpaced(map.size(), 0.3, 1.1), change = map.push_forward(theta, s, d);
    REQUIRE(change.size() == scenarios[0].size() + RecordingFrame::size());
    CHECK((change.tail(RecordingFrame::size()) - map.recording_frame_directions(theta, s) * d(map.active(s))).norm() <
          1e-15);
  }
}

TEST_CASE("recording_frame: a clock that leaves the simulation cannot be evaluated, a foreign one is rejected",
          "[optim][recording_frame][error]") {
  test::BodyOptions options;
  options.steps = 20;
  const diff::Scenario scenario = make_body("a", options);
  const Observation o = test::record(scenario, 5, 0, 1);
  const TrajectoryResidual residual(ParameterMap({scenario}, {shared("clock_offset"), shared("charge")}), {o});
  Vector theta = residual.map().initial(), r;
  REQUIRE(residual.evaluate(theta, r, nullptr).ok());
  theta[0] += 0.01;
  const Evaluation evaluation = residual.evaluate(theta, r, nullptr);
  CHECK(!evaluation.ok());
  CHECK(contains(evaluation.failure, "simulated time span"));
  Observation moved = o;
  moved.recording_frame.translation[0] = 1;
  CHECK(contains(complaint([&] { TrajectoryResidual(ParameterMap({scenario}, {shared("charge")}), {moved}); }),
                 "recording_frames of the parameter map"));
}
