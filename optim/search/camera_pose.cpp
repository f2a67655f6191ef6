#include "optim/search/camera_pose.hpp"

#include <ceres/ceres.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "optim/search/ceres_support.hpp"
#include "sim/core/dense.hpp"
#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

constexpr int unknowns = 7;  // rotation, translation, focal length
constexpr Index pose_offset = 2;

Index focal_offset() {
  static const Index offset = recording_frame_offset("focal_length");
  return offset;
}

RecordingFrame frame_at(const CameraSearch& search, const double* x) {
  Vector values = search.start.values();
  values.segment<6>(pose_offset) = Eigen::Map<const Eigen::Matrix<double, 6, 1>>(x);
  if (search.focal_length) values[focal_offset()] = x[6];
  return RecordingFrame::of(values);
}

/// The pixels of one mark minus those that the pose predicts.
class MarkResidual final : public ceres::SizedCostFunction<2, unknowns> {
 public:
  MarkResidual(const CameraSearch& search, Points place, Eigen::Vector2d pixel)
      : search_(search), place_(std::move(place)), pixel_(std::move(pixel)) {}

  bool Evaluate(double const* const* x, double* residual, double** jacobian) const override {
    const Viewpoint viewpoint(frame_at(search_, x[0]));
    ReadingSlope slope{Eigen::MatrixXd::Zero(3, 3), Eigen::MatrixXd::Zero(3, RecordingFrame::size()), {}};
    Vec3 reading;
    if (search_.camera.read({0, place_, viewpoint, search_.model}, reading, &slope)) return false;
    Eigen::Map<Eigen::Vector2d>(residual, 2) = reading.head<2>() - pixel_;
    if (!jacobian || !jacobian[0]) return true;
    Eigen::Map<Eigen::Matrix<double, 2, unknowns, Eigen::RowMajor>> J(jacobian[0]);
    J.leftCols<6>() = slope.frame.block<2, 6>(0, pose_offset);
    J.col(6) =
        search_.focal_length ? Eigen::Vector2d(slope.frame.col(focal_offset()).head<2>()) : Eigen::Vector2d::Zero();
    return true;
  }

 private:
  const CameraSearch& search_;
  Points place_;
  Eigen::Vector2d pixel_;
};

void check_marks(const CameraSearch& search, const CameraMarks& marks) {
  const Index least = search.focal_length ? 6 : 4;
  const auto reject_marks = [&](const std::string& got) {
    throw InvalidArgument({"", "placement",
                           std::string("must be registered on at least ") + (least == 6 ? "six" : "four") +
                               " markers that do not lie on one line" +
                               (least == 6 ? " where the focal length is fitted" : ""),
                           got, "use more markers in one frame, or give rotation and translation"});
  };
  if (marks.places.cols() < least) reject_marks(std::to_string(marks.places.cols()) + " markers");
  const Points centered = marks.places.colwise() - marks.places.rowwise().mean().eval();
  const Vector squares = sim::symmetric_spectrum(centered * centered.transpose()).values;
  if (!(squares[1] > 1e-6 * squares[2])) reject_marks("markers on one line");
}

/// Returns views of the marks from all directions and with all angles of roll, at the distance at which they have the
/// right size.
std::vector<RecordingFrame> find_views(const CameraSearch& search, const CameraMarks& marks) {
  constexpr int directions = 60, turns = 12;
  const Vec3 center = marks.places.rowwise().mean();
  const double extent = (marks.places.colwise() - center).norm();
  const Eigen::Vector2d middle = marks.pixels.topRows<2>().rowwise().mean();
  const double size = (marks.pixels.topRows<2>().colwise() - middle).norm();
  const double focal = search.start.values()[focal_offset()];
  const double distance = std::max(focal * extent / std::max(size, 1e-9 * focal), extent);
  std::vector<RecordingFrame> views;
  for (int k = 0; k < directions; ++k) {
    // Fibonacci spiral: directions of uniform density.
    const double z = 1 - (2 * k + 1.0) / directions, angle = k * std::numbers::pi * (3 - std::sqrt(5.0));
    const double across = std::sqrt(1 - z * z);
    const Vec3 ahead(across * std::cos(angle), across * std::sin(angle), z);
    const Vec3 side = ahead.unitOrthogonal();
    for (int j = 0; j < turns; ++j) {
      Mat3 axes;
      axes.col(0) = Eigen::AngleAxisd(2 * std::numbers::pi * j / turns, ahead) * side;
      axes.col(2) = ahead;
      axes.col(1) = ahead.cross(axes.col(0));
      const Eigen::AngleAxisd turn(axes);
      RecordingFrame view = search.start;
      view.rotation = turn.angle() * turn.axis();
      view.translation = center - distance * ahead;
      views.push_back(std::move(view));
    }
  }
  return views;
}

