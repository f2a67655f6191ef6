#include "sim/force/hinge_bending.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <map>
#include <utility>

#include "sim/core/error.hpp"
#include "sim/core/surface.hpp"
#include "sim/kernel/rotation.hpp"
#include "sim/model/model.hpp"

namespace pithball::sim {
namespace {

using Corners4 = BendingForce<4>::Places;
using Matrix12 = BendingForce<4>::Matrix;

using kernel::cross_matrix;

/// The contribution of one triangle a, b, c to the angle at its edge a, b as it turns about that edge.
struct Leaf {
  Vec3 e, f, n;          // b − a, c − a and e × f
  double length, along;  // |e|, and the distance from a to the foot of c on the edge
  Vec3 p;                // n/|n|²
  Vec3 share;            // α for a, b, c: the gradient is α p

  Leaf(const Vec3& a, const Vec3& b, const Vec3& c) : e(b - a), f(c - a), n(e.cross(f)) {
    length = e.norm();
    along = f.dot(e) / length;
    p = n / n.squaredNorm();
    share = {length - along, along, -length};
  }

  double area() const { return n.norm() / 2; }
  /// Returns ∂θ/∂x along the normal, for a, b, c.
  Vec3 lever() const { return share / n.norm(); }
  Mat3 gradient() const { return p * share.transpose(); }  // a column for each corner

  /// Returns the derivative of `gradient` by a, b, c.
  Eigen::Matrix<double, 9, 9> jacobian() const {
    const Vec3 unit = e / length, along_by_e = (f - along * unit) / length;
    const Mat3 by_n = (Mat3::Identity() - 2 * n * n.transpose() / n.squaredNorm()) / n.squaredNorm();
    const Mat3 p_by_e = -by_n * cross_matrix(f), p_by_f = by_n * cross_matrix(e);
    Mat3 share_by_e, share_by_f;  // a column for each corner
    share_by_e << unit - along_by_e, along_by_e, -unit;
    share_by_f << -unit, unit, Vec3::Zero();
    Eigen::Matrix<double, 9, 9> J;
    for (int r = 0; r < 3; ++r) {
      const Mat3 by_e = p * share_by_e.col(r).transpose() + share[r] * p_by_e;
      const Mat3 by_f = p * share_by_f.col(r).transpose() + share[r] * p_by_f;
      J.middleRows<3>(3 * r) << -by_e - by_f, by_e, by_f;
    }
    return J;
  }
};

/// Two triangles x₀ x₁ x₂ and x₁ x₀ x₃.
struct Hinge {
  Leaf first, second;
  explicit Hinge(const Corners4& x) : first(x.col(0), x.col(1), x.col(2)), second(x.col(0), x.col(1), x.col(3)) {}

  bool is_defined() const { return first.area() > 0 && second.area() > 0; }

  /// Returns the angle about the edge from the normal of the first triangle to that of the second, in (−π, π].
  double angle() const {
    return std::atan2(-first.e.dot(first.n.cross(second.n)) / first.length, -first.n.dot(second.n));
  }

  Corners4 gradient() const {
    const Mat3 one = first.gradient(), other = second.gradient();
    return (Corners4() << one.leftCols<2>() - other.leftCols<2>(), one.col(2), -other.col(2)).finished();
  }

