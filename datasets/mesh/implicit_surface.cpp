#include "datasets/mesh/implicit_surface.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

/// Approximate signed distance to one part, and its derivative.
struct Distance {
  double value;
  Vec3 gradient;
};

Eigen::Matrix3d turn(const Ellipsoid& e) { return Eigen::AngleAxisd(e.angle, e.axis.normalized()).toRotationMatrix(); }

Distance distance_to(const Ellipsoid& e, const Vec3& x) {
  // z = Rᵀ(x − c), y = A⁻¹z, k = |y|, l = |A⁻¹y|: d = (k − 1)/|∇k| = k (k − 1)/l, as ∇k = A⁻¹y/k.
  const Eigen::Matrix3d rotation = turn(e);
  const Vec3 y = (rotation.transpose() * (x - e.center)).cwiseQuotient(e.radii);
  const Vec3 w = y.cwiseQuotient(e.radii);
  const double k = y.norm(), l = w.norm();
  if (l == 0) return {-e.radii.minCoeff(), Vec3::Zero()};
  // l ∇l = A⁻²w
  const Vec3 slope = (2 * k - 1) / (k * l) * w - k * (k - 1) / (l * l * l) * w.cwiseQuotient(e.radii.cwiseAbs2());
  return {k * (k - 1) / l, rotation * slope};
}

Distance distance_to(const Limb& limb, const Vec3& x) {
  const Vec3 line = limb.to - limb.from;
  const double along = (x - limb.from).dot(line) / line.squaredNorm();
  const double t = std::clamp(along, 0.0, 1.0), widening = limb.radius_to - limb.radius_from;
  const Vec3 across = x - limb.from - t * line;
  const double r = across.norm();
  Vec3 slope = r > 0 ? Vec3(across / r) : Vec3(Vec3::Zero());
  if (t == along) slope -= widening / line.squaredNorm() * line;
  return {r - (limb.radius_from + t * widening), slope};
}

Distance distance_to(const BodyPart& part, const Vec3& x) {
  return std::visit([&](const auto& form) { return distance_to(form, x); }, part.form);
}

void require(bool holds, const std::string& part, const char* required) {
  if (!holds) throw InvalidArgument({"", part, required, "", "correct the part"});
}

void check(const Ellipsoid& e, const std::string& name) {
  require(e.center.allFinite() && std::isfinite(e.angle), name, "must have a finite center and angle");
  require(e.radii.allFinite() && e.radii.minCoeff() > 0, name, "must have three finite radii > 0");
  require(e.axis.allFinite() && e.axis.norm() > 0, name, "must have a finite axis other than 0");
}

void check(const Limb& limb, const std::string& name) {
  require(limb.from.allFinite() && limb.to.allFinite(), name, "must have finite ends");
  require(limb.from != limb.to, name, "must have two different ends");
  require(
      std::isfinite(limb.radius_from) && std::isfinite(limb.radius_to) && limb.radius_from > 0 && limb.radius_to > 0,
      name, "must have finite radii > 0");
}

Eigen::AlignedBox3d box_of(const Ellipsoid& e) {
  // The support of an ellipsoid along a unit vector u is |A Rᵀu|.
  const Vec3 reach = (e.radii.asDiagonal() * turn(e).transpose()).colwise().norm().transpose();
  return {e.center - reach, e.center + reach};
}

Eigen::AlignedBox3d box_of(const Limb& limb) {
  const Vec3 r0 = Vec3::Constant(limb.radius_from), r1 = Vec3::Constant(limb.radius_to);
  Eigen::AlignedBox3d box(limb.from - r0, limb.from + r0);
  return box.extend(Eigen::AlignedBox3d(limb.to - r1, limb.to + r1));
}

double least_radius_of(const Ellipsoid& e) { return e.radii.minCoeff(); }

double least_radius_of(const Limb& limb) { return std::min(limb.radius_from, limb.radius_to); }

double area_of(const Ellipsoid& e) { return e.radii.prod() / e.radii.minCoeff(); }

double area_of(const Limb& limb) {
  const double widest = std::max(limb.radius_from, limb.radius_to);
  return widest * ((limb.to - limb.from).norm() + widest);
}

}  // namespace

ImplicitSurface::ImplicitSurface(std::vector<BodyPart> parts, double blend) : parts_(std::move(parts)), blend_(blend) {
  require(!parts_.empty(), "parts", "must name at least one part");
  require(std::isfinite(blend) && blend > 0, "blend", "must be finite and > 0");
  for (const BodyPart& part : parts_) std::visit([&](const auto& form) { check(form, part.name); }, part.form);
}

double ImplicitSurface::value(const Vec3& x) const {
  // The smallest distance is factored out of the sum, so that no exponential overflows.
  Eigen::VectorXd d(static_cast<Index>(parts_.size()));
  for (Index i = 0; i < d.size(); ++i) d[i] = distance_to(parts_[i], x).value;
  const double least = d.minCoeff();
  return least - blend_ * std::log(((least - d.array()) / blend_).exp().sum());
}

Vec3 ImplicitSurface::gradient(const Vec3& x) const {
  // ∂f/∂x = Σ w_i ∂d_i/∂x with the weights w_i = exp(−d_i/b) / Σ_j exp(−d_j/b) = exp((f − d_i)/b).
  const double f = value(x);
  Vec3 sum = Vec3::Zero();
  for (const BodyPart& part : parts_) {
    const Distance d = distance_to(part, x);
    sum += std::exp((f - d.value) / blend_) * d.gradient;
  }
  return sum;
}

