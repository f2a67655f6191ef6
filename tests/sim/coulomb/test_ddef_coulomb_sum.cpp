#include <Eigen/Geometry>
#include <Eigen/LU>
#include <limits>
#include <tuple>

#include "sim/core/error.hpp"
#include "sim/coulomb/ddef/ddef_coulomb_sum.hpp"
#include "sim/coulomb/ddef/ddef_structure.hpp"
#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/kernel/coulomb.hpp"
#include "tests/sim/coulomb/direct_cases.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_limit.hpp"

using namespace pithball::sim;
using direct_cases::Cloud;
using direct_cases::relative_error;
using direct_cases::Sums;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Few grid points for many charges: cells with many points, with one, and with neighbors on all sides.
std::vector<DdefOptions> all_options(Index points = 30) {
  std::vector<DdefOptions> all;
  for (auto variant : {DdefVariant::PaperText, DdefVariant::PaperAlgorithm, DdefVariant::Consistent})
    for (auto far_field : {DdefFarField::Interpolate, DdefFarField::Ignore})
      all.push_back({points, variant, far_field});
  return all;
}

std::shared_ptr<const DdefStructure> structure_of(const DdefCoulombSum& sum, const Points& x) {
  return std::dynamic_pointer_cast<const DdefStructure>(sum.make_structure(x));
}

Points forces(const CoulombSum& sum, std::shared_ptr<const CoulombSum::Structure> structure, const Points& x,
              const Vector& q) {
  Points e = Points::Zero(3, x.cols());
  sum.make_plan(x, std::move(structure))->evaluate({.charge = &q}, {.field = &e});
  return e * q.asDiagonal();
}

/// The definition, pair by pair, given nothing but the grid's vertices and the four around each point.
Sums by_definition(const Cloud& c, bool charges, bool dipoles, const DdefStructure& s, const DdefOptions& options,
                   double softening) {
  const auto corners = [&](Index i) { return s.corners(s.cell_of_point(i)); };
  const auto has = [](const std::array<Index, 4>& set, Index k) { return std::count(set.begin(), set.end(), k) > 0; };
  const auto near = [&](Index i, Index j) {
    int shared = 0;
    for (const Index k : corners(i)) shared += has(corners(j), k);
    return options.variant == DdefVariant::PaperText ? shared == 4 : shared > 0;
  };
  using Everything = Eigen::Matrix<double, 3, 5>;  // field, potential (first row), gradient
  const auto pair = [&](const Vec3& at, Index j) {
    const Vec3 r = at - c.x.col(j), p = c.p.col(j);
    Everything sum = Everything::Zero();
    if (charges) {
      sum.col(0) += kernel::coulomb_force<double>(1, c.q[j], r, softening);
      sum(0, 1) += kernel::coulomb_energy<double>(1, c.q[j], r, softening);
      for (int b = 0; b < 3; ++b)
        sum.col(2 + b) += kernel::coulomb_force_change<double>(1, c.q[j], r, Vec3::Unit(b), softening);
    }
    if (dipoles) {
      sum.col(0) += kernel::dipole_field<double>(p, r, softening);
      sum(0, 1) += kernel::dipole_potential<double>(p, r, softening);
      for (int b = 0; b < 3; ++b) sum.col(2 + b) += kernel::dipole_field_change<double>(p, r, Vec3::Unit(b), softening);
    }
    return sum;
  };
  Sums sums(c.size());
  for (Index i = 0; i < c.size(); ++i) {
    Eigen::Matrix4d homogeneous;  // Σ λ_a (y_a, 1) = (x_i, 1)
    for (Index a = 0; a < 4; ++a) homogeneous.col(a) = s.vertices().col(corners(i)[a]).homogeneous();
    const Eigen::Vector4d weight = homogeneous.partialPivLu().solve(c.x.col(i).homogeneous());
    Everything sum = Everything::Zero();
    for (Index j = 0; j < c.size(); ++j) {
      if (j != i && near(i, j)) sum += pair(c.x.col(i), j);
      if (options.far_field == DdefFarField::Ignore) continue;
      if (options.variant == DdefVariant::Consistent && near(i, j)) continue;
      for (Index a = 0; a < 4; ++a) {
        const Index k = corners(i)[a];
        if (!has(corners(j), k)) sum += weight[a] * pair(s.vertices().col(k), j);
      }
    }
    sum *= coulomb_constant;
    sums.field.col(i) = sum.col(0);
    sums.potential[i] = sum(0, 1);
    sums.gradient.col(i) << sum(0, 2), sum(0, 3), sum(0, 4), sum(1, 3), sum(1, 4), sum(2, 4);
  }
  return sums;
}

}  // namespace