  Matrix12 hessian() const {
    const std::array<int, 3> of_first{0, 1, 2}, of_second{0, 1, 3};
    const Eigen::Matrix<double, 9, 9> one = first.jacobian(), other = second.jacobian();
    Matrix12 H = Matrix12::Zero();
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) {
        H.block<3, 3>(3 * of_first[r], 3 * of_first[c]) += one.block<3, 3>(3 * r, 3 * c);
        H.block<3, 3>(3 * of_second[r], 3 * of_second[c]) -= other.block<3, 3>(3 * r, 3 * c);
      }
    return (H + H.transpose()) / 2;  // symmetric except for rounding
  }
};

/// Returns θ − θ₀, the shorter way around.
double bent(double angle, double rest) { return std::remainder(angle - rest, 2 * M_PI); }

/// Returns the common edge and the opposite corners of each pair of adjacent triangles.
std::vector<std::array<Index, 4>> hinges(const std::vector<std::array<Index, 3>>& triangles) {
  std::map<std::pair<Index, Index>, std::vector<Index>> opposite;
  for (const auto& corner : triangles)
    for (int k = 0; k < 3; ++k) opposite[std::minmax(corner[k], corner[(k + 1) % 3])].push_back(corner[(k + 2) % 3]);
  std::vector<std::array<Index, 4>> found;
  for (const auto& [edge, corners] : opposite) {
    if (corners.size() > 2)
      throw InvalidArgument({"", "forces.hinge_bending", "needs a surface whose edges have at most two triangles",
                             std::to_string(corners.size()) + " at the edge of particles " +
                                 std::to_string(edge.first) + " and " + std::to_string(edge.second),
                             "remove one of the faces"});
    if (corners.size() == 2) found.push_back({edge.first, edge.second, corners[0], corners[1]});
  }
  return found;
}

std::vector<BendingForce<4>::Angle> angles_of(const Surface& drawn, bool rests_flat) {
  std::vector<BendingForce<4>::Angle> angles;
  for (const auto& particles : hinges(drawn.triangles)) {
    const Hinge hinge(drawn.vertices(Eigen::all, particles));
    if (!hinge.is_defined())
      throw InvalidArgument(
          {"", "forces.hinge_bending", "needs faces with an area",
           "none at the edge of particles " + std::to_string(particles[0]) + " and " + std::to_string(particles[1]),
           "remove the face"});
    const double weight = hinge.first.length * hinge.first.length / (hinge.first.area() + hinge.second.area());
    const Vec3 one = hinge.first.lever(), other = hinge.second.lever();
    angles.push_back({particles, weight, rests_flat ? 0 : hinge.angle(),
                      Eigen::Vector4d(one[0] + other[0], one[1] + other[1], one[2], other[2])});
  }
  return angles;
}

}  // namespace

HingeBending::HingeBending(double stiffness, const Polygons& drawn, bool rests_flat)
    : BendingForce(stiffness, "N m", angles_of(triangulated(drawn), rests_flat)) {}

std::vector<std::shared_ptr<ForceTerm>> HingeBending::make(Settings& settings) {
  const double stiffness = settings.number("stiffness", "N m", "flexural rigidity D = E h³/(12 (1 − ν²)) of the plate");
  const std::string shape =
      settings.choice("rest_shape", {"drawn", "flat"}, "shape without force: as drawn, or flat", "drawn");
  return settings.located("", [&] {
    auto force = std::make_shared<HingeBending>(stiffness, settings.body(), shape == "flat");
    if (force->angles().empty() && !settings.describing())
      settings.reject("", "needs a mesh with two faces at an edge", "none",
                      "use a shape that is a surface, like cloth");
    return std::vector<std::shared_ptr<ForceTerm>>{force};
  });
}

const ForceTraits& HingeBending::traits() const {
  static const ForceTraits traits{.name = "hinge_bending", .energy = EnergyKind::Elastic, .partners = Partners::Listed};
  return traits;
}

std::shared_ptr<ForceTerm> HingeBending::with_particles(const std::vector<ParticleOrigin>& origins) const {
  auto copy = std::make_shared<HingeBending>(*this);
  copy->renumber(origins);
  return copy;
}

double HingeBending::energy_of(const Angle& angle, const Places& x) const {
  const double by = bent(Hinge(x).angle(), angle.rest);
  return by * by / 2;
}

HingeBending::Places HingeBending::gradient_of(const Angle& angle, const Places& x) const {
  const Hinge hinge(x);
  return bent(hinge.angle(), angle.rest) * hinge.gradient();
}

HingeBending::Matrix HingeBending::hessian_of(const Angle& angle, const Places& x) const {
  const Hinge hinge(x);
  const Places gradient = hinge.gradient();
  return gradient.reshaped() * gradient.reshaped().transpose() + bent(hinge.angle(), angle.rest) * hinge.hessian();
}

bool HingeBending::is_defined(const Angle&, const Places& x) const { return Hinge(x).is_defined(); }

}  // namespace pithball::sim
