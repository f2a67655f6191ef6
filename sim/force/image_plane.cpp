#include "sim/force/image_plane.hpp"

#include <algorithm>
#include <cmath>

#include "sim/core/text.hpp"
#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/force/charge_rows.hpp"
#include "sim/force/closest_approach.hpp"

namespace pithball::sim {
namespace {

/// u = −k_c/r between a charge and the mirror images of all charges.
struct ImageLaw {
  static constexpr bool feels_itself = true;
  Vec3 point, normal;
  double factor;

  Vec3 turned(const Vec3& d) const { return d - 2 * normal.dot(d) * normal; }
  Vec3 separation(const Vec3& xi, const Vec3& xj) const { return xi - xj + 2 * normal.dot(xj - point) * normal; }
  PairLaw at(double r2) const {
    const double u = -factor * coulomb_constant / std::sqrt(r2);
    return {u, u / r2, -3 * u / (r2 * r2)};
  }
};

/// f += factor · F of a conductor. The images are further points of a sum over pairs in which only they act.
void add_image_force(const ImageLaw& law, const Points& x, const Vector& q, double factor, Points& f) {
  const std::vector<Index> charged = charged_particles(q);
  const auto n = static_cast<Index>(charged.size());
  Points both(3, 2 * n), field = Points::Zero(3, 2 * n);
  Vector acting = Vector::Zero(2 * n);
  for (Index k = 0; k < n; ++k) {
    const Vec3 place = x.col(charged[k]);
    both.col(k) = place;
    both.col(n + k) = place - law.separation(place, place);
    acting[n + k] = -q[charged[k]];
  }
  DirectCoulombSum().make_plan(both)->evaluate({.charge = &acting}, {.field = &field});
  for (Index k = 0; k < n; ++k) f.col(charged[k]) += factor * q[charged[k]] * field.col(k);
}

}  // namespace

std::vector<std::shared_ptr<ForceTerm>> ImagePlane::make(Settings& settings) {
  const Vec3 point = settings.vector("point", "m", "a point of the plane", Vec3(Vec3::Zero()));
  const Vec3 normal =
      settings.vector("normal", "", "direction from the plane to the charges; any length > 0", Vec3(0, 0, 1));
  const double strength = settings.number(
      "strength", "", "share of each image charge: 1 for a conductor, (ε − 1)/(ε + 1) for a dielectric", 1.0);
  if (!(normal.norm() > 0)) settings.reject("normal", "must have a direction", "[0, 0, 0]", "write [0, 0, 1]");
  return {std::make_shared<ImagePlane>(point, normal, strength)};
}

std::vector<std::string> ImagePlane::idle_places(const Vec3& low, const Vec3& high) {
  std::vector<std::string> places;
  if (!(low.array() <= high.array()).all()) return places;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0})
      for (const double part : {0.05, 0.1, 0.2, 0.4, 0.8}) {
        Vec3 point = Vec3::Zero(), normal = Vec3::Zero();
        point[axis] = (side < 0 ? low : high)[axis] + side * part * (high - low).norm();
        normal[axis] = -side;
        places.push_back(formatted("{point: [%.4g, %.4g, %.4g], normal: [%g, %g, %g], strength: 0}", point[0], point[1],
                                   point[2], normal[0], normal[1], normal[2]));
      }
  return places;
}

const ForceTraits& ImagePlane::traits() const {
  static const ForceTraits traits{.name = "image_plane", .energy = EnergyKind::Coulomb};
  return traits;
}

void ImagePlane::declare(const Topology&, Values& values) {
  block_ = values.add({"image_plane_strength", "", ValueOwner::Term, ValueSign::Any, ValueScaling::Invariant},
                      Vector::Constant(1, strength_));
}

Index ImagePlane::behind(const Vector& charge, const Points& x) const {
  for (const Index i : charged_particles(charge))
    if (!(height(x.col(i)) > 0)) return i;
  return -1;
}

void ImagePlane::validate(const Model& model, const State& s) const {
  require_few_charges("image_plane", charged_particles(model.charge()).size(), "leave the plane out");
  if (const Index i = behind(model.charge(), s.x); i >= 0)
    throw InvalidArgument({"", "forces.image_plane", "needs every charge in front of the plane",
                           "particle " + std::to_string(i) + " at the height " + to_text(height(s.x.col(i))) + " m",
                           "move it, or the plane's `point`, or turn the `normal` around"});
}

