#include <Eigen/Geometry>
#include <set>

#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/kernel/coulomb.hpp"
#include "tests/sim/coulomb/direct_cases.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_limit.hpp"

using namespace pithball::sim;
using namespace direct_cases;

namespace {

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

}  // namespace

TEST_CASE("direct Coulomb sum: agrees with brute force in long double", "[sim][coulomb][equivalence]") {
  for (Index n : {0, 1, 2, 3, 8, 17, 63, 64, 145, 500}) {
    for (double softening : {0.0, 0.3}) {
      const Cloud c(n);
      for (auto [charges, dipoles] : {std::pair(true, false), std::pair(false, true), std::pair(true, true)}) {
        if (n >= 500 && !(charges && dipoles)) continue;  // half a second each
        const Sums want = reference(c, charges, dipoles, softening);
        const CoulombSources sources{charges ? &c.q : nullptr, dipoles ? &c.p : nullptr};
        with_every_instruction_set([&] {
          const auto plan = DirectCoulombSum(softening).make_plan(c.x);
          for (int asked = 1; asked < 8; ++asked) {  // every combination of the three results
            CAPTURE(n, softening, charges, dipoles, asked);
            const bool potential = asked & 1, field = asked & 2, gradient = asked & 4;
            Sums got(n);
            plan->evaluate(sources, {potential ? &got.potential : nullptr, field ? &got.field : nullptr,
                                     gradient ? &got.gradient : nullptr});
            CHECK(relative_error(got.potential, potential * want.potential) < rounding);
            CHECK(relative_error(got.field, field * want.field) < rounding);
            CHECK(relative_error(got.gradient, gradient * want.gradient) < rounding);
          }
        });
      }
    }
  }
}

TEST_CASE("direct Coulomb sum: tests run with each instruction set of the machine", "[sim][coulomb]") {
  std::vector<std::string> names;
  with_every_instruction_set([&] { names.push_back(direct::instruction_set()); });
  CHECK(names.size() > 1);
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
}

TEST_CASE("direct Coulomb sum: results are added and nothing is asked of null members", "[sim][coulomb]") {
  const Cloud c(20);
  const Sums once = evaluate(c.x, &c.q, nullptr);
  Sums sums(20);
  const auto plan = DirectCoulombSum().make_plan(c.x);
  for (int k = 0; k < 2; ++k) plan->evaluate({&c.q, nullptr}, {&sums.potential, &sums.field, &sums.gradient});
  CHECK(sums.field == 2 * once.field);
  CHECK(sums.potential == 2 * once.potential);
  CHECK(sums.gradient == 2 * once.gradient);
  plan->evaluate({nullptr, nullptr}, {&sums.potential, &sums.field, &sums.gradient});
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

TEST_CASE("direct Coulomb sum: the field gradient is that of the field", "[sim][coulomb][fd]") {
  with_every_instruction_set([] {
    for (double softening : {0.0, 0.3}) {
      Cloud c(30);
      c.q[4] = 0;  // a probe, as above
      c.p.col(4).setZero();
      const FieldGradients gradient = evaluate(c.x, &c.q, &c.p, softening).gradient;
      const double h = 1e-5;
      for (int b = 0; b < 3; ++b) {
        Points plus = c.x, minus = c.x;
        plus(b, 4) += h;
        minus(b, 4) -= h;
        const Vec3 difference =
            (evaluate(plus, &c.q, &c.p, softening).field.col(4) - evaluate(minus, &c.q, &c.p, softening).field.col(4)) /
            (2 * h);
        CHECK(relative_error(times(gradient.col(4), Vec3::Unit(b)), difference) < 1e-6);  // h² times fourth derivatives
      }
    }
  });
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
  const auto everything = [](int count) {
    const pithball::tests::ThreadLimit limit(count);
    const Cloud c(2100);  // long enough for several threads and for the finer parts of long sums
    Sums sums = evaluate(c.x, &c.q, &c.p);
    DirectCoulombSum().make_plan(c.x)->evaluate({&c.q, &c.p}, {&sums.potential, &sums.field});
    DirectCoulombSum().make_plan(c.x)->evaluate({&c.q, nullptr}, {nullptr, &sums.field});
    const Points df = jvp(c, c.u, c.dq);
    DirectCoulombSum().make_plan(c.x)->force_vjp(c.q, c.w, sums.field, sums.potential);
    return std::tuple(sums.potential, sums.field, sums.gradient, df);
  };
  const auto one = everything(1);
  for (int count : {2, 3, 7}) CHECK(everything(count) == one);
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
    Cloud many(100);  // each pair once
    many.x.col(90) = many.x.col(3);
    Sums once(100);
    DirectCoulombSum().make_plan(many.x)->evaluate({&many.q, nullptr}, {&once.potential, &once.field});
    for (Index i : {3, 90}) {
      CHECK_FALSE(once.field.col(i).allFinite());
      CHECK_FALSE(std::isfinite(once.potential[i]));
    }
    CHECK(once.field.col(4).allFinite());
    CHECK_FALSE(jvp(many, many.u, many.dq).allFinite());
    // softened: an ordinary pair
    sums = evaluate(c.x, &c.q, nullptr, 0.1);
    CHECK(sums.field.allFinite());
    CHECK(sums.potential.allFinite());
    // uncharged points may lie at one place
    c.q[3] = c.q[30] = many.q[3] = many.q[90] = 0;
    sums = evaluate(c.x, &c.q, nullptr);
    CHECK(sums.field.allFinite());
    CHECK(sums.field.col(3) == sums.field.col(30));
    CHECK(forces(many.x, many.q).allFinite());
    CHECK(jvp(many, many.u, Vector::Zero(100)).allFinite());
  });
}
