#include <hwy/targets.h>
#include <omp.h>

#include <Eigen/Geometry>
#include <random>
#include <set>

#include "sim/coulomb/coulomb_sum.hpp"
#include "sim/coulomb/direct_kernel.hpp"
#include "sim/kernel/coulomb.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::sim;

namespace {

/// Random points with charges, dipoles and two more sets of vectors and numbers, all of order 1.
struct Cloud {
  explicit Cloud(Index n, unsigned seed = 7) : x(3, n), p(3, n), u(3, n), w(3, n), q(n), dq(n) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    for (Points* points : {&x, &p, &u, &w})
      for (double& a : points->reshaped()) a = normal(random);
    for (Vector* numbers : {&q, &dq})
      for (double& a : *numbers) a = normal(random);
  }
  Index size() const { return x.cols(); }
  Points x, p, u, w;
  Vector q, dq;
};

struct Sums {
  explicit Sums(Index n) : potential(Vector::Zero(n)), field(Points::Zero(3, n)) {}
  Vector potential;
  Points field;
};

Sums evaluate(const Points& x, const Vector* q, const Points* p, double softening = 0) {
  Sums sums(x.cols());
  DirectCoulombSum(softening).make_plan(x)->evaluate({q, p}, {&sums.potential, &sums.field});
  return sums;
}

Points forces(const Points& x, const Vector& q, double softening = 0) {
  Points e = Points::Zero(3, x.cols());
  DirectCoulombSum(softening).make_plan(x)->evaluate({&q, nullptr}, {nullptr, &e});
  return e * q.asDiagonal();
}

Points jvp(const Cloud& c, const Points& dx, const Vector& dq, double softening = 0) {
  Points df = Points::Zero(3, c.size());
  DirectCoulombSum(softening).make_plan(c.x)->force_jvp(c.q, dx, dq, df);
  return df;
}

/// Brute force in long double with the formulas of the kernel header.
Sums reference(const Cloud& c, bool charges, bool dipoles, double softening) {
  using Real = long double;
  using Vec = kernel::Vec3T<Real>;
  Sums sums(c.size());
  for (Index i = 0; i < c.size(); ++i) {
    Real phi = 0;
    Vec e = Vec::Zero();
    for (Index j = 0; j < c.size(); ++j) {
      if (i == j) continue;
      const Vec r = c.x.col(i).cast<Real>() - c.x.col(j).cast<Real>(), p = c.p.col(j).cast<Real>();
      const Real one = 1, q = c.q[j];
      if (charges) phi += kernel::coulomb_energy<Real>(one, q, r, softening);
      if (charges) e += kernel::coulomb_force<Real>(one, q, r, softening);
      if (dipoles) phi += kernel::dipole_potential<Real>(p, r, softening);
      if (dipoles) e += kernel::dipole_field<Real>(p, r, softening);
    }
    sums.potential[i] = static_cast<double>(phi * Real(coulomb_constant));
    sums.field.col(i) = (e * Real(coulomb_constant)).cast<double>();
  }
  return sums;
}

template <class A, class B>
double relative_error(const A& got, const B& want) {
  return want.size() == 0 ? (got - want).norm() : (got - want).norm() / (want.norm() > 0 ? want.norm() : 1.0);
}

