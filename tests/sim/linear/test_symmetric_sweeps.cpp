#include "sim/linear/symmetric_sweeps.hpp"

#include <Eigen/Dense>
#include <limits>
#include <random>

#include "sim/core/topology.hpp"
#include "tests/sim/every_instruction_set.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thread_limit.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

class Random {
 public:
  explicit Random(unsigned seed) : generator_(seed) {}
  double operator()() { return std::uniform_real_distribution<double>(-1, 1)(generator_); }
  Index below(Index n) { return std::uniform_int_distribution<Index>(0, n - 1)(generator_); }
  Vec3 vector() { return {(*this)(), (*this)(), (*this)()}; }
  Points points(const BlockMatrix& A) {
    Points p(3, A.particles());
    for (Index i = 0; i < p.cols(); ++i) p.col(i) = A.is_held(i) ? Vec3(Vec3::Zero()) : vector();
    return p;
  }

 private:
  std::mt19937 generator_;
};

/// A network of springs between random pairs, in several parts, with held particles.
Topology network(Index n, bool coupled, Random& random) {
  Topology t{.particles = n, .springs = {}, .held = {{2, {}}, {n / 2, {}}}};
  for (Index e = 0; e < 2 * n; ++e) {
    const Index i = random.below(n), j = random.below(n);
    if (i != j && i / 20 == j / 20) t.springs.push_back({i, j});
  }
  if (coupled)
    for (Index i = 0; i + 5 < n; i += 3) t.couplings.push_back({i, i + 5});
  return t;
}

Topology grid(Index side) {
  Topology t{.particles = side * side, .springs = {}, .held = {{0, {}}, {side - 1, {}}}};
  for (Index a = 0; a < side; ++a)
    for (Index b = 0; b < side; ++b) {
      const Index i = a * side + b;
      if (b + 1 < side) t.springs.push_back({i, i + 1});
      if (a + 1 < side) t.springs.push_back({i, i + side});
      if (a + 1 < side && b + 1 < side) t.springs.push_back({i, i + side + 1});
    }
  return t;
}

/// Masses and stiffnesses of the springs' directions, and weaker couplings that keep the matrix positive definite.
BlockMatrix matrix(const Topology& t, double mass, double stiffness, Random& random) {
  BlockMatrix A(t);
  for (Index i = 0; i < t.particles; ++i) A.add_diagonal(i, mass * (1.5 + random()) * Mat3::Identity());
  for (std::size_t e = 0; e < t.springs.size(); ++e)
    A.add_spring(static_cast<Index>(e), t.springs[e].i, t.springs[e].j, {0, stiffness, random.vector().normalized()});
  for (const Spring& c : t.couplings) {
    Mat3 B;
    B << random.vector(), random.vector(), random.vector();
    A.add_coupling(c.i, c.j, 0.05 * mass * B);
  }
  return A;
}

/// Over a copy of A.
std::shared_ptr<const SymmetricSweeps> sweeps_of(const BlockMatrix& A) {
  return SymmetricSweeps::make(std::make_shared<BlockMatrix>(A));
}

std::vector<Mat3> blocks_of(const BlockMatrix& A) {
  std::vector<Mat3> blocks;
  A.for_each_block([&](Index, Index, const Mat3& B) { blocks.push_back(B); });
  return blocks;
}

/// With ones on the diagonal for held particles.
Eigen::MatrixXd invertible(const BlockMatrix& A) {
  Eigen::MatrixXd D = Eigen::MatrixXd::Zero(3 * A.particles(), 3 * A.particles());
  A.for_each_block([&](Index i, Index j, const Mat3& B) { D.block<3, 3>(3 * i, 3 * j) = B; });
  for (Index i = 0; i < A.particles(); ++i)
    if (A.is_held(i)) D.block<3, 3>(3 * i, 3 * i).setIdentity();
  return D;
}

}  // namespace

