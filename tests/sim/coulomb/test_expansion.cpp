#include "sim/coulomb/fmm/expansion.hpp"

#include <random>

#include "sim/coulomb/direct/channels.hpp"
#include "tests/sim/coulomb/direct_cases.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::sim;
using namespace pithball::sim::fmm;
using direct_cases::relative_error;
using direct_cases::with_every_instruction_set;

namespace {

constexpr int tested_order = 9;

/// Points in a box, or, for irregular harmonics, around it, with weights and values at them.
struct Site {
  Site(Harmonics kind_, Index n)
      : kind(kind_), size(direct::padded_size(n)), x(3, size), weight(4, size), value(10, size) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> u(-0.5, 0.5);
    for (Index i = 0; i < size; ++i) {
      Vec3 at = Vec3::NullaryExpr([&] { return u(random); });
      if (kind == Harmonics::Irregular) at *= 2.5 / at.cwiseAbs().maxCoeff();
      for (int a = 0; a < 3; ++a) x[a][i] = frame.center[a] + frame.side * at[a];
      for (int k = 0; k < 4; ++k) weight[k][i] = i < n ? u(random) : 0;
    }
    value.set_zero();
  }
  PointRange points() const { return {{x[0], x[1], x[2]}, 0, size}; }
  Vec3 at(Index i) const { return {x[0][i], x[1][i], x[2][i]}; }
  Weights weights(bool charges, bool dipoles) const {
    Weights w;
    if (charges) w.charge = weight[0];
    for (int a = 0; dipoles && a < 3; ++a) w.dipole[a] = weight[1 + a];
    return w;
  }
  /// Potential, field, gradient: 10 × points.
  Eigen::MatrixXd values(const Vector& expansion, const Wanted& wanted) {
    value.set_zero();
    fmm::Values v{.potential = value[0]};
    for (int a = 0; a < 3; ++a) v.field[a] = value[1 + a];
    for (int k = 0; k < 6; ++k) v.field_gradient[k] = value[4 + k];
    PointExpansion(tested_order).add_values(kind, frame, expansion.data(), wanted, points(), v);
    return Eigen::Map<const Eigen::MatrixXd>(value[0], size, 10).transpose();
  }
  Vector moments(bool charges, bool dipoles) const {
    Vector m = Vector::Zero(coefficients(tested_order));
    PointExpansion(tested_order).add_moments(kind, frame, points(), weights(charges, dipoles), m.data());
    return m;
  }

  Frame frame{Vec3(0.4, -3, 2), 0.75};
  Harmonics kind;
  Index size;
  direct::Channels x, weight, value;
};

Vector some_expansion() {
  std::mt19937 random(6);
  std::normal_distribution<double> normal;
  return Vector::NullaryExpr(coefficients(tested_order), [&] { return normal(random); });
}

}  // namespace

TEST_CASE("point expansion: moments and values are sums of harmonics", "[sim][coulomb][fmm][equivalence]") {
  for (const Harmonics kind : {Harmonics::Regular, Harmonics::Irregular})
    for (const Index n : {1, 8, 29}) {
      with_every_instruction_set([&] {
        Site site(kind, n);
        const Vector expansion = some_expansion();
        Vector moments = Vector::Zero(coefficients(tested_order)), potential(n);
        for (Index i = 0; i < n; ++i) {
          const Vector h = harmonics_at(kind, tested_order, (site.at(i) - site.frame.center) / site.frame.side);
          moments += site.weight[0][i] * h;
          potential[i] = expansion.dot(h) / site.frame.side;
        }
        CAPTURE(int(kind), n);
        CHECK(relative_error(site.moments(true, false), moments) < 1e-14);  // roundings of n terms
        const Vector got = site.values(expansion, {.potential = true}).row(0).head(n);
        CHECK(relative_error(got, potential) < 1e-14);
      });
    }
}

