#include <cmath>
#include <random>

#include "sim/coulomb/fmm/solid_harmonics.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::sim;
using namespace pithball::sim::fmm;

namespace {

const Vec3 somewhere(0.3, -0.7, 1.9), nearer(0.2, 0.5, -0.4);

/// Points in general position and all where a recurrence might divide by zero or lose a sign.
std::vector<Vec3> directions() {
  return {{0.3, -0.7, 1.9}, {-0.8, 0.6, -0.5}, {0, 0, 1.3}, {0, 0, -0.9}, {1.1, 0, 0}, {0, -1.2, 0}, {0.4, 0.4, 0.4}};
}

}  // namespace

TEST_CASE("solid harmonics: low degrees are the textbook's polynomials", "[sim][coulomb][fmm]") {
  for (const Vec3& at : directions()) {
    const double x = at[0], y = at[1], z = at[2], r2 = at.squaredNorm();
    const Vector h = harmonics_at(Harmonics::Regular, 3, at);
    REQUIRE(h.size() == coefficients(3));
    const std::vector<std::pair<int, double>> want{
        {cosine(0, 0), 1},
        {cosine(1, 0), z},
        {cosine(1, 1), x},
        {sine(1, 1), y},
        {cosine(2, 0), (2 * z * z - x * x - y * y) / 2},
        {cosine(2, 1), std::sqrt(3.0) * x * z},
        {sine(2, 1), std::sqrt(3.0) * y * z},
        {cosine(2, 2), std::sqrt(3.0) / 2 * (x * x - y * y)},
        {sine(2, 2), std::sqrt(3.0) * x * y},
        {cosine(3, 0), z * (5 * z * z - 3 * r2) / 2},
        {cosine(3, 1), std::sqrt(3.0 / 8) * x * (5 * z * z - r2)},
        {sine(3, 1), std::sqrt(3.0 / 8) * y * (5 * z * z - r2)},
        {cosine(3, 2), std::sqrt(15.0) / 2 * z * (x * x - y * y)},
        {sine(3, 2), std::sqrt(15.0) * x * y * z},
        {cosine(3, 3), std::sqrt(5.0 / 8) * x * (x * x - 3 * y * y)},
        {sine(3, 3), std::sqrt(5.0 / 8) * y * (3 * x * x - y * y)},
    };
    CHECK(static_cast<int>(want.size()) == coefficients(3));
    for (auto [place, value] : want) CHECK(std::abs(h[place] - value) < 1e-14 * std::pow(2.1, 3));  // roundings of r³
  }
}

TEST_CASE("solid harmonics: irregular ones are the regular ones over r^(2n+1)", "[sim][coulomb][fmm]") {
  constexpr int order = 32;  // the largest in use
  for (const Vec3& at : directions()) {
    const Vector regular = harmonics_at(Harmonics::Regular, order, at);
    const Vector irregular = harmonics_at(Harmonics::Irregular, order, at);
    const double r = at.norm();
    for (int n = 0; n <= order; ++n) {
      const double size = std::pow(r, -n - 1);
      for (int k = cosine(n, 0); k < cosine(n + 1, 0); ++k)
        CHECK(std::abs(irregular[k] - regular[k] * std::pow(r, -2 * n - 1)) < 1e-13 * size);  // n roundings each
    }
  }
}

TEST_CASE("solid harmonics: squares of one degree add up to a power of r", "[sim][coulomb][fmm]") {
  for (const Vec3& at : directions()) {
    const Vector h = harmonics_at(Harmonics::Regular, 32, at);
    for (int n = 0; n <= 32; ++n)
      CHECK(h.segment(cosine(n, 0), 2 * n + 1).squaredNorm() ==
            Approx(std::pow(at.squaredNorm(), n)).epsilon(1e-13));  // n roundings
  }
}

TEST_CASE("solid harmonics: the addition theorem gives 1/|x - y|", "[sim][coulomb][fmm]") {
  const Vec3 x = somewhere, y = nearer;
  const double want = 1 / (x - y).norm(), ratio = y.norm() / x.norm();
  for (int order : {0, 1, 5, 15, 60}) {
    const double got = harmonics_at(Harmonics::Regular, order, y).dot(harmonics_at(Harmonics::Irregular, order, x));
    // What is left out: Σ_{n > order} |y|ⁿ/|x|ⁿ⁺¹, at most; at order 60 it is below rounding.
    const double rest = std::pow(ratio, order + 1) / (x.norm() - y.norm());
    CAPTURE(order);
    CHECK(std::abs(got - want) < rest + 1e-15);
    if (order <= 15) CHECK(std::abs(got - want) > 1e-3 * rest);  // and it is left out
  }
}