TEST_CASE("symmetric sweeps: bodies of one and two particles, which one or two iterations solve", "[sim][linear]") {
  // The residual then falls to rounding at once, and its recurrence cancels. Blocks have condition numbers up to 1e8.
  Random random(8);
  for (int round = 0; round < 3000; ++round) {
    Topology t;
    t.particles = round % 2 + 1;
    if (t.particles == 2) t.springs.push_back({0, 1});
    BlockMatrix A(t);
    for (Index i = 0; i < t.particles; ++i) {
      A.add_diagonal(i, Mat3::Identity());
      const Vec3 v = random.vector();
      A.add_diagonal(i, std::pow(10, 4 * random()) * v * v.transpose());
    }
    if (t.particles == 2) {
      const Vec3 v = random.vector();
      A.add_pair(0, 1, std::pow(10, 4 * random()) * v * v.transpose());
    }
    Points b = random.points(A);
    if (round % 3 == 0) b.row(1).setZero();
    Points x;
    const CgReport report = sweeps_of(A)->solve(b, {1e-12, 100}, x);
    CAPTURE(round, report.iterations, report.relative_residual);
    REQUIRE(report.converged);
    const Eigen::MatrixXd D = invertible(A);
    const double rounding = 4 * std::numeric_limits<double>::epsilon() * D.norm() * x.norm();
    CHECK((D * flat(x) - flat(b)).norm() <= 1e-12 * b.norm() + rounding);
  }
}

TEST_CASE("symmetric sweeps: solutions agree with a dense solve, in any units", "[sim][linear]") {
  for (const bool coupled : {false, true})
    // Masses [kg] and g²k [kg] of bodies of 1e-9 m, 1 m and 1e6 m of one density.
    for (const double mass : {1e-27, 1.0, 1e18})
      for (const double ratio : {0.1, 100.0}) {
        CAPTURE(coupled, mass, ratio);
        Random random(5);
        const Topology t = network(70, coupled, random);
        const BlockMatrix A = matrix(t, mass, ratio * mass, random);
        const Points b = mass * random.points(A);
        const auto sweeps = sweeps_of(A);
        REQUIRE(sweeps);
        Points x;
        const CgReport report = sweeps->solve(b, {1e-12, 1000}, x);
        CHECK(report.converged);
        CHECK_FALSE(report.negative_curvature);
        const Eigen::MatrixXd D = invertible(A) / mass;
        const Vector want = D.ldlt().solve(flat(b) / mass);
        // The residual times the condition number, at most 20 ratio.
        CHECK((flat(x) - want).norm() <= 1e-12 * (20 * ratio + 20) * want.norm());
        CHECK(x.col(2).isZero(0));
        Points Ax(3, 70);
        A.multiply(x, Ax);
        // Reported is the residual as the iteration knows it; beside it there is only rounding.
        CHECK(std::abs((Ax - b).norm() / b.norm() - report.relative_residual) < 1e-13 * (20 * ratio + 20));
      }
}

TEST_CASE("symmetric sweeps: as a preconditioner they are the same, and symmetric", "[sim][linear]") {
  for (const bool coupled : {false, true}) {
    Random random(7);
    const Topology t = network(60, coupled, random);
    const BlockMatrix A = matrix(t, 1, 30, random);
    const auto sweeps = sweeps_of(A);
    REQUIRE(sweeps);
    const Points a = random.points(A), b = random.points(A);
    Points Pa, Pb;
    sweeps->apply(a, Pa);
    sweeps->apply(b, Pb);
    CHECK(Pa.col(2).isZero(0));
    CHECK(flat(a).dot(flat(Pb)) == Approx(flat(b).dot(flat(Pa))).epsilon(1e-12));  // rounding
    CHECK(flat(a).dot(flat(Pa)) > 0);
    // Eisenstat's form makes the iterations of the plain one.
    Points x, y;
    const LinearOperator product = [&](const Points& in, Points& out) { A.multiply(in, out); };
    const CgReport eisenstat = solve_conjugate_gradients(A, *sweeps, b, {1e-300, 8}, x),
                   plain = solve_conjugate_gradients(product, *sweeps, b, {1e-300, 8}, y);
    CHECK(eisenstat.iterations == 8);
    CHECK((x - y).norm() < 1e-10 * y.norm());  // rounding, enlarged by the iterations
    CHECK(eisenstat.relative_residual == Approx(plain.relative_residual).epsilon(1e-6));
    // Of springs in random directions; of cloths and lattices it is a third.
    CHECK(4 * solve_conjugate_gradients(A, *sweeps, b, {1e-12, 500}, x).iterations <
          3 * solve_conjugate_gradients(A, BlockJacobi(A), b, {1e-12, 500}, y).iterations);
  }
}