void ImagePlane::add_force(const Model& model, const State& s, Points& f) const {
  const double strength = model.values()[block_][0];
  if (strength == 0) return;  // no image charges, so any side is allowed
  const Vector q = model.charge();
  const ImageLaw law{point_, normal_, 1};
  add_image_force(law, s.x, q, strength, f);
  // The law does not hold for a charge that has passed through the plane: NaN ends the run as diverged.
  if (const Index i = behind(q, s.x); i >= 0) f.col(i).setConstant(std::numeric_limits<double>::quiet_NaN());
}

std::optional<double> ImagePlane::energy(const Model& model, const State& s) const {
  if (model.values()[block_][0] == 0) return 0.0;
  if (behind(model.charge(), s.x) >= 0) return std::numeric_limits<double>::quiet_NaN();
  const Vector q = model.charge();
  const ImageLaw law{point_, normal_, 1};
  return model.values()[block_][0] * ChargeRows(law, s.x, q).energy();
}

void ImagePlane::add_jvp(const Model& model, const State& s, const Variation& d, Points& df) const {
  const Values& values = model.values();
  Panel change = Panel::Zero(1, df.size());
  add_changes(model, s, one_row(d.x), values.of(d.values, Model::charge_block).transpose().array(),
              values.of(d.values, block_), change);
  df += points_of(change, 0);
}

void ImagePlane::add_jvps(const Model& model, const State& s, const Directions& d, Panel& df) const {
  const ValueBlock& charge = model.values().block(Model::charge_block);
  const Panel& panel = d.values->panel;
  add_changes(model, s, d.x, panel.middleCols(charge.offset, charge.size),
              panel.col(model.values().block(block_).offset), df);
}

void ImagePlane::add_changes(const Model& model, const State& s, const Panel& dx, const Eigen::Ref<const Panel>& dq,
                             const Vector& by, Panel& df) const {
  const double strength = model.values()[block_][0];
  if (strength == 0 && by.isZero(0)) return;
  const Vector q = model.charge();
  const ImageLaw law{point_, normal_, strength};
  if (strength != 0) ChargeRows(law, s.x, q).add_changes(dx, dq, df);
  if (by.isZero(0)) return;
  Points force = Points::Zero(3, q.size());
  add_image_force({point_, normal_, 1}, s.x, q, 1, force);
  for (Index p = 0; p < by.size(); ++p) add_points(df, p, by[p] * force);
}

void ImagePlane::add_vjp(const Model& model, const State& s, const Points& w, Variation& g) const {
  const Values& values = model.values();
  const Vector q = model.charge();
  const ImageLaw law{point_, normal_, values[block_][0]}, whole{point_, normal_, 1};
  if (law.factor != 0) ChargeRows(law, s.x, q).add_adjoint(w, g.x, values.of(g.values, Model::charge_block));
  Points force = Points::Zero(3, s.x.cols());
  add_image_force(whole, s.x, q, 1, force);
  values.of(g.values, block_)[0] += w.cwiseProduct(force).sum();
}

double ImagePlane::shortest_time(const Model& model, const State& s, const Points& a) const {
  double shortest = std::numeric_limits<double>::infinity();
  for (const Index i : charged_particles(model.charge()))
    if (!model.is_held(i))
      shortest = std::min(shortest, crossing_time(std::max(0.0, height(s.x.col(i))), std::abs(normal_.dot(s.v.col(i))),
                                                  std::abs(normal_.dot(a.col(i)))));
  return shortest;
}

void ImagePlane::add_field(const Model& model, const SourceCharges& sources, const Points& at,
                           ChargeField& field) const {
  const double strength = model.values()[block_][0];
  if (strength == 0) return;  // no image charges, so any side is allowed
  const bool valid = behind(sources.charge, sources.x) < 0;
  const ImageLaw law{point_, normal_, 1};
  if (valid) ChargeRows(law, sources.x, sources.charge).add_field(strength, at, field);
  // Rounding of the coordinates and of the height may place a point of the plane behind the plane.
  const double rounding = 4 * std::numeric_limits<double>::epsilon();
  for (Index k = 0; k < at.cols(); ++k)
    if (!valid || height(at.col(k)) < -rounding * (at.col(k).norm() + point_.norm())) field.clear(k);
}

}  // namespace pithball::sim
