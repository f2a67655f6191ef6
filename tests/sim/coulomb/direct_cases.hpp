#pragma once
// Points, sums and brute force that the tests of the direct Coulomb sum share.

#include <random>

#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/coulomb/direct/direct_kernel.hpp"
#include "sim/kernel/coulomb.hpp"
#include "tests/sim/every_instruction_set.hpp"
#include "tests/support/catch.hpp"

namespace direct_cases {

using namespace pithball::sim;

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
  explicit Sums(Index n)
      : potential(Vector::Zero(n)), field(Points::Zero(3, n)), gradient(FieldGradients::Zero(6, n)) {}
  Vector potential;
  Points field;
  FieldGradients gradient;
};

inline Sums evaluate(const Points& x, const Vector* q, const Points* p, double softening = 0) {
  Sums sums(x.cols());
  DirectCoulombSum(softening).make_plan(x)->evaluate({q, p}, {&sums.potential, &sums.field, &sums.gradient});
  return sums;
}

/// Brute force in long double with the formulas of the kernel header.
inline Sums reference(const Cloud& c, bool charges, bool dipoles, double softening) {
  using Real = long double;
  using Vec = kernel::Vec3T<Real>;
  Sums sums(c.size());
  for (Index i = 0; i < c.size(); ++i) {
    Real phi = 0;
    Vec e = Vec::Zero();
    Eigen::Matrix<Real, 3, 3> g = Eigen::Matrix<Real, 3, 3>::Zero();
    for (Index j = 0; j < c.size(); ++j) {
      if (i == j) continue;
      const Vec r = c.x.col(i).cast<Real>() - c.x.col(j).cast<Real>(), p = c.p.col(j).cast<Real>();
      const Real one = 1, q = c.q[j];
      if (charges) phi += kernel::coulomb_energy<Real>(one, q, r, softening);
      if (charges) e += kernel::coulomb_force<Real>(one, q, r, softening);
      if (dipoles) phi += kernel::dipole_potential<Real>(p, r, softening);
      if (dipoles) e += kernel::dipole_field<Real>(p, r, softening);
      for (int b = 0; b < 3; ++b) {
        const Vec along = Vec::Unit(b);
        if (charges) g.col(b) += kernel::coulomb_force_change<Real>(one, q, r, along, softening);
        if (dipoles) g.col(b) += kernel::dipole_field_change<Real>(p, r, along, softening);
      }
    }
    sums.potential[i] = static_cast<double>(phi * Real(coulomb_constant));
    sums.field.col(i) = (e * Real(coulomb_constant)).cast<double>();
    g *= Real(coulomb_constant);
    sums.gradient.col(i) << double(g(0, 0)), double(g(0, 1)), double(g(0, 2)), double(g(1, 1)), double(g(1, 2)),
        double(g(2, 2));
  }
  return sums;
}

template <class A, class B>
double relative_error(const A& got, const B& want) {
  return want.size() == 0 ? (got - want).norm() : (got - want).norm() / (want.norm() > 0 ? want.norm() : 1.0);
}

using pithball::tests::with_every_instruction_set;

/// Each sum is good to a few roundings of its terms: 1e-15, times up to 20 where charges of both signs cancel.
inline constexpr double rounding = 2e-14;

}  // namespace direct_cases