TEST_CASE("symmetric sweeps: several systems at once are solved as one by one, in any units", "[sim][linear]") {
  for (const bool coupled : {false, true})
    for (const double mass : {1e-27, 1.0, 1e18})
      for (const Index systems : {1, 2, 7, 8, 9, 17}) {
        CAPTURE(coupled, mass, systems);
        Random random(31);
        const BlockMatrix A = matrix(network(70, coupled, random), mass, 30 * mass, random);
        const auto sweeps = sweeps_of(A);
        REQUIRE(sweeps);
        std::vector<Points> b, x;
        for (Index c = 0; c < systems; ++c) b.push_back(std::pow(10, 3 * random()) * mass * random.points(A));
        if (systems > 2) b[1].setZero();
        for (const double tolerance : {1e-3, 1e-12}) {
          const std::vector<CgReport> reports = sweeps->solve(b, {tolerance, 1000}, x);
          REQUIRE(std::ssize(reports) == systems);
          REQUIRE(std::ssize(x) == systems);
          for (Index c = 0; c < systems; ++c) {
            CAPTURE(c);
            Points alone, Ax(3, 70);
            const CgReport report = sweeps->solve(b[c], {tolerance, 1000}, alone);
            REQUIRE(report.converged);
            CHECK(reports[c].converged);
            CHECK_FALSE(reports[c].negative_curvature);
            CHECK(reports[c].relative_residual <= tolerance);
            CHECK((reports[c].iterations > 0) == !b[c].isZero(0));
            CHECK(x[c].col(2).isZero(0));
            // The residual times the condition number, at most 20 × 30.
            CHECK((x[c] - alone).norm() <= 2 * tolerance * 620 * alone.norm());
            if (b[c].isZero(0)) continue;
            A.multiply(x[c], Ax);
            CHECK((Ax - b[c]).norm() <= (tolerance + 1e-13 * 620) * b[c].norm());  // and rounding
          }
        }
      }
}

TEST_CASE("symmetric sweeps: every instruction set solves the same systems", "[sim][linear]") {
  for (const bool coupled : {false, true}) {
    Random random(41);
    const BlockMatrix A = matrix(network(70, coupled, random), 1, 30, random);
    const auto sweeps = sweeps_of(A);
    REQUIRE(sweeps);
    const Eigen::MatrixXd D = invertible(A);
    const std::vector<Points> b{random.points(A), random.points(A), random.points(A)};
    tests::with_every_instruction_set([&] {
      std::vector<Points> x(3);
      REQUIRE(sweeps->solve(b[0], {1e-12, 1000}, x[0]).converged);
      CHECK((D * flat(x[0]) - flat(b[0])).norm() <= 1e-11 * b[0].norm());  // and rounding
      for (const CgReport& report : sweeps->solve(b, {1e-12, 1000}, x)) CHECK(report.converged);
      for (std::size_t c = 0; c < 3; ++c) CHECK((D * flat(x[c]) - flat(b[c])).norm() <= 1e-11 * b[c].norm());
      Points z, w;
      sweeps->apply(b[1], z);
      sweeps->apply(b[2], w);
      CHECK(flat(b[2]).dot(flat(z)) == Approx(flat(b[1]).dot(flat(w))).epsilon(1e-12));  // symmetric
    });
  }
}