TEST_CASE("point expansion: field and gradient are derivatives of the potential", "[sim][coulomb][fmm][fd]") {
  const Wanted all{true, true, true};
  for (const Harmonics kind : {Harmonics::Regular, Harmonics::Irregular}) {
    with_every_instruction_set([&] {
      const Vector expansion = some_expansion();
      Site site(kind, 16);
      const Eigen::MatrixXd here = site.values(expansion, all);
      const double h = 1e-4 * site.frame.side;
      constexpr int gradient_row[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}};
      for (int b = 0; b < 3; ++b) {
        const auto moved = [&](double by) {
          Site other(kind, 16);
          for (Index i = 0; i < other.size; ++i) other.x[b][i] += by;
          return other.values(expansion, all);
        };
        // Fourth order, so that 1e-8 is far above h⁴ times fifth derivatives and above rounding over h.
        const Eigen::MatrixXd change = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
        REQUIRE(change.norm() > 0);
        CAPTURE(int(kind), b);
        CHECK(relative_error(-here.row(1 + b), change.row(0)) < 1e-8);
        for (int a = 0; a < 3; ++a) CHECK(relative_error(here.row(gradient_row[a][b]), change.row(1 + a)) < 1e-8);
      }
      const Eigen::MatrixXd trace = here.row(4) + here.row(7) + here.row(9);
      CHECK(trace.norm() < 1e-12 * here.bottomRows(6).norm());  // Laplace, to roundings of terms of degree 9
    });
  }
}

TEST_CASE("point expansion: a result is the same alone and among others", "[sim][coulomb][fmm]") {
  for (const Harmonics kind : {Harmonics::Regular, Harmonics::Irregular})
    with_every_instruction_set([&] {
      const Vector expansion = some_expansion();
      Site site(kind, 16);
      const Eigen::MatrixXd all = site.values(expansion, {true, true, true});
      CHECK((site.values(expansion, {.potential = true}).row(0) - all.row(0)).norm() < 1e-14 * all.row(0).norm());
      CHECK(relative_error(site.values(expansion, {.field = true}).middleRows(1, 3), all.middleRows(1, 3)) < 1e-14);
      CHECK(relative_error(site.values(expansion, {true, true, false}).topRows(4), all.topRows(4)) < 1e-14);
      CHECK(relative_error(site.values(expansion, {.field_gradient = true}).bottomRows(6), all.bottomRows(6)) < 1e-14);
      // Nothing but what is wanted.
      CHECK(site.values(expansion, {.field = true}).row(0).norm() == 0);
      CHECK(site.values(expansion, {.potential = true}).bottomRows(9).norm() == 0);
      CHECK(site.values(expansion, {}).norm() == 0);
    });
}

TEST_CASE("point expansion: moments are the transpose of values, dipoles of the field", "[sim][coulomb][fmm]") {
  for (const Harmonics kind : {Harmonics::Regular, Harmonics::Irregular})
    with_every_instruction_set([&] {
      const Vector expansion = some_expansion();
      Site site(kind, 32);
      const double s = site.frame.side;
      const Eigen::MatrixXd values = site.values(expansion, {.potential = true, .field = true});
      const Eigen::Map<const Eigen::MatrixXd> weights(site.weight[0], site.size, 4);
      // <m(q), L>/s = <q, φ(L)> and <m(p), L>/s = −<p, e(L)>: roundings of a sum whose terms are of size |q| |φ|.
      const double charges = (weights.col(0).array() * values.row(0).transpose().array()).sum();
      const double dipoles = -(weights.rightCols(3).array() * values.middleRows(1, 3).transpose().array()).sum();
      const double charge_size = weights.col(0).norm() * values.row(0).norm();
      const double dipole_size = weights.rightCols(3).norm() * values.middleRows(1, 3).norm();
      REQUIRE(charge_size > 0);
      CHECK(std::abs(site.moments(true, false).dot(expansion) / s - charges) < 1e-14 * charge_size);
      CHECK(std::abs(site.moments(false, true).dot(expansion) / s - dipoles) < 1e-14 * dipole_size);
      CHECK(std::abs(site.moments(true, true).dot(expansion) / s - charges - dipoles) <
            1e-14 * (charge_size + dipole_size));
      CHECK(site.moments(false, false).norm() == 0);
    });
}

TEST_CASE("point expansion: a dipole is the limit of two charges", "[sim][coulomb][fmm][fd]") {
  for (const Harmonics kind : {Harmonics::Regular, Harmonics::Irregular}) {
    const Site site(kind, 1);
    const Vec3 p(site.weight[1][0], site.weight[2][0], site.weight[3][0]);
    const double h = 1e-4;
    const auto charge_at = [&](double by) -> Vector {
      return harmonics_at(kind, tested_order, (site.at(0) + by * p - site.frame.center) / site.frame.side);
    };
    const Vector want = (charge_at(h) - charge_at(-h)) / (2 * h);
    REQUIRE(want.norm() > 0);
    CHECK(relative_error(site.moments(false, true), want) < 1e-6);  // h² times third derivatives of degree 9
  }
}
