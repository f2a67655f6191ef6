#include "sim/coulomb/fmm/expansion.hpp"

#include <numeric>
#include <random>

#include "datasets/mesh/point_set.hpp"
#include "sim/coulomb/coulomb_registry.hpp"
#include "sim/force/coulomb_force.hpp"
#include "sim/model/model.hpp"
#include "tests/sim/coulomb/direct_cases.hpp"
#include "tests/sim/coulomb/ordered_charges.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;
using direct_cases::relative_error;

namespace {

/// 113 bits of mantissa: far away, a quadrupole has 1e-12 of the field of its charges.
__extension__ using Quad = __float128;

Quad square_root(Quad a) {
  Quad root = std::sqrt(static_cast<double>(a));
  for (int k = 0; k < 2; ++k) root = (root + a / root) / 2;
  return root;
}

/// Field and potential of charges q at x, at the points `at`, in quadruple precision.
std::pair<Points, Vector> exact_field(const Points& x, const Vector& q, const Points& at) {
  std::pair<Points, Vector> exact(Points(3, at.cols()), Vector(at.cols()));
  for (Index k = 0; k < at.cols(); ++k) {
    Quad e[3] = {}, phi = 0;
    for (Index j = 0; j < q.size(); ++j) {
      Quad r[3], r2 = 0;
      for (int a = 0; a < 3; ++a) {
        r[a] = static_cast<Quad>(at(a, k)) - static_cast<Quad>(x(a, j));
        r2 += r[a] * r[a];
      }
      const Quad inverse = 1 / square_root(r2), potential = static_cast<Quad>(q[j]) * inverse;
      phi += potential;
      for (int a = 0; a < 3; ++a) e[a] += potential * inverse * inverse * r[a];
    }
    for (int a = 0; a < 3; ++a) exact.first(a, k) = static_cast<double>(coulomb_constant * e[a]);
    exact.second[k] = static_cast<double>(coulomb_constant * phi);
  }
  return exact;
}

using Body = tests::OrderedCharges;

/// Charges in a ball of radius 1, away from the origin of coordinates.
std::vector<Body> bodies(Index n) {
  const Points half = datasets::make_point_set("cube", n / 4) / std::sqrt(3.0);
  const Index m = half.cols();
  Points x(3, 4 * m);
  x << half, -half, half, -half;
  x.rightCols(2 * m).row(0).swap(x.rightCols(2 * m).row(2));  // a mirror image
  Vector one = Vector::Constant(4 * m, 1e-9), dipole = one, quadrupole = one;
  for (Index i = 0; i < m; ++i) dipole[i + m] = dipole[i + 2 * m] = -1e-9;
  quadrupole.tail(2 * m).setConstant(-1e-9);
  const Vec3 center(0.25, -0.5, 2);  // sums of it with the coordinates above are rounded: small true dipoles remain
  x.colwise() += center;
  const Vector mixed = datasets::make_charges("mixed", 4 * m) * 1e-3,
               neutral = datasets::make_charges("neutral", 4 * m);
  return {{"one sign", x, one},
          {"mixed", x, mixed},
          {"neutral", x, neutral},
          {"dipole", x, dipole},
          {"quadrupole", x, quadrupole}};
}

/// Points at a distance from the center, in all directions.
Points ring(double radius, Index count) {
  Points at = datasets::make_point_set("sphere", count) * radius;
  at.colwise() += Vec3(0.25, -0.5, 2);
  return at;
}

/// What the command `field` computes.
ChargeField field_of(const Body& body, const std::string& method, double tolerance, const Points& at) {
  const CoulombForce force(tests::sum_of(method, tolerance));
  const Model model({.particles = body.q.size(), .springs = {}, .held = {}}, Vector::Ones(body.q.size()), body.q, {});
  ChargeField field = ChargeField::zero(at.cols());
  force.as<ActsOnTestCharge>()->add_field(model, {0, body.x, body.q}, at, field);
  return field;
}

}  // namespace

