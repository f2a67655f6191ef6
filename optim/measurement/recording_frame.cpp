#include "optim/measurement/recording_frame.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "optim/measurement/measurement_kinds.hpp"
#include "sim/core/dense.hpp"
#include "sim/core/error.hpp"
#include "sim/kernel/rotation.hpp"

namespace pithball::optim {
namespace {

using sim::kernel::cosine_ratio;
using sim::kernel::cross_matrix;
using sim::kernel::cubic_ratio;
using sim::kernel::sine_ratio;

constexpr Index placed_size = RecordingFrame::scale_offset;  // values of clock, rotation and translation

}  // namespace

Index RecordingFrame::size() { return placed_size + default_own_values().size(); }

Vector RecordingFrame::default_own_values() {
  static const Vector initial = [] {
    std::vector<double> all;
    for (const RecordingFrameValue& value : recording_frame_values())
      if (value.offset >= placed_size) all.insert(all.end(), static_cast<std::size_t>(value.size), value.initial);
    return Vector(Eigen::Map<const Vector>(all.data(), static_cast<Index>(all.size())));
  }();
  return initial;
}

void RecordingFrame::set_own(const std::string& name, double value) {
  own[recording_frame_offset(name) - placed_size] = value;
}

Vector RecordingFrame::values() const {
  Vector all(placed_size + own.size());
  all << clock_offset, clock_scale, rotation, translation, own;
  return all;
}

RecordingFrame RecordingFrame::of(const Eigen::Ref<const Vector>& values) {
  return {values[0], values[1], values.segment<3>(2), values.segment<3>(5), values.tail(values.size() - placed_size)};
}

Mat3 RecordingFrame::rotation_matrix() const {
  const double angle = rotation.norm();
  const Mat3 w = cross_matrix(rotation);
  return Mat3::Identity() + sine_ratio(angle) * w + cosine_ratio(angle) * w * w;  // Rodrigues
}

std::array<Mat3, 3> RecordingFrame::rotation_derivative() const {
  const double angle = rotation.norm();
  const Mat3 w = cross_matrix(rotation), R = rotation_matrix();
  const Mat3 right = Mat3::Identity() - cosine_ratio(angle) * w + cubic_ratio(angle) * w * w;
  return {R * cross_matrix(right.col(0)), R * cross_matrix(right.col(1)), R * cross_matrix(right.col(2))};
}

Vec3 RecordingFrame::to_model(const Vec3& recorded) const {
  const Mat3 R = rotation_matrix();
  const double s = scale();
  Vec3 x = translation;
  for (Index a = 0; a < 3; ++a)
    for (Index b = 0; b < 3; ++b)
      if (std::abs(R(a, b)) > (std::isnan(recorded[b]) ? no_mixing : 0)) x[a] += s * R(a, b) * recorded[b];
  return x;
}

sim::Points RecordingFrame::to_recorded(const sim::Points& model) const {
  return rotation_matrix().transpose() * (model.colwise() - translation) / scale();
}

const std::vector<RecordingFrameValue>& recording_frame_values() {
  static const std::vector<RecordingFrameValue> values = [] {
    std::vector<RecordingFrameValue> all{
        {"clock_offset", "s", 0, 1},
        {"clock_scale", "", 1, 1, sim::ValueSign::Positive, 1},
        {"placement_rotation", "rad", 2, 3, sim::ValueSign::Any, 0, "placement: {fit: rotation}"},
        {"placement_translation", "m", 5, 3, sim::ValueSign::Any, 0, "placement: {fit: translation}"},
        {"placement_scale", "", placed_size, 1, sim::ValueSign::Positive, 1, "placement: {fit: scale}"}};
    Index offset = placed_size + 1;
    for (const MeasurementKind* kind : measurement_kinds())
      for (RecordingFrameValue value : kind->own_values) {
        value.offset = offset;
        offset += value.size;
        all.push_back(value);
      }
    return all;
  }();
  return values;
}

Index recording_frame_offset(const std::string& name) {
  for (const RecordingFrameValue& value : recording_frame_values())
    if (value.name == name) return value.offset;
  throw InvalidArgument({"", "value of a recording", "must be a known one", "'" + name + "'", ""});
}

Vector recording_values(const diff::Scenario& scenario, const RecordingFrame& recording_frame) {
  Vector all(scenario.size() + RecordingFrame::size());
  all << scenario.physical_values(), recording_frame.values();
  return all;
}

RecordingFrame register_points(const sim::Points& recorded, const sim::Points& model, const RecordingFrame& start) {
  const auto reject_points = [](const std::string& got) {
    throw InvalidArgument({"", "placement", "must be registered on at least three points that do not lie on one line",
                           got, "attach more markers, or give rotation and translation"});
  };
  if (recorded.cols() != model.cols() || recorded.cols() < 3)
    reject_points(std::to_string(recorded.cols()) + " points");
  for (const sim::Points* points : {&recorded, &model}) {
    const sim::Points centered = points->colwise() - points->rowwise().mean().eval();
    const Vector squares = sim::symmetric_spectrum(centered * centered.transpose()).values;
    if (!(squares[1] > 1e-12 * squares[2])) reject_points("points on one line");
  }
  const Eigen::Matrix4d carried = Eigen::umeyama(start.scale() * recorded, model, false);
  const Eigen::AngleAxisd turn(Mat3(carried.topLeftCorner<3, 3>()));
  RecordingFrame recording_frame = start;
  recording_frame.rotation = turn.angle() * turn.axis();
  recording_frame.translation = carried.topRightCorner<3, 1>();
  return recording_frame;
}

Eigen::Matrix<double, 6, 6> registration_covariance(const sim::Points& recorded, const RecordingFrame& found,
                                                    const Vector& sigma) {
  const std::array<Mat3, 3> turned = found.rotation_derivative();
  Eigen::MatrixXd A(3 * recorded.cols(), 6);
  for (Index k = 0; k < recorded.cols(); ++k) {
    for (Index j = 0; j < 3; ++j) A.block<3, 1>(3 * k, j) = found.scale() * turned[j] * recorded.col(k);
    A.block<3, 3>(3 * k, 3).setIdentity();
  }
  // Factorizes A, since AᵀA loses digits where the points are far from the recording's origin.
  Eigen::MatrixXd M = sim::solve_least_squares(A, Eigen::MatrixXd::Identity(A.rows(), A.rows())).X;
  for (Index k = 0; k < recorded.cols(); ++k) M.middleCols<3>(3 * k) *= found.scale() * sigma[k];
  return M * M.transpose();
}

}  // namespace pithball::optim
