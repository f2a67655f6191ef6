// The derivatives of the local formulas that are written by hand, against dual numbers: equal to rounding.
#include <ceres/jet.h>

#include <Eigen/Eigenvalues>
#include <random>

#include "sim/kernel/coulomb.hpp"
#include "sim/kernel/drag.hpp"
#include "sim/kernel/lennard_jones.hpp"
#include "sim/kernel/spring.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::sim;

namespace {

template <int P>
using Dual = ceres::Jet<double, P>;
template <int P>
using DualVec3 = Eigen::Matrix<Dual<P>, 3, 1>;
using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

/// v with its components as the variables first, first + 1, first + 2.
template <int P>
DualVec3<P> variable(const Vec3& v, int first) {
  return {Dual<P>(v[0], first), Dual<P>(v[1], first + 1), Dual<P>(v[2], first + 2)};
}
template <int P>
DualVec3<P> constant(const Vec3& v) {
  return {Dual<P>(v[0]), Dual<P>(v[1]), Dual<P>(v[2])};
}
/// Rows: components of f; columns: three variables from `first`.
template <int P>
Mat3 jacobian(const DualVec3<P>& f, int first) {
  Mat3 J;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) J(a, b) = f[a].v[first + b];
  return J;
}
template <int P>
Vec3 values(const DualVec3<P>& f) {
  return {f[0].a, f[1].a, f[2].a};
}
template <int P>
Vec3 column(const DualVec3<P>& f, int k) {
  return {f[0].v[k], f[1].v[k], f[2].v[k]};
}

struct Dice {
  std::mt19937 generator{7};
  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator); }
  Vec3 vector() { return {number(-1, 1), number(-1, 1), number(-1, 1)}; }
};

// Some twenty operations on numbers near 1, amplified by 1/|b|³ in the worst draws.
constexpr double rounding = 1e-13;
void check_equal(const Eigen::MatrixXd& got, const Eigen::MatrixXd& want) {
  REQUIRE(want.norm() > 0);
  CHECK((got - want).norm() < rounding * (1 + want.norm()));
}

}  // namespace

TEST_CASE("spring kernel: force is minus the energy's gradient and the Hessian is minus the force's derivative",
          "[diff][kernel]") {
  Dice dice;
  for (int trial = 0; trial < 200; ++trial) {
    const Vec3 b = dice.vector() + Vec3(0.2, 0, 0);
    const double k = dice.number(1, 40), l0 = trial % 10 == 0 ? 0.0 : dice.number(0.1, 2);
    if (b.norm() < 0.1) continue;
    const Dual<5> K(k, 3), L(l0, 4);
    const Dual<5> energy = kernel::spring_energy<Dual<5>>(variable<5>(b, 0), K, L);
    CHECK(energy.a == Approx(k / 2 * std::pow(b.norm() - l0, 2)).epsilon(rounding));
    const Vec3 force = kernel::spring_force<double>(b, k, l0);
    check_equal(force, -energy.v.head<3>());
    const DualVec3<5> f = kernel::spring_force<Dual<5>>(variable<5>(b, 0), K, L);
    check_equal(kernel::hessian_matrix(kernel::SpringHessian(b, k, l0, false), b), -jacobian<5>(f, 0));
    check_equal(-(b.norm() - l0) * b.normalized(), column<5>(f, 3));  // ∂f/∂k
    if (l0 > 0) check_equal(k * b.normalized(), column<5>(f, 4));     // ∂f/∂l0
  }
}