TEST_CASE("ddef: agrees with its definition, pair by pair", "[sim][coulomb][equivalence]") {
  const Cloud c(250);
  for (const DdefOptions& options : all_options()) {
    for (double softening : {0.0, 0.2}) {
      CAPTURE(int(options.variant), int(options.far_field), softening);
      const DdefCoulombSum sum(options, softening);
      const auto structure = structure_of(sum, c.x);
      const auto plan = sum.make_plan(c.x, structure);
      for (auto [charges, dipoles] : {std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
        const Sums want = by_definition(c, charges, dipoles, *structure, options, softening);
        const CoulombSources sources{charges ? &c.q : nullptr, dipoles ? &c.p : nullptr};
        for (int asked = 1; asked < 8; ++asked) {  // every combination of the three results
          CAPTURE(charges, dipoles, asked);
          Sums got(c.size());
          for (int k = 0; k < 2; ++k)  // results are added
            plan->evaluate(sources, {asked & 1 ? &got.potential : nullptr, asked & 2 ? &got.field : nullptr,
                                     asked & 4 ? &got.gradient : nullptr});
          // What is counted twice is taken off again: some hundred roundings, of charges near a vertex.
          CHECK(relative_error(got.potential, 2 * (asked & 1) * want.potential) < 1e-12);
          CHECK(relative_error(got.field, (asked & 2) * want.field) < 1e-12);
          CHECK(relative_error(got.gradient, (asked & 4) / 2 * want.gradient) < 1e-12);
        }
      }
    }
  }
}

TEST_CASE("ddef: variants differ where they should", "[sim][coulomb]") {
  const Cloud c(250);
  std::vector<Points> results;
  for (const DdefOptions& options : all_options()) {
    const DdefCoulombSum sum(options);
    results.push_back(forces(sum, sum.make_structure(c.x), c.x, c.q));
  }
  for (std::size_t a = 0; a < results.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      CAPTURE(a, b);
      // Without a far field the union is the same set however it is corrected.
      if (a == 5 && b == 3)
        CHECK(results[a] == results[b]);
      else
        CHECK(relative_error(results[a], results[b]) > 1e-3);
    }
}

TEST_CASE("ddef: force_jvp is the derivative of the frozen approximation", "[sim][coulomb][fd]") {
  const Cloud c(120);
  for (const DdefOptions& options : all_options()) {
    for (double softening : {0.0, 0.2}) {
      CAPTURE(int(options.variant), int(options.far_field), softening);
      const DdefCoulombSum sum(options, softening);
      const auto structure = sum.make_structure(c.x);
      const auto forces_at = [&](double h) -> Points { return forces(sum, structure, c.x + h * c.u, c.q + h * c.dq); };
      // fourth order, so that neither step nor rounding shows: (8 (f₁ − f₋₁) − (f₂ − f₋₂)) / 12h
      const double h = 1e-4;
      const Points difference =
          (8 * (forces_at(h) - forces_at(-h)) - (forces_at(2 * h) - forces_at(-2 * h))) / (12 * h);
      Points df = Points::Zero(3, c.size());
      sum.make_plan(c.x, structure)->force_jvp(c.q, c.u, c.dq, df);
      REQUIRE(difference.norm() > 0);
      CHECK(relative_error(df, difference) < 1e-7);  // h⁴ times fifth derivatives of points 0.02 apart
    }
  }
}

TEST_CASE("ddef: force_vjp is the transpose of force_jvp, which is not symmetric", "[sim][coulomb]") {
  for (Index n : {1, 2, 17, 300}) {
    const Cloud c(n);
    for (const DdefOptions& options : all_options()) {
      for (double softening : {0.0, 0.2}) {
        CAPTURE(n, int(options.variant), int(options.far_field), softening);
        const auto plan = DdefCoulombSum(options, softening).make_plan(c.x);
        Points df = Points::Zero(3, n), gx = Points::Zero(3, n);
        Vector gq = Vector::Zero(n);
        plan->force_jvp(c.q, c.u, c.dq, df);
        plan->force_vjp(c.q, c.w, gx, gq);
        const double forward = (c.w.array() * df.array()).sum();
        const double backward = (gx.array() * c.u.array()).sum() + gq.dot(c.dq);
        const double size = c.w.norm() * df.norm() + gx.norm() * c.u.norm() + gq.norm() * c.dq.norm();
        if (n > 100) REQUIRE(size > 0);
        CHECK(std::abs(forward - backward) <= 1e-13 * size);  // rounding of sums that partly cancel
      }
    }
  }
  const Cloud c(300);
  const auto plan = DdefCoulombSum({.points = 30}).make_plan(c.x);
  Points column = Points::Zero(3, c.size()), row = column;
  Vector unused = Vector::Zero(c.size());
  plan->force_jvp(c.q, c.u, unused, column);
  plan->force_vjp(c.q, c.u, row, unused);
  CHECK(relative_error(row, column) > 1e-3);
}

TEST_CASE("ddef: few points, points on a line, in a plane and at one place", "[sim][coulomb]") {
  for (const DdefOptions& options : all_options()) {
    for (Index n : {0, 1, 2, 3}) {
      const Cloud c(n);
      CHECK(forces(DdefCoulombSum(options), nullptr, c.x, c.q).allFinite());
    }
    for (int flat_axes : {1, 2, 3}) {
      CAPTURE(flat_axes);
      Cloud c(100);
      for (int a = 0; a < flat_axes; ++a) c.x.row(a).setConstant(flat_axes == 3 ? 1e6 : 0.25);
      const double softening = flat_axes == 3 ? 0.1 : 0;
      const DdefCoulombSum sum(options, softening);
      const auto structure = structure_of(sum, c.x);
      CHECK(structure->crossings(c.x) == 0);
      const Sums want = by_definition(c, true, false, *structure, options, softening);
      const Points f = forces(sum, structure, c.x, c.q);
      if (flat_axes < 3) REQUIRE(want.field.norm() > 0);
      CHECK((f - want.field * c.q.asDiagonal()).norm() <= 1e-11 * want.field.norm());
    }
  }
}

TEST_CASE("ddef: uncharged points may lie at one place, charged ones show as not finite", "[sim][coulomb][error]") {
  Cloud c(40);
  c.x.col(30) = c.x.col(3);
  CHECK_FALSE(forces(DdefCoulombSum(), nullptr, c.x, c.q).allFinite());
  CHECK(forces(DdefCoulombSum({}, 0.1), nullptr, c.x, c.q).allFinite());
  c.q[3] = c.q[30] = 0;
  CHECK(forces(DdefCoulombSum(), nullptr, c.x, c.q).allFinite());
}

TEST_CASE("ddef: positions of a run that diverges give no number, not an exception", "[sim][coulomb][error]") {
  for (double far : {infinity, std::nan(""), 1e60}) {
    Cloud c(20);
    c.x(1, 4) = far;
    const DdefCoulombSum sum;
    const auto plan = sum.make_plan(c.x);
    CHECK(forces(sum, nullptr, c.x, c.q).array().isNaN().all());
    Points df = Points::Zero(3, 20);
    plan->force_jvp(c.q, c.u, c.dq, df);
    CHECK(df.array().isNaN().all());
    Vector gq = Vector::Zero(20);
    df.setZero();
    plan->force_vjp(c.q, c.w, df, gq);
    CHECK(df.array().isNaN().all());
    CHECK(gq.array().isNaN().all());
  }
  CHECK_THROWS_AS(DdefCoulombSum({.points = 0}), pithball::InvalidArgument);
}

TEST_CASE("ddef: bit-identical for any number of threads", "[sim][coulomb]") {
  const auto everything = [](int count) {
    const pithball::tests::ThreadLimit limit(count);
    const Cloud c(1500);
    const auto plan = DdefCoulombSum({.points = 200}).make_plan(c.x);
    Sums sums(c.size());
    Points df = Points::Zero(3, c.size());
    plan->evaluate({&c.q, &c.p}, {&sums.potential, &sums.field});
    plan->force_jvp(c.q, c.u, c.dq, df);
    plan->force_vjp(c.q, c.w, sums.field, sums.potential);
    return std::tuple(sums.potential, sums.field, df);
  };
  const auto one = everything(1);
  for (int count : {2, 3, 7}) CHECK(everything(count) == one);
}

TEST_CASE("ddef: errors on a torus mesh and a sphere are those that are published on docs/ddef.md", "[sim][coulomb]") {
  constexpr double pi = 3.141592653589793;
  Points torus(3, 100 * 40), sphere(3, 4000);  // quasi-uniform
  for (Index i = 0; i < 4000; ++i) {
    const double alpha = 2 * pi * double(i / 40) / 100, beta = 2 * pi * double(i % 40) / 40;
    torus.col(i) << (1 + 0.4 * cos(beta)) * cos(alpha), (1 + 0.4 * cos(beta)) * sin(alpha), 0.4 * sin(beta);
    const double z = 1 - (2 * double(i) + 1) / 4000, around = double(i) * pi * (3 - sqrt(5));  // Fibonacci's spiral
    sphere.col(i) << sqrt(1 - z * z) * cos(around), sqrt(1 - z * z) * sin(around), z;
  }
  const Vector q = Vector::Constant(4000, 1e-6);
  const auto mean_error = [&](const Points& x, const DdefOptions& options) {
    const Points exact = forces(DirectCoulombSum(), nullptr, x, q);
    const DdefCoulombSum sum(options);
    const Points error = forces(sum, nullptr, x, q) - exact;
    return (error.colwise().norm().array() / exact.colwise().norm().array()).mean();
  };
  // Bands of ± 30 % around 0.35, 0.17, 0.08 and 0.24, 0.12, 0.05, measured with m = 1000: the number is one of a
  // random-like grid, but neither a wrong near set nor a missing correction fits in.
  const auto check = [&](const Points& x, double text, double algorithm, double consistent) {
    for (auto [variant, want] :
         {std::pair(DdefVariant::PaperText, text), std::pair(DdefVariant::PaperAlgorithm, algorithm),
          std::pair(DdefVariant::Consistent, consistent)})
      CHECK(mean_error(x, {1000, variant, DdefFarField::Interpolate}) == Approx(want).epsilon(0.3));
    // Leaving the far field out leaves nearly everything out.
    CHECK(mean_error(x, {1000, DdefVariant::PaperAlgorithm, DdefFarField::Ignore}) > 0.7);
  };
  check(torus, 0.35, 0.17, 0.08);
  check(sphere, 0.24, 0.12, 0.05);
}