TEST_CASE("solid harmonics: derivatives are sums of harmonics of the next degree", "[sim][coulomb][fmm][fd]") {
  constexpr int order = 12;
  for (const Harmonics kind : {Harmonics::Regular, Harmonics::Irregular}) {
    const Derivatives derivatives(kind, order);
    for (const Vec3& at : directions()) {
      const Vector next = harmonics_at(kind, order + 1, at);
      for (std::size_t a = 0; a < 3; ++a) {
        Vector got = Vector::Zero(coefficients(order));
        for (const Derivatives::Term& term : derivatives.axis[a]) got[term.of] += term.weight * next[term.to];
        // Fourth order: (8 (h₁ − h₋₁) − (h₂ − h₋₂)) / 12 step.
        constexpr double step = 1e-3;
        const auto moved = [&](double by) -> Vector { return harmonics_at(kind, order, at + by * Vec3::Unit(a)); };
        const Vector want = (8 * (moved(step) - moved(-step)) - (moved(2 * step) - moved(-2 * step))) / (12 * step);
        for (int n = 0; n <= order; ++n) {
          CAPTURE(int(kind), at.transpose(), a, n);
          const auto degree = [&](const Vector& v) { return v.segment(cosine(n, 0), 2 * n + 1); };
          const double size = degree(want).norm();
          if (n > 0) REQUIRE(size > 0);
          // step⁴/30 times fifth derivatives, (n + 5)⁵/r⁵ at the most; and differences of rounded numbers.
          CHECK((degree(got) - degree(want)).norm() <= 1e-6 * size + 1e-14);
        }
      }
    }
  }
}

TEST_CASE("solid harmonics: derivatives of harmonics are harmonic and curl-free", "[sim][coulomb][fmm]") {
  constexpr int order = 10;
  for (const Harmonics kind : {Harmonics::Regular, Harmonics::Irregular}) {
    const int step = kind == Harmonics::Regular ? -1 : 1;
    const Derivatives first(kind, order), second(kind, order + step);
    const auto matrix = [](const Derivatives& d, std::size_t a, int rows, int columns) {
      Eigen::MatrixXd m = Eigen::MatrixXd::Zero(rows, columns);
      for (const Derivatives::Term& term : d.axis[a]) m(term.of, term.to) += term.weight;
      return m;
    };
    const int size = coefficients(order), next = coefficients(order + step), last = coefficients(order + 2 * step);
    Eigen::MatrixXd laplace = Eigen::MatrixXd::Zero(size, last);
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) {
        const Eigen::MatrixXd ab = matrix(first, a, size, next) * matrix(second, b, next, last);
        const Eigen::MatrixXd ba = matrix(first, b, size, next) * matrix(second, a, next, last);
        REQUIRE(ab.norm() > 1);
        CHECK((ab - ba).norm() < 1e-14 * ab.norm());
        if (a == b) laplace += ab;
      }
    }
    CHECK(laplace.norm() < 1e-13 * order * order);  // weights are of the size of the degree each
  }
}

TEST_CASE("solid harmonics: a rotation is orthogonal and turns harmonics as it turns points", "[sim][coulomb][fmm]") {
  constexpr int order = 32;
  // Directions of boxes: along the axis, across it, back, and between.
  for (double theta : {0.0, 0.3, 0.9553166181245093, 1.5707963267948966, 2.2, 3.141592653589793}) {
    const double c = std::cos(theta), s = std::sin(theta);
    const RotationAboutY rotation(order, c, s);
    Mat3 q;
    q << c, 0, -s, 0, 1, 0, s, 0, c;
    REQUIRE((q * Vec3(s, 0, c) - Vec3::UnitZ()).norm() < 1e-15);
    for (int n = 0; n <= order; ++n) {
      using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      const Eigen::Map<const RowMajor> cosines(rotation.cosines(n), n + 1, n + 1), sines(rotation.sines(n), n, n);
      CAPTURE(theta, n);
      // The recurrence adds a rounding or two for each degree.
      CHECK((cosines * cosines.transpose() - RowMajor::Identity(n + 1, n + 1)).norm() < 1e-15 * (n + 1) * (n + 1));
      CHECK((sines * sines.transpose() - RowMajor::Identity(n, n)).norm() < 1e-15 * (n + 1) * (n + 1));
      for (const Vec3& at : directions()) {
        const Vector before = harmonics_at(Harmonics::Regular, n, at),
                     after = harmonics_at(Harmonics::Regular, n, q * at);
        const double size = std::pow(at.norm(), n);
        const Vector even = cosines * before.segment(cosine(n, 0), n + 1);
        CHECK((even - after.segment(cosine(n, 0), n + 1)).norm() < 1e-15 * (n + 1) * (n + 1) * size);
        if (n == 0) continue;
        const Vector odd = sines * before.segment(sine(n, 1), n);
        CHECK((odd - after.segment(sine(n, 1), n)).norm() < 1e-15 * (n + 1) * (n + 1) * size);
      }
    }
  }
}
