#include "optim/observation/turned_offset.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "sim/kernel/rotation.hpp"

namespace pithball::optim {
namespace {

using sim::Mat3;
using sim::Points;
using sim::Vec3;
using sim::kernel::cross_matrix;

/// ∂(f/|f|)/∂f
Mat3 unit_derivative(const Vec3& f) {
  const Vec3 n = f.normalized();
  return (Mat3::Identity() - n * n.transpose()) / f.norm();
}

TurnedOffset turn_across_line(const Vec3& o, const Vec3& t, const Vec3& f) {
  const Vec3 n = f.normalized();
  // Bounded where the line is turned back: n·o vanishes like √(1 + n·t).
  const double part = std::max(1 + n.dot(t), std::numeric_limits<double>::min());
  const double share = n.dot(o) / part;
  const Mat3 by_n = -(t + n) * (o - share * t).transpose() / part - share * Mat3::Identity();
  return {o - share * (t + n), {by_n * unit_derivative(f)}};
}

TurnedOffset turn_across_plane(const Vec3& o, const Points& before, const Points& after) {
  const Vec3 f = after.col(0), g = after.col(1), area = f.cross(g);
  const double height = o.dot(Vec3(before.col(0)).cross(Vec3(before.col(1))));
  const Mat3 by_area = height * unit_derivative(area);
  return {height * area.normalized(), {-by_area * cross_matrix(g), by_area * cross_matrix(f)}};
}

}  // namespace

TurnedOffset turn_offset(const Vec3& offset, const Points& before, const Points& after) {
  if (before.cols() == 1) return turn_across_line(offset, before.col(0), after.col(0));
  if (before.cols() == 2) return turn_across_plane(offset, before, after);
  return {offset, std::vector<Mat3>(static_cast<std::size_t>(before.cols()), Mat3::Zero())};
}

}  // namespace pithball::optim