/// Runs `check` with every instruction set that this machine has.
template <class Check>
void with_every_instruction_set(Check check) {
  for (std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    CAPTURE(direct::instruction_set());
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

/// Each sum is good to a few roundings of its terms: 1e-15, times up to 20 where charges of both signs cancel.
constexpr double rounding = 2e-14;

}  // namespace

TEST_CASE("direct Coulomb sum: agrees with brute force in long double", "[sim][coulomb][equivalence]") {
  std::vector<std::string> names;
  with_every_instruction_set([&] {
    names.push_back(direct::instruction_set());
    for (Index n : {0, 1, 2, 3, 8, 17, 145, 500}) {
      for (double softening : {0.0, 0.3}) {
        CAPTURE(n, softening);
        const Cloud c(n);
        for (auto [charges, dipoles] : {std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
          const Sums want = reference(c, charges, dipoles, softening);
          const Vector* q = charges ? &c.q : nullptr;
          const Points* p = dipoles ? &c.p : nullptr;
          const Sums both = evaluate(c.x, q, p, softening);
          CHECK(relative_error(both.potential, want.potential) < rounding);
          CHECK(relative_error(both.field, want.field) < rounding);

          Sums single(n);  // the kernels that make one of the two
          const auto plan = DirectCoulombSum(softening).make_plan(c.x);
          plan->evaluate({q, p}, {&single.potential, nullptr});
          plan->evaluate({q, p}, {nullptr, &single.field});
          CHECK(relative_error(single.potential, want.potential) < rounding);
          CHECK(relative_error(single.field, want.field) < rounding);
        }
      }
    }
  });
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());  // each was really another one
}

TEST_CASE("direct Coulomb sum: results are added and nothing is asked of null members", "[sim][coulomb]") {
  const Cloud c(20);
  const Sums once = evaluate(c.x, &c.q, nullptr);
  Sums sums(20);
  const auto plan = DirectCoulombSum().make_plan(c.x);
  for (int k = 0; k < 2; ++k) plan->evaluate({&c.q, nullptr}, {&sums.potential, &sums.field});
  CHECK(sums.field == 2 * once.field);
  CHECK(sums.potential == 2 * once.potential);
  plan->evaluate({nullptr, nullptr}, {&sums.potential, &sums.field});
  plan->evaluate({&c.q, nullptr}, {nullptr, nullptr});
  CHECK(sums.field == 2 * once.field);
}

TEST_CASE("direct Coulomb sum: the field is minus the gradient of the potential", "[sim][coulomb][fd]") {
  for (double softening : {0.0, 0.3}) {
    Cloud c(30);
    c.q[4] = 0;  // a probe: moving it leaves everything else
    c.p.col(4).setZero();
    const Sums at = evaluate(c.x, &c.q, &c.p, softening);
    const double h = 1e-5;
    Vec3 gradient;
    for (int a = 0; a < 3; ++a) {
      Points plus = c.x, minus = c.x;
      plus(a, 4) += h;
      minus(a, 4) -= h;
      gradient[a] =
          (evaluate(plus, &c.q, &c.p, softening).potential[4] - evaluate(minus, &c.q, &c.p, softening).potential[4]) /
          (2 * h);
    }
    CHECK(relative_error(-gradient, at.field.col(4)) < 1e-7);  // h² times third derivatives of a point 0.1 away
  }
}

TEST_CASE("direct Coulomb sum: forces and torques of the pairs cancel", "[sim][coulomb][conservation]") {
  const Cloud c(300);
  const Points f = forces(c.x, c.q);
  Vec3 torque = Vec3::Zero();
  for (Index i = 0; i < c.size(); ++i) torque += c.x.col(i).cross(f.col(i));
  // one-sided sums cancel to the rounding of the largest forces, not exactly
  CHECK(f.rowwise().sum().norm() < 1e-14 * f.colwise().norm().sum());
  CHECK(torque.norm() < 1e-14 * f.colwise().norm().sum() * c.x.colwise().norm().maxCoeff());
}

TEST_CASE("direct Coulomb sum: moves, turns, scales and superposes with its sources", "[sim][coulomb]") {
  const Cloud c(100), other(100, 8);
  const Points e = evaluate(c.x, &c.q, nullptr).field;
  // a shift by s loses |s|/(smallest distance ≈ 0.05) roundings of the coordinates
  CHECK(relative_error(evaluate(c.x.colwise() + Vec3(10, -20, 5), &c.q, nullptr).field, e) < 1e-12);
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  CHECK(relative_error(evaluate(turn * c.x, &c.q, nullptr).field, turn * e) < 1e-13);
  CHECK(relative_error(evaluate(4 * c.x, &c.q, nullptr).field, e / 16) < 1e-14);
  CHECK(relative_error(evaluate(1e-40 * c.x, &c.q, nullptr).field, 1e80 * e) < 1e-13);
  const Vector sum = c.q + other.q;
  CHECK(relative_error(evaluate(c.x, &sum, nullptr).field, e + evaluate(c.x, &other.q, nullptr).field) < 1e-13);
}

TEST_CASE("direct Coulomb sum: force_jvp is the derivative of the forces", "[sim][coulomb][fd]") {
  with_every_instruction_set([] {
    for (double softening : {0.0, 0.3}) {
      const Cloud c(40);
      const double h = 1e-6;
      const Vector q_plus = c.q + h * c.dq, q_minus = c.q - h * c.dq;
      const Points difference =
          (forces(c.x + h * c.u, q_plus, softening) - forces(c.x - h * c.u, q_minus, softening)) / (2 * h);
      REQUIRE(difference.norm() > 0);
      // h² times third derivatives of pairs 0.1 apart
      CHECK(relative_error(jvp(c, c.u, c.dq, softening), difference) < 1e-7);
    }
  });
}

TEST_CASE("direct Coulomb sum: force_jvp agrees with brute force in long double", "[sim][coulomb][equivalence]") {
  using Real = long double;
  using Vec = kernel::Vec3T<Real>;
  with_every_instruction_set([] {
    for (Index n : {1, 2, 17, 145}) {
      const Cloud c(n);
      Points want = Points::Zero(3, n);
      for (Index i = 0; i < n; ++i) {
        Vec sum = Vec::Zero();
        for (Index j = 0; j < n; ++j) {
          if (i == j) continue;
          const Vec r = c.x.col(i).cast<Real>() - c.x.col(j).cast<Real>();
          const Vec d = c.u.col(i).cast<Real>() - c.u.col(j).cast<Real>();
          const Real qi = c.q[i], qj = c.q[j], one = 1;
          sum += kernel::coulomb_force_change<Real>(qi, qj, r, d);
          sum += kernel::coulomb_force<Real>(one, Real(c.dq[i]) * qj + qi * Real(c.dq[j]), r);
        }
        want.col(i) = (sum * Real(coulomb_constant)).cast<double>();
      }
      CHECK(relative_error(jvp(c, c.u, c.dq), want) < rounding);
    }
  });
}

TEST_CASE("direct Coulomb sum: force_vjp is the transpose of force_jvp", "[sim][coulomb]") {
  with_every_instruction_set([] {
    for (Index n : {1, 2, 17, 145}) {
      for (double softening : {0.0, 0.3}) {
        const Cloud c(n);
        Points gx = Points::Zero(3, n);
        Vector gq = Vector::Zero(n);
        DirectCoulombSum(softening).make_plan(c.x)->force_vjp(c.q, c.w, gx, gq);
        const Points df = jvp(c, c.u, c.dq, softening);
        const double forward = (c.w.array() * df.array()).sum();
        const double backward = (gx.array() * c.u.array()).sum() + gq.dot(c.dq);
        const double size = c.w.norm() * df.norm() + gx.norm() * c.u.norm() + gq.norm() * c.dq.norm();
        if (n > 1) REQUIRE(size > 0);
        CHECK(std::abs(forward - backward) <= 1e-14 * size);  // rounding of the sums
      }
    }
  });
}

TEST_CASE("direct Coulomb sum: bit-identical for any number of threads", "[sim][coulomb]") {
  const int threads = omp_get_max_threads();
  const auto everything = [](int count) {
    omp_set_num_threads(count);
    const Cloud c(2100);  // long enough for several threads and for the finer parts of long sums
    Sums sums = evaluate(c.x, &c.q, &c.p);
    const Points df = jvp(c, c.u, c.dq);
    DirectCoulombSum().make_plan(c.x)->force_vjp(c.q, c.w, sums.field, sums.potential);
    return std::tuple(sums.potential, sums.field, df);
  };
  const auto one = everything(1);
  for (int count : {2, 3, 7}) CHECK(everything(count) == one);
  omp_set_num_threads(threads);
}

TEST_CASE("direct Coulomb sum: points on a line and in a plane are ordinary", "[sim][coulomb]") {
  for (int flat_axes : {1, 2}) {
    Cloud c(50);
    for (int a = 0; a < flat_axes; ++a) c.x.row(a).setConstant(0.25);
    const Sums got = evaluate(c.x, &c.q, nullptr), want = reference(c, true, false, 0);
    CHECK(relative_error(got.field, want.field) < rounding);
    CHECK(got.field.topRows(flat_axes).isZero(0));
  }
}

TEST_CASE("direct Coulomb sum: two charges at one place show as not finite", "[sim][coulomb][error]") {
  with_every_instruction_set([] {
    Cloud c(40);
    c.x.col(30) = c.x.col(3);
    Sums sums = evaluate(c.x, &c.q, nullptr);
    CHECK_FALSE(sums.field.col(3).allFinite());
    CHECK_FALSE(sums.field.col(30).allFinite());
    CHECK_FALSE(std::isfinite(sums.potential[3]));
    CHECK(sums.field.col(4).allFinite());
    CHECK_FALSE(jvp(c, c.u, c.dq).allFinite());
    // softened: an ordinary pair
    sums = evaluate(c.x, &c.q, nullptr, 0.1);
    CHECK(sums.field.allFinite());
    CHECK(sums.potential.allFinite());
    // uncharged points may lie at one place
    c.q[3] = c.q[30] = 0;
    sums = evaluate(c.x, &c.q, nullptr);
    CHECK(sums.field.allFinite());
    CHECK(sums.field.col(3) == sums.field.col(30));
  });
}