TEST_CASE("field: keeps the tolerance at any distance from any body, with every method", "[sim][coulomb][fmm]") {
  for (const Body& body : bodies(3000))
    for (const double radius : {0.1, 0.5, 1.05, 1.5, 2.5, 4.0, 10.0, 1e3, 1e6}) {
      const Points at = ring(radius, 40);
      const auto [e, phi] = exact_field(body.x, body.q, at);
      for (const CoulombMethod& method : coulomb_methods())
        for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
          if (method.name == "ddef" && radius < 4) continue;  // promises nothing near by
          CAPTURE(body.name, radius, method.name, tolerance);
          const ChargeField got = field_of(body, method.name, tolerance, at);
          CHECK(relative_error(got.field, e) <= tolerance);
          CHECK(relative_error(got.potential, phi) <= tolerance);
        }
    }
}

TEST_CASE("field: knows no scale of length or charge", "[sim][coulomb][fmm]") {
  for (const double length : {1e-9, 1e9})
    for (const double charge : {1e-12, 1e12})
      for (const double radius : {1.5, 10.0, 1e6}) {
        Body body = bodies(3000)[3];
        body.x *= length;
        body.q *= charge;
        const Points at = ring(radius, 40) * length;
        CAPTURE(length, charge, radius);
        CHECK(relative_error(field_of(body, "fmm", 1e-6, at).field, exact_field(body.x, body.q, at).first) <= 1e-6);
      }
}

TEST_CASE("field: near and far points of one question get what each alone would", "[sim][coulomb][fmm]") {
  const Body body = bodies(3000)[2];
  Points at(3, 120);
  at << ring(1.2, 40), ring(1e4, 40), ring(0.7, 40);
  const auto [e, phi] = exact_field(body.x, body.q, at);
  const ChargeField got = field_of(body, "fmm", 1e-6, at);
  CHECK(relative_error(got.field, e) <= 1e-6);
  CHECK(relative_error(got.field.middleCols(40, 40), e.middleCols(40, 40)) <= 1e-6);
}

TEST_CASE("field: softening keeps its part at every distance", "[sim][coulomb][fmm]") {
  const Body body = bodies(1200)[2];
  for (const double softening : {1e-3, 0.1, 2.0})
    for (const double radius : {1.5, 10.0, 1e3, 1e5}) {
      const Points at = ring(radius, 20);
      Points e = Points::Zero(3, at.cols());
      for (Index k = 0; k < at.cols(); ++k) {
        long double sum[3] = {};
        for (Index j = 0; j < body.q.size(); ++j) {
          long double r[3], r2 = static_cast<long double>(softening) * softening;
          for (int a = 0; a < 3; ++a) {
            r[a] = static_cast<long double>(at(a, k)) - body.x(a, j);
            r2 += r[a] * r[a];
          }
          for (int a = 0; a < 3; ++a) sum[a] += body.q[j] * r[a] / (r2 * std::sqrt(r2));
        }
        for (int a = 0; a < 3; ++a) e(a, k) = coulomb_constant * static_cast<double>(sum[a]);
      }
      const CoulombForce force(tests::sum_of("fmm", 1e-6, softening), softening);
      const Model model({.particles = body.q.size(), .springs = {}, .held = {}}, Vector::Ones(body.q.size()), body.q,
                        {});
      ChargeField got = ChargeField::zero(at.cols());
      force.as<ActsOnTestCharge>()->add_field(model, {0, body.x, body.q}, at, got);
      CAPTURE(softening, radius);
      CHECK(relative_error(got.field, e) <= 1e-6);
    }
}

TEST_CASE("outer expansion: takes points outside and leaves the others", "[sim][coulomb][fmm]") {
  for (const Body& body : bodies(400)) {
    const fmm::OuterExpansion outer(body.x, body.q, 0);
    for (const double radius : {0.0, 0.9, 4.0, 1e8}) {
      const Points at = ring(radius, 10);
      Points field = Points::Zero(3, at.cols());
      Vector potential = Vector::Zero(at.cols());
      const std::vector<Index> rest = outer.add(at, field, potential);
      CAPTURE(body.name, radius);
      CHECK(rest.size() == (radius < 1 ? static_cast<std::size_t>(at.cols()) : 0));
      if (!rest.empty()) CHECK(field.norm() == 0);
    }
  }
  Points at = ring(10, 1), field = Points::Zero(3, 1);
  Vector potential = Vector::Zero(1);
  CHECK(fmm::OuterExpansion(Points::Zero(3, 1), Vector::Ones(1), 0).add(at, field, potential).size() == 1);
  at.setConstant(std::nan(""));
  CHECK(fmm::OuterExpansion(bodies(400)[0].x, bodies(400)[0].q, 0).add(at, field, potential).size() == 1);
}