std::size_t ImplicitSurface::nearest_part(const Vec3& x) const {
  std::size_t nearest = 0;
  double least = distance_to(parts_[0], x).value;
  for (std::size_t i = 1; i < parts_.size(); ++i)
    if (const double d = distance_to(parts_[i], x).value; d < least) {
      least = d;
      nearest = i;
    }
  return nearest;
}

Eigen::Matrix<double, 3, 2> ImplicitSurface::box() const {
  Eigen::Matrix<double, 3, 2> corners = box(0);
  for (std::size_t part = 1; part < parts_.size(); ++part) {
    const Eigen::Matrix<double, 3, 2> more = box(part);
    corners.col(0) = corners.col(0).cwiseMin(more.col(0));
    corners.col(1) = corners.col(1).cwiseMax(more.col(1));
  }
  return corners;
}

Eigen::Matrix<double, 3, 2> ImplicitSurface::box(std::size_t part) const {
  const Eigen::AlignedBox3d box = std::visit([](const auto& form) { return box_of(form); }, parts_[part].form);
  // f ≥ min d − b log n: blending expands the union by at most b log n (doubled here, as d is exact only to first order
  // for an ellipsoid).
  const Vec3 margin = Vec3::Constant(2 * blend_ * std::log(parts_.size()));
  Eigen::Matrix<double, 3, 2> corners;
  corners << box.min() - margin, box.max() + margin;
  return corners;
}

double ImplicitSurface::least_radius(std::size_t part) const {
  return std::visit([](const auto& form) { return least_radius_of(form); }, parts_[part].form);
}

double ImplicitSurface::thinness(std::size_t part) const {
  const double radius = least_radius(part);
  return std::visit([](const auto& form) { return area_of(form); }, parts_[part].form) / radius / radius;
}

Vec3 ImplicitSurface::projected(Vec3 x) const {
  for (int iteration = 0; iteration < 20; ++iteration) {
    const double f = value(x);
    const Vec3 slope = gradient(x);
    if (slope.squaredNorm() == 0) break;
    const Vec3 step = f / slope.squaredNorm() * slope;
    x -= step;
    if (step.norm() <= 1e-14 * x.norm()) break;
  }
  return x;
}

namespace {

constexpr double degree = std::numbers::pi / 180;

/// Returns the mirror image of the part about the plane y = 0.
Ellipsoid mirrored(const Ellipsoid& e) {
  const Vec3 flip(1, -1, 1);
  // A reflection flips the component of an axis vector within its plane, and keeps the component along its normal.
  return {e.center.cwiseProduct(flip), e.radii, -e.axis.cwiseProduct(flip), e.angle};
}

Limb mirrored(const Limb& l) {
  const Vec3 flip(1, -1, 1);
  return {l.from.cwiseProduct(flip), l.to.cwiseProduct(flip), l.radius_from, l.radius_to};
}

template <class Form>
void add_pair(std::vector<BodyPart>& parts, const std::string& name, const Form& left) {
  parts.push_back({"left_" + name, left});
  parts.push_back({"right_" + name, mirrored(left)});
}

}  // namespace

ImplicitSurface duck_surface() {
  std::vector<BodyPart> parts{
      {"body", Ellipsoid{Vec3(0, 0, 0), Vec3(1.05, 0.72, 0.58)}},
      {"neck", Limb{Vec3(0.58, 0, 0.25), Vec3(0.68, 0, 0.8), 0.40, 0.34}},
      {"head", Ellipsoid{Vec3(0.74, 0, 1.02), Vec3(0.47, 0.43, 0.43)}},
      {"bill", Ellipsoid{Vec3(1.24, 0, 0.92), Vec3(0.34, 0.27, 0.11), Vec3::UnitY(), 8 * degree}},
      {"tail", Limb{Vec3(-0.78, 0, 0.18), Vec3(-1.25, 0, 0.62), 0.34, 0.12}},
  };
  add_pair(parts, "wing", Ellipsoid{Vec3(-0.15, 0.66, 0.14), Vec3(0.56, 0.17, 0.30), Vec3::UnitY(), 12 * degree});
  return {std::move(parts), 0.05};
}

ImplicitSurface bunny_surface() {
  std::vector<BodyPart> parts{
      {"body", Ellipsoid{Vec3(0, 0, 0), Vec3(0.82, 0.58, 0.62), Vec3::UnitY(), -15 * degree}},
      {"body", Ellipsoid{Vec3(0.46, 0, 0.12), Vec3(0.40, 0.40, 0.50)}},
      {"head", Ellipsoid{Vec3(0.80, 0, 0.80), Vec3(0.42, 0.36, 0.36)}},
      {"head", Ellipsoid{Vec3(1.12, 0, 0.70), Vec3(0.20, 0.20, 0.17)}},
      {"tail", Ellipsoid{Vec3(-0.90, 0, -0.20), Vec3(0.22, 0.22, 0.22)}},
  };
  add_pair(parts, "ear", Limb{Vec3(0.66, 0.17, 1.08), Vec3(0.22, 0.34, 1.92), 0.13, 0.15});
  add_pair(parts, "hind_leg", Ellipsoid{Vec3(-0.28, 0.44, -0.22), Vec3(0.46, 0.26, 0.40)});
  add_pair(parts, "hind_leg", Limb{Vec3(-0.25, 0.46, -0.58), Vec3(0.30, 0.50, -0.58), 0.16, 0.14});
  add_pair(parts, "foreleg", Limb{Vec3(0.62, 0.22, -0.10), Vec3(0.80, 0.24, -0.58), 0.17, 0.14});
  return {std::move(parts), 0.05};
}

}  // namespace pithball::datasets