TEST_CASE("spring kernel: derivatives of the cubic spring are those of its energy", "[diff][kernel]") {
  Dice dice;
  for (int trial = 0; trial < 200; ++trial) {
    const Vec3 b = dice.vector() + Vec3(0.2, 0, 0);
    const double k3 = dice.number(1, 40), l0 = trial % 10 == 0 ? 0.0 : dice.number(0.1, 2);
    if (b.norm() < 0.1) continue;
    const Dual<5> K3(k3, 3), L(l0, 4);
    const Dual<5> energy = kernel::cubic_spring_energy<Dual<5>>(variable<5>(b, 0), K3, L);
    const double d = b.norm() - l0;
    CHECK(energy.a == Approx(k3 / 4 * std::pow(d, 4)).epsilon(rounding));
    check_equal(kernel::cubic_spring_force<double>(b, k3, l0), -energy.v.head<3>());
    const DualVec3<5> f = kernel::cubic_spring_force<Dual<5>>(variable<5>(b, 0), K3, L);
    check_equal(kernel::hessian_matrix(kernel::CubicSpringHessian(b, k3, l0, false), b), -jacobian<5>(f, 0));
    check_equal(-d * d * d * b.normalized(), column<5>(f, 3));                  // ∂f/∂k₃
    if (l0 > 0) check_equal(3 * k3 * d * d * b.normalized(), column<5>(f, 4));  // ∂f/∂l0
  }
  CHECK(kernel::cubic_spring_force<double>(Vec3::Zero(), 2.0, 0.0).isZero(0));
  CHECK(kernel::hessian_matrix(kernel::CubicSpringHessian(Vec3::Zero(), 2, 0, false), Vec3::Zero()).isZero(0));
}

TEST_CASE("spring kernel: the definite Hessian is the positive part", "[diff][kernel]") {
  Dice dice;
  const auto check_positive_part = [](const Vec3& b, const auto& whole, const auto& definite) {
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(kernel::hessian_matrix(whole, b));
    const Mat3 want =
        eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() * eigen.eigenvectors().transpose();
    check_equal(kernel::hessian_matrix(definite, b), want);
  };
  for (int trial = 0; trial < 100; ++trial) {
    const Vec3 b = dice.vector();
    const double k = dice.number(1, 40), l0 = dice.number(0.1, 2);
    if (b.norm() < 0.1) continue;
    check_positive_part(b, kernel::SpringHessian(b, k, l0, false), kernel::SpringHessian(b, k, l0, true));
    check_positive_part(b, kernel::CubicSpringHessian(b, k, l0, false), kernel::CubicSpringHessian(b, k, l0, true));
  }
}

TEST_CASE("damper kernel: derivatives in direction, velocity and strength", "[diff][kernel]") {
  Dice dice;
  for (int trial = 0; trial < 200; ++trial) {
    const Vec3 b = dice.vector() + Vec3(0.2, 0, 0), w = dice.vector();
    const double c = dice.number(0.1, 3);
    if (b.norm() < 0.1) continue;
    const DualVec3<7> f = kernel::damper_force<Dual<7>>(variable<7>(b, 0), variable<7>(w, 3), Dual<7>(c, 6));
    const Vec3 e = b.normalized();
    check_equal(values<7>(f), -c * w.dot(e) * e);
    check_equal(-c * kernel::damper_direction_derivative(b, w), jacobian<7>(f, 0));
    check_equal(-c * e * e.transpose(), jacobian<7>(f, 3));
    check_equal(kernel::damper_force<double>(b, w, 1.0), column<7>(f, 6));
  }
}

TEST_CASE("drag kernel: Jacobian of the force, and of the flow with its strength", "[diff][kernel]") {
  Dice dice;
  for (int trial = 0; trial < 200; ++trial) {
    const Vec3 w = 3 * dice.vector();
    const double c = dice.number(0.1, 3), beta = dice.number(0.01, 2);
    const DualVec3<4> f = kernel::quadratic_drag_force<Dual<4>>(variable<4>(w, 0), Dual<4>(c, 3));
    check_equal(values<4>(f), -c * w.norm() * w);
    check_equal(-c * kernel::quadratic_drag_jacobian(w), jacobian<4>(f, 0));
    // u = w/D, D = 1 + β s: ∂u/∂w = I/D − β w ŵᵀ/D², ∂u/∂β = −s w/D².
    const DualVec3<4> u = kernel::quadratic_drag_flow<Dual<4>>(variable<4>(w, 0), Dual<4>(beta, 3));
    const double s = w.norm(), D = 1 + beta * s;
    check_equal(Mat3::Identity() / D - beta / (s * D * D) * w * w.transpose(), jacobian<4>(u, 0));
    check_equal(-s / (D * D) * w, column<4>(u, 3));
  }
  CHECK(kernel::quadratic_drag_force<double>(Vec3::Zero(), 2.0).isZero(0));
  CHECK(kernel::quadratic_drag_flow<double>(Vec3::Zero(), 2.0).isZero(0));
  CHECK(kernel::quadratic_drag_jacobian(Vec3::Zero()).isZero(0));
}

