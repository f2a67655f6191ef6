#include "optim/search/camera_pose.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "optim/measurement/kinds/camera.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::complaint;
using pithball::test::contains;

namespace {

RecordingFrame make_start(double focal_length) {
  RecordingFrame frame;
  frame.own[recording_frame_offset("focal_length") - 8] = focal_length;
  frame.own[recording_frame_offset("principal_x") - 8] = 640;
  frame.own[recording_frame_offset("principal_y") - 8] = 360;
  return frame;
}

/// A camera one to three sizes of the marks away, in any direction, that looks roughly at them.
RecordingFrame random_view(std::mt19937& random, const RecordingFrame& start, const Vec3& center, double size) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  Vec3 ahead(normal(random), normal(random), normal(random));
  ahead.normalize();
  const Eigen::AngleAxisd turned(2 * M_PI * uniform(random), ahead);
  Mat3 axes;
  axes.col(2) = ahead;
  axes.col(0) = turned * ahead.unitOrthogonal();
  axes.col(1) = ahead.cross(axes.col(0));
  const Eigen::AngleAxisd all(axes);
  RecordingFrame view = start;
  view.rotation = all.angle() * all.axis();
  view.translation = center - size * (3 + 3 * uniform(random)) * ahead + 0.1 * size * axes.col(0);
  return view;
}

Points project(const Instrument& camera, const sim::Model& model, const RecordingFrame& view, const Points& places) {
  Points pixels = Points::Zero(3, places.cols());
  const Viewpoint viewpoint(view);
  for (Index k = 0; k < places.cols(); ++k) {
    Vec3 reading = Vec3::Zero();
    const Points place = places.col(k);
    REQUIRE(camera.read({0, place, viewpoint, model}, reading, nullptr) == nullptr);
    pixels.col(k) = reading;
  }
  return pixels;
}

}  // namespace

TEST_CASE("camera pose: it is found from exact pixels, from wherever the camera looks", "[optim][measurement]") {
  const diff::Scenario scenario = test::make_body("a");
  const auto camera = make_camera_instrument({});
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  for (const double size : {1e-4, 1.0, 1e3}) {  // [m]: bodies of any size
    for (int trial = 0; trial < 6; ++trial) {
      const Index count = trial < 3 ? 4 : 8;
      Points places(3, count);
      for (double& x : places.reshaped()) x = size * normal(random);
      RecordingFrame start = make_start(1000);
      set_lens({0.08, -0.02, 0.001, -0.002, 0}, start);
      const RecordingFrame truth = random_view(random, start, places.rowwise().mean(), 2 * size);
      const CameraMarks marks{places, project(*camera, scenario.model, truth, places)};
      const RecordingFrame found = register_camera({*camera, scenario.model, start, false}, marks);
      INFO("size " << size << ", trial " << trial);
      CHECK(camera_misfit({*camera, scenario.model, found, false}, marks) < 1e-5);
      CHECK((found.rotation_matrix() - truth.rotation_matrix()).norm() < 1e-6);
      CHECK((found.translation - truth.translation).norm() < 1e-6 * size);
    }
  }
}

TEST_CASE("camera pose: an unknown focal length is found with it", "[optim][measurement]") {
  const diff::Scenario scenario = test::make_body("a");
  const auto camera = make_camera_instrument({});
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  Points places(3, 9);
  for (double& x : places.reshaped()) x = 0.2 * normal(random);
  const RecordingFrame truth = random_view(random, make_start(1400), places.rowwise().mean(), 0.3);
  const CameraMarks marks{places, project(*camera, scenario.model, truth, places)};
  const RecordingFrame found = register_camera({*camera, scenario.model, make_start(900), true}, marks);
  CHECK(found.own[recording_frame_offset("focal_length") - 8] == Approx(1400).epsilon(1e-5));
  CHECK((found.translation - truth.translation).norm() < 1e-4);
}

TEST_CASE("camera pose: a flat body seen without perspective may lean either way", "[optim][measurement]") {
  const diff::Scenario scenario = test::make_body("a");
  Camera lens;
  lens.orthographic = true;
  const auto camera = make_camera_instrument(lens);
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  Points places(3, 9);
  for (double& x : places.reshaped()) x = 0.2 * normal(random);
  RecordingFrame truth = make_start(1000);
  truth.own[recording_frame_offset("image_scale") - 8] = 800;
  truth.rotation = Vec3(0.9, 0.3, -0.2);
  const auto rival = [&] {
    const CameraMarks marks{places, project(*camera, scenario.model, truth, places)};
    const CameraSearch search{*camera, scenario.model, truth, false};
    return find_rival_pose(search, marks, register_camera(search, marks));
  };
  CHECK_FALSE(rival());  // of a body with depth there is none
  places.row(2).setZero();
  REQUIRE(rival());
  const CameraMarks marks{places, project(*camera, scenario.model, truth, places)};
  CHECK(camera_misfit({*camera, scenario.model, *rival(), false}, marks) < 1e-3);
}

TEST_CASE("camera pose: its covariance is the scatter of poses from noisy pixels", "[optim][measurement]") {
  const diff::Scenario scenario = test::make_body("a");
  const auto camera = make_camera_instrument({});
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Points places(3, 10);
  for (double& x : places.reshaped()) x = 0.2 * normal(random);
  const RecordingFrame truth = random_view(random, make_start(1000), places.rowwise().mean(), 0.3);
  const CameraMarks exact{places, project(*camera, scenario.model, truth, places)};
  const auto covariance = camera_pose_covariance({*camera, scenario.model, truth, false}, exact, 0.5);
  Eigen::Matrix<double, 6, 1> square = Eigen::Matrix<double, 6, 1>::Zero();
  constexpr int trials = 60;
  for (int trial = 0; trial < trials; ++trial) {
    CameraMarks noisy = exact;
    for (double& x : noisy.pixels.topRows<2>().reshaped()) x += 0.5 * normal(random);
    const RecordingFrame found = register_camera({*camera, scenario.model, make_start(1000), false}, noisy);
    square += (found.values() - truth.values()).segment<6>(2).cwiseAbs2();
  }
  // A variance of 60 samples scatters by 18 %: beyond a factor of 2 in one of 1e6 tests.
  for (Index k = 0; k < 6; ++k) CHECK(square[k] / trials / covariance(k, k) == Approx(1).margin(0.9));
}

TEST_CASE("camera pose: too few marks, and marks in a line, are rejected", "[optim][measurement][error]") {
  const diff::Scenario scenario = test::make_body("a");
  const auto camera = make_camera_instrument({});
  const auto rejects = [&](const Points& places, bool focal, const std::string& words) {
    const std::string message = complaint([&] {
      register_camera({*camera, scenario.model, make_start(1000), focal}, {places, Points::Ones(3, places.cols())});
    });
    CHECK(contains(message, words));
  };
  rejects(Points::Random(3, 3), false, "at least four markers");
  rejects(Points::Random(3, 5), true, "at least six markers");
  Points line = Points::Zero(3, 5);
  line.row(0) << 0, 1, 2, 3, 4;
  rejects(line, false, "markers on one line");
}