TEST_CASE("symmetric sweeps: a system that fails leaves those beside it alone", "[sim][linear][error]") {
  Topology row;
  row.particles = 6;
  row.springs = {{0, 1}, {1, 2}, {3, 4}, {4, 5}};
  BlockMatrix A(row);
  for (Index i = 0; i < 6; ++i) A.add_diagonal(i, 3 * Mat3::Identity());
  // Particles 0 to 2 have a negative eigenvalue, 3 to 5 have none.
  A.add_pair(0, 1, -Mat3::Identity());
  A.add_pair(1, 2, -1.9 * Mat3::Identity());
  A.add_diagonal(1, Mat3::Identity());
  A.add_pair(3, 4, Mat3::Identity());
  REQUIRE(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(invertible(A)).eigenvalues()[0] < 0);
  const auto sweeps = sweeps_of(A);
  REQUIRE(sweeps);
  Random random(37);
  std::vector<Points> b(4, Points::Zero(3, 6)), x;
  for (Index i = 0; i < 3; ++i) {
    b[0].col(i) = random.vector();
    b[1].col(3 + i) = random.vector();
    b[3].col(3 + i) = random.vector();
  }
  b[2](0, 4) = std::numeric_limits<double>::quiet_NaN();
  const std::vector<CgReport> reports = sweeps->solve(b, {1e-12, 100}, x);
  CHECK(reports[0].negative_curvature);
  CHECK_FALSE(reports[0].converged);
  CHECK_FALSE(reports[2].converged);
  for (const Index c : {1, 3}) {
    CHECK(reports[c].converged);
    const Vector want = invertible(A).ldlt().solve(flat(b[c]));
    CHECK((flat(x[c]) - want).norm() < 1e-11 * want.norm());  // condition number 5
  }
  const std::vector<CgReport> few = sweeps->solve({b[1], b[3]}, {1e-12, 1}, x);
  for (const CgReport& report : few) {
    CHECK_FALSE(report.converged);
    CHECK(report.iterations == 1);
    CHECK(report.relative_residual > 1e-12);
  }
}

TEST_CASE("symmetric sweeps: the order has two colors of chunks that no block joins", "[sim][linear]") {
  const Topology t = grid(70);
  const BlockMatrix A(t);
  const BlockPattern& pattern = *A.pattern();
  const SweepOrder& order = pattern.order;
  CHECK(order.places() == 70 * 70 - 2);
  REQUIRE(order.chunks() >= 4);
  REQUIRE(order.chunks() <= SweepOrder::most_chunks);
  std::vector<Index> chunk(order.places());
  for (Index c = 0; c < order.chunks(); ++c)
    for (Index i = order.chunk_begin[c]; i < order.chunk_begin[c + 1]; ++i) chunk[i] = c;
  const auto color = [&](Index place) { return chunk[place] >= order.first_color; };
  // Either triangle has each pair once, with its particles.
  std::vector<int> lower(order.pairs()), upper(order.pairs());
  const auto check_pair = [&](Index pair, Index later, Index earlier, std::vector<int>& count) {
    CHECK(earlier < later);
    CHECK(pattern.pair_of(order.particle[later], order.particle[earlier]) == pair);
    CHECK(pattern.pair_of(order.particle[earlier], order.particle[later]) == pair);
    CHECK(pattern.later[pair] == order.particle[later]);
    CHECK((chunk[later] == chunk[earlier] || color(later) != color(earlier)));
    ++count[pair];
  };
  for (Index i = 0; i < order.places(); ++i) {
    for (Index pair = order.lower_begin[i]; pair < order.lower_begin[i + 1]; ++pair)
      check_pair(pair, i, order.lower_column[pair], lower);
    for (Index e = order.upper_begin[i]; e < order.upper_begin[i + 1]; ++e)
      check_pair(order.upper_pair[e], order.upper_column[e], i, upper);
  }
  CHECK(lower == std::vector<int>(order.pairs(), 1));
  CHECK(upper == lower);
  Index blocks = 0;
  A.for_each_block([&](Index i, Index j, const Mat3&) { blocks += i != j; });
  CHECK(2 * order.pairs() == blocks);
}

TEST_CASE("symmetric sweeps: results do not depend on the number of threads", "[sim][linear][threads]") {
  Random random(11);
  Topology t = grid(90);
  for (Index i = 0; i + 90 < 90 * 90; i += 3) t.couplings.push_back({i, i + 90});
  const BlockMatrix A = matrix(t, 1, 50, random);
  const Points b = random.points(A);
  Points solution, product(3, A.particles()), applied;
  Vector magnitudes;
  std::vector<Points> panel;
  int iterations = 0;
  for (const int threads : {1, 2, 3}) {
    const tests::ThreadLimit limit(threads);
    Random again(11);
    const BlockMatrix same = matrix(t, 1, 50, again);
    Points x, Ax(3, A.particles()), z;
    const auto sweeps = sweeps_of(same);
    const CgReport report = sweeps->solve(b, {1e-10, 1000}, x);
    CHECK(report.converged);
    same.multiply(b, Ax);
    sweeps->apply(b, z);
    std::vector<Points> several;
    sweeps->solve({b, 2 * b, b.rowwise().reverse()}, {1e-10, 1000}, several);
    Vector M;
    same.multiply_magnitudes(b.colwise().norm().transpose(), M);
    if (threads == 1) {
      solution = x;
      product = Ax;
      applied = z;
      magnitudes = M;
      panel = several;
      iterations = report.iterations;
    }
    CHECK(x == solution);
    CHECK(Ax == product);
    CHECK(z == applied);
    CHECK(M == magnitudes);
    CHECK(several == panel);
    CHECK(report.iterations == iterations);
  }
}