/// Returns the least-squares pose found from a view.
RecordingFrame refine(const CameraSearch& search, const CameraMarks& marks, const RecordingFrame& view) {
  std::array<double, unknowns> x{};
  const Vector values = view.values();
  std::copy_n(values.data() + pose_offset, 6, x.begin());
  x[6] = values[focal_offset()];
  ceres::Problem problem;
  for (Index k = 0; k < marks.places.cols(); ++k)
    problem.AddResidualBlock(new MarkResidual(search, marks.places.col(k), marks.pixels.col(k).head<2>()), nullptr,
                             x.data());
  if (search.focal_length) problem.SetParameterLowerBound(x.data(), 6, 0.01 * x[6]);
  ceres::Solver::Options options;
  options.linear_solver_type = ceres::DENSE_QR;
  options.logging_type = ceres::SILENT;
  options.max_num_iterations = 200;
  options.function_tolerance = 1e-14;
  options.gradient_tolerance = 0;       // the gradient has units
  options.parameter_tolerance = 1e-15;  // relative to angles and lengths together
  ceres::Solver::Summary summary;
  ceres::Solve(options, &problem, &summary);
  return frame_at(search, x.data());
}

}  // namespace

double camera_misfit(const CameraSearch& search, const CameraMarks& marks) {
  const Viewpoint viewpoint(search.start);
  double square = 0;
  for (Index k = 0; k < marks.places.cols(); ++k) {
    Vec3 reading;
    const Points place = marks.places.col(k);
    if (search.camera.read({0, place, viewpoint, search.model}, reading, nullptr))
      return std::numeric_limits<double>::infinity();
    square += (reading.head<2>() - marks.pixels.col(k).head<2>()).squaredNorm();
  }
  return std::sqrt(square / static_cast<double>(marks.places.cols()));
}

namespace {

/// A pose and its misfit [px].
using JudgedPose = std::pair<double, RecordingFrame>;

bool is_nearer(const JudgedPose& a, const JudgedPose& b) { return a.first < b.first; }

/// Returns the poses to which the best views converge, best first and with duplicates; empty if no view sees all marks.
std::vector<JudgedPose> find_poses(const CameraSearch& search, const CameraMarks& marks) {
  const QuietLog quiet;
  const auto misfit = [&](const RecordingFrame& view) {
    return camera_misfit({search.camera, search.model, view, search.focal_length}, marks);
  };
  std::vector<JudgedPose> views;
  for (RecordingFrame& view : find_views(search, marks)) views.emplace_back(misfit(view), std::move(view));
  constexpr std::size_t tried = 24;
  std::partial_sort(views.begin(), views.begin() + tried, views.end(), is_nearer);
  std::vector<JudgedPose> poses;
  for (std::size_t k = 0; k < tried; ++k) {
    if (!std::isfinite(views[k].first)) continue;
    RecordingFrame found = refine(search, marks, views[k].second);
    // The shortest rotation vector, as in a placement.
    const Eigen::AngleAxisd turn(found.rotation_matrix());
    found.rotation = turn.angle() * turn.axis();
    if (const double off = misfit(found); std::isfinite(off)) poses.emplace_back(off, std::move(found));
  }
  std::ranges::stable_sort(poses, is_nearer);
  return poses;
}

}  // namespace

RecordingFrame register_camera(const CameraSearch& search, const CameraMarks& marks) {
  check_marks(search, marks);
  const std::vector<JudgedPose> poses = find_poses(search, marks);
  return poses.empty() ? search.start : poses.front().second;
}

std::optional<RecordingFrame> find_rival_pose(const CameraSearch& search, const CameraMarks& marks,
                                              const RecordingFrame& found) {
  constexpr double other_pose = 0.1, as_good = 1.5;  // [rad]; a factor of the misfit
  const Eigen::Vector2d middle = marks.pixels.topRows<2>().rowwise().mean();
  const double size = (marks.pixels.topRows<2>().colwise() - middle).norm() / std::sqrt(marks.pixels.cols());
  const double exact = 1e-4 * size;  // without pixel noise, the misfit is rounding
  const double least = camera_misfit({search.camera, search.model, found, search.focal_length}, marks);
  const Mat3 here = found.rotation_matrix();
  for (const auto& [misfit, pose] : find_poses(search, marks)) {
    if (misfit > as_good * least + exact) return {};
    if (Eigen::AngleAxisd(Mat3(here.transpose() * pose.rotation_matrix())).angle() > other_pose) return pose;
  }
  return {};
}

Eigen::Matrix<double, 6, 6> camera_pose_covariance(const CameraSearch& search, const CameraMarks& marks, double sigma) {
  const Viewpoint viewpoint(search.start);
  Eigen::MatrixXd A(2 * marks.places.cols(), 6);
  for (Index k = 0; k < marks.places.cols(); ++k) {
    ReadingSlope slope{Eigen::MatrixXd::Zero(3, 3), Eigen::MatrixXd::Zero(3, RecordingFrame::size()), {}};
    Vec3 reading;
    const Points place = marks.places.col(k);
    search.camera.read({0, place, viewpoint, search.model}, reading, &slope);
    A.middleRows<2>(2 * k) = slope.frame.block<2, 6>(0, pose_offset);
  }
  const Eigen::MatrixXd M = sigma * sim::solve_least_squares(A, Eigen::MatrixXd::Identity(A.rows(), A.rows())).X;
  return M * M.transpose();
}

}  // namespace pithball::optim