TEST_CASE("coulomb kernel: energy, force, its change and the dipole's field fit together", "[diff][kernel]") {
  Dice dice;
  for (int trial = 0; trial < 200; ++trial) {
    const Vec3 r = dice.vector(), d = dice.vector();
    if (r.norm() < 0.3) continue;
    const double qi = dice.number(-2, 2), qj = dice.number(0.5, 2), softening = trial % 2 ? 0.0 : 0.4;
    using J = Dual<5>;
    const J energy = kernel::coulomb_energy<J>(J(qi, 3), J(qj, 4), variable<5>(r, 0), softening);
    const Vec3 force = kernel::coulomb_force<double>(qi, qj, r, softening);
    check_equal(force, -energy.v.head<3>());
    const DualVec3<5> f = kernel::coulomb_force<J>(J(qi, 3), J(qj, 4), variable<5>(r, 0), softening);
    check_equal(kernel::coulomb_force_change<double>(qi, qj, r, d, softening), jacobian<5>(f, 0) * d);
    check_equal(force / qi, column<5>(f, 3));
    check_equal(force / qj, column<5>(f, 4));
    // A dipole is minus the displacement derivative of a charge's potential, and its field minus its own potential's
    // gradient.
    const J charge = kernel::coulomb_energy<J>(J(1), J(1), variable<5>(r, 0), softening);
    CHECK(kernel::dipole_potential<double>(d, r, softening) ==
          Approx(-charge.v.head<3>().dot(d)).epsilon(1e-12).margin(1e-13));
    const J dipole = kernel::dipole_potential<J>(constant<5>(d), variable<5>(r, 0), softening);
    check_equal(kernel::dipole_field<double>(d, r, softening), -dipole.v.head<3>());
  }
}

TEST_CASE("lennard_jones kernel: push, slope and derivative by distance are those of the energy", "[diff][kernel]") {
  Dice dice;
  for (int trial = 0; trial < 100; ++trial) {
    const double r = dice.number(0.8, 3), epsilon = dice.number(0.5, 2), sigma = dice.number(0.8, 1.2), q = r * r;
    // Variables: q, ε, σ. With q = r², −U'(r)/r = −2 ∂U/∂q and c'(r)/r = 2 ∂c/∂q.
    const Dual<3> Q(q, 0), E(epsilon, 1), S(sigma, 2);
    const Dual<3> energy = kernel::lennard_jones_energy(Q, E, S), push = kernel::lennard_jones_push(Q, E, S);
    const double power = std::pow(sigma / r, 6), size = std::abs(power) * epsilon * (1 + power);
    CHECK(energy.a == Approx(4 * epsilon * (power * power - power)).margin(rounding * size));
    // Each is a difference of two powers that may nearly cancel, so that rounding counts in units of their sum.
    const double push_size = 48 * size / q;
    CHECK(push.a == Approx(-2 * energy.v[0]).margin(rounding * push_size));
    CHECK(kernel::lennard_jones_push_slope(q, epsilon, sigma) ==
          Approx(2 * push.v[0]).margin(rounding * 14 * push_size / q));
    CHECK(kernel::lennard_jones_push(q, 1.0, sigma) == Approx(push.v[1]).margin(rounding * push_size));
    CHECK(kernel::lennard_jones_push_by_distance(q, epsilon, sigma) ==
          Approx(push.v[2]).margin(rounding * 12 * push_size / sigma));
  }
}