TEST_CASE("symmetric sweeps: negative curvature is reported with its direction", "[sim][linear]") {
  Random random(13);
  Topology t = network(40, false, random);
  t.held.clear();
  BlockMatrix A = matrix(t, 1, 50, random);
  for (Index i = 0; i < 40; ++i) A.add_diagonal(i, -2.5 * Mat3::Identity());
  bool diagonal = true;
  for (Index i = 0; i < 40; ++i) diagonal = diagonal && Eigen::LLT<Mat3>(A.diagonal(i)).info() == Eigen::Success;
  if (!diagonal) CHECK_FALSE(sweeps_of(A));

  // Positive definite blocks on the diagonal of an indefinite matrix.
  Topology row;
  row.particles = 3;
  row.springs = {{0, 1}, {1, 2}};
  BlockMatrix B(row);
  for (Index i = 0; i < 3; ++i) B.add_diagonal(i, 3 * Mat3::Identity());
  B.add_pair(0, 1, -Mat3::Identity());
  B.add_pair(1, 2, -1.9 * Mat3::Identity());
  for (Index i = 0; i < 3; ++i) B.add_diagonal(i, (i == 1 ? 1.0 : 0.0) * Mat3::Identity());
  REQUIRE(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(invertible(B)).eigenvalues()[0] < 0);
  const auto sweeps = sweeps_of(B);
  REQUIRE(sweeps);
  Points x, p, Bp(3, 3);
  const CgReport report = sweeps->solve(random.points(B), {1e-12, 100}, x, &p);
  CHECK(report.negative_curvature);
  CHECK_FALSE(report.converged);
  REQUIRE(p.norm() > 0);
  B.multiply(p, Bp);
  CHECK(flat(p).dot(flat(Bp)) < 0);
}

TEST_CASE("symmetric sweeps: end cleanly on zero, too few iterations and NaN", "[sim][linear][error]") {
  Random random(17);
  const Topology t = network(40, false, random);
  const BlockMatrix A = matrix(t, 1, 50, random);
  const auto sweeps = sweeps_of(A);
  Points x, b = random.points(A);
  // A tape counts them in place of A.
  CHECK(sweeps->bytes() == A.bytes() + 2 * 6 * 38 * sizeof(double));
  CHECK(sweeps->solve(Points::Zero(3, 40), {1e-12, 500}, x).converged);
  CHECK(x.isZero(0));
  const CgReport few = sweeps->solve(b, {1e-12, 2}, x);
  CHECK_FALSE(few.converged);
  CHECK(few.iterations == 2);
  CHECK(few.relative_residual > 1e-12);
  b(0, 3) = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(sweeps->solve(b, {1e-12, 500}, x).converged);
}

TEST_CASE("block matrix: assigned and cleared, with any number of threads", "[sim][linear][threads]") {
  Random random(19);
  for (const bool coupled : {false, true}) {
    const Topology t = coupled ? network(50, true, random) : grid(120);
    const BlockMatrix A = matrix(t, 1, 3, random), zero(t);
    for (const int threads : {1, 3}) {
      const tests::ThreadLimit limit(threads);
      BlockMatrix same_pattern(A.pattern()), other_pattern(network(20, false, random));
      for (BlockMatrix* B : {&same_pattern, &other_pattern}) {
        B->assign(A);
        CHECK(blocks_of(*B) == blocks_of(A));
        B->set_zero();
        CHECK(blocks_of(*B) == blocks_of(zero));
      }
    }
  }
}
