#include <Eigen/Dense>
#include <random>

#include "sim/integrator/stage_linear_solver.hpp"
#include "sim/linear/krylov_solvers.hpp"
#include "sim/linear/preconditioner.hpp"
#include "sim/linear/symmetric_sweeps.hpp"
#include "sim/model/model.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

Topology ring(Index n, std::vector<Held> held = {}) {
  Topology t{.particles = n, .springs = {}, .held = std::move(held)};
  for (Index i = 0; i < n; ++i) t.springs.push_back({i, (i + 1) % n});
  return t;
}

Points random_points(Index n, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Points p(3, n);
  for (double& entry : p.reshaped()) entry = uniform(generator);
  return p;
}

/// shift·I and a random positive semidefinite block for every edge of the ring.
BlockMatrix ring_matrix(const Topology& t, double shift, unsigned seed) {
  BlockMatrix A(t);
  for (Index i = 0; i < t.particles; ++i) A.add_diagonal(i, shift * Mat3::Identity());
  const Points p = random_points(t.springs.size(), seed);
  for (std::size_t e = 0; e < t.springs.size(); ++e)
    A.add_pair(t.springs[e].i, t.springs[e].j, 10 * p.col(e) * p.col(e).transpose());
  return A;
}

Eigen::MatrixXd dense(const BlockMatrix& A) {
  const Index n = 3 * A.particles();
  Eigen::MatrixXd D(n, n);
  for (Index k = 0; k < n; ++k) {
    Points e = Points::Zero(3, A.particles()), Ae(3, A.particles());
    e.data()[k] = 1;
    A.multiply(e, Ae);
    D.col(k) = flat(Ae);
  }
  return D;
}

SparseMatrix lower(const Eigen::MatrixXd& A) { return Eigen::MatrixXd(A.triangularView<Eigen::Lower>()).sparseView(); }

/// The identity, for conjugate gradients without help.
struct Plain final : Preconditioner {
  void apply(const Points& r, Points& z) const override { z = r; }
  std::size_t bytes() const override { return 0; }
};

}  // namespace

TEST_CASE("block matrix: products, blocks and held particles agree with the dense matrix", "[sim][linear]") {
  const Topology free = ring(7), held = ring(7, {{2, {}}, {5, {}}});
  const BlockMatrix A = ring_matrix(free, 2, 1), B = ring_matrix(held, 2, 1);
  const Eigen::MatrixXd D = dense(A), E = dense(B);
  CHECK(A.blocks() == 7 + 2 * 7);
  CHECK((D - D.transpose()).norm() < 1e-14 * D.norm());
  double blocks = 0;
  A.for_each_block([&](Index i, Index j, const auto& block) {
    CHECK(block == D.block<3, 3>(3 * i, 3 * j));
    ++blocks;
  });
  CHECK(blocks == 21);
  for (Index i = 0; i < 7; ++i)
    for (Index j = 0; j < 7; ++j) {
      const bool out = B.is_held(i) || B.is_held(j);
      CHECK(E.block<3, 3>(3 * i, 3 * j) == (out ? Mat3(Mat3::Zero()) : Mat3(D.block<3, 3>(3 * i, 3 * j))));
    }
}

TEST_CASE("block matrix: a spring's block is added as that of its pair", "[sim][linear]") {
  const Topology t = ring(6, {{4, {}}});
  BlockMatrix springs(t), pairs(t);
  const Points b = random_points(6, 2);
  for (Index e = 0; e < 6; ++e) {
    const double across = 1 + e, along = 0.5 * e - 1;
    springs.add_spring(e, t.springs[e].i, t.springs[e].j, {across, along, b.col(e)});
    pairs.add_pair(t.springs[e].i, t.springs[e].j, across * Mat3::Identity() + along * b.col(e) * b.col(e).transpose());
  }
  const Eigen::MatrixXd want = dense(pairs);
  CHECK(want.norm() > 1);
  CHECK((dense(springs) - want).norm() < 1e-15 * want.norm());  // a few roundings of each number
}

TEST_CASE("symmetric block: its inverse is that of the matrix", "[sim][linear]") {
  const Points v = random_points(3, 7);
  const Mat3 A = v * v.transpose() + 0.1 * Mat3::Identity(), inverted = A.inverse();
  const SymmetricBlock found = inverse(symmetric_block(A));
  CHECK((found - symmetric_block(inverted)).norm() < 1e-12 * found.norm());  // ε times a condition number below 1e3
}

TEST_CASE("block matrix: two springs between one pair share a block", "[sim][linear]") {
  const Topology twice{.particles = 2, .springs = {{0, 1}, {1, 0}}, .held = {}};
  BlockMatrix A(twice);
  CHECK(A.blocks() == 4);
  A.add_pair(0, 1, Mat3::Identity());
  A.add_pair(1, 0, Mat3::Identity());
  CHECK(A.diagonal(0) == 2 * Mat3::Identity());
  CHECK(A.bytes() == (2 + 1) * 6 * sizeof(double));
}

TEST_CASE("block matrix: couplings have blocks that are not symmetric, in products, magnitudes and factors",
          "[sim][linear]") {
  Topology t = ring(6, {{4, {}}});
  for (Index i = 0; i < 6; ++i) t.couplings.push_back({i, (i + 2) % 6});
  BlockMatrix A = ring_matrix(t, 30, 1);
  const Points p = random_points(6, 2), q = random_points(6, 3);
  for (Index i = 0; i < 6; ++i) A.add_coupling(i, (i + 2) % 6, p.col(i) * q.col(i).transpose());
  CHECK(A.blocks() == 6 + 2 * 6 + 2 * 6);
  const Eigen::MatrixXd D = dense(A);
  CHECK((D - D.transpose()).norm() < 1e-14 * D.norm());
  A.for_each_block([&](Index i, Index j, const Mat3& block) {
    CHECK((block - D.block<3, 3>(3 * i, 3 * j)).norm() < 1e-14 * D.norm());
  });
  int first_is_later = 0;
  for (const Index i : {0, 1, 3, 5}) {  // couplings of 4 are held
    const Index j = (i + 2) % 6;
    CHECK((D.block<3, 3>(3 * i, 3 * j) - p.col(i) * q.col(i).transpose()).norm() < 1e-14 * D.norm());
    first_is_later += A.pattern()->later[A.pattern()->pair_of(i, j)] == i;
  }
  CHECK((first_is_later > 0 && first_is_later < 4));
  const Vector reach = Vector::LinSpaced(6, 1, 2);
  Vector most;
  A.multiply_magnitudes(reach, most);
  for (Index i = 0; i < 6; ++i) {
    double sum = 0;
    for (Index j = 0; j < 6; ++j) sum += D.block<3, 3>(3 * i, 3 * j).norm() * reach[j];
    CHECK(most[i] == Approx(sum).epsilon(1e-13));
  }
  const auto factor = StageLinearSolver("cholesky").factorize(A);
  REQUIRE(factor);
  Points b = random_points(6, 5);
  b.col(4).setZero();
  Points solved(3, 6), back(3, 6);
  BlockFactor(*factor).apply(b, solved);
  A.multiply(solved, back);
  CHECK((back - b).norm() < 1e-12 * b.norm());
  A.set_zero();
  CHECK(dense(A).norm() == 0);
}

TEST_CASE("cholesky: solves like the dense factorization and reuses its analysis", "[sim][linear]") {
  const BlockMatrix A = ring_matrix(ring(20), 0.5, 2), B = ring_matrix(ring(20), 3, 4);
  const CholeskyAnalysis analysis(lower(dense(A)));
  const Points b = random_points(20, 6);
  for (const BlockMatrix* M : {&A, &B}) {
    const auto factor = analysis.factorize(lower(dense(*M)));
    REQUIRE(factor);
    const Vector want = dense(*M).llt().solve(flat(b));
    CHECK((factor->solve(flat(b)) - want).norm() < 1e-13 * want.norm() * 60);  // condition about 60
    CHECK(factor->bytes() >= 20 * 9 * sizeof(double));
  }
  CHECK(analysis.factor_nonzeros() >= 20 * 6);
  CHECK(analysis.factor_flops() > 0);
  // Several right-hand sides at once.
  const Eigen::MatrixXd many = Eigen::MatrixXd::Identity(60, 5);
  CHECK((dense(A) * analysis.factorize(lower(dense(A)))->solve(many) - many).norm() < 1e-12);
}

TEST_CASE("cholesky: an indefinite matrix is noticed", "[sim][linear]") {
  for (const Index n : {1, 4, 60}) {  // small ones are factorized simply, large ones in supernodes
    Eigen::MatrixXd D = Eigen::MatrixXd::Random(3 * n, 3 * n);
    D = (D * D.transpose() + Eigen::MatrixXd::Identity(3 * n, 3 * n)).eval();
    const CholeskyAnalysis analysis(lower(D));
    CHECK(analysis.factorize(lower(D)));
    const double smallest = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(D).eigenvalues()[0];
    CHECK_FALSE(analysis.factorize(lower(D - (smallest + 1e-3) * Eigen::MatrixXd::Identity(3 * n, 3 * n))));
    CHECK(analysis.factorize(lower(D - (smallest - 1e-3) * Eigen::MatrixXd::Identity(3 * n, 3 * n))));
    CHECK_FALSE(analysis.factorize(lower(-D)));
    CHECK(analysis.factorize(lower(D)));  // a failure leaves the analysis as it was
  }
}

TEST_CASE("conjugate gradients: every preconditioner leads to the same solution", "[sim][linear]") {
  for (const bool pinned : {false, true}) {
    const Topology t = pinned ? ring(30, {{4, {}}, {11, {}}}) : ring(30);
    const BlockMatrix A = ring_matrix(t, 0.3, 7);
    Eigen::MatrixXd D = dense(A);
    Points b = random_points(30, 8);
    for (Index i = 0; i < 30; ++i)
      if (A.is_held(i)) {
        b.col(i).setZero();
        D.block<3, 3>(3 * i, 3 * i).setIdentity();
      }
    const Vector want = D.llt().solve(flat(b));
    const CholeskyAnalysis analysis(lower(D));
    const BlockJacobi jacobi(A);
    const BlockFactor factor(analysis.factorize(lower(D)).value());
    int last = 0;
    const Plain plain;
    const auto sweeps = SymmetricSweeps::make(std::make_shared<BlockMatrix>(A));
    const std::vector<const Preconditioner*> preconditioners{&plain, &jacobi, sweeps.get(), &factor};
    for (const Preconditioner* P : preconditioners) {
      Points x;
      const CgReport report = solve_conjugate_gradients(A, *P, b, {1e-12, 500}, x);
      CHECK(report.converged);
      CHECK_FALSE(report.negative_curvature);
      CHECK(report.relative_residual <= 1e-12);
      CHECK((flat(x) - want).norm() < 1e-10 * want.norm());  // 1e-12 times the condition number, about 60
      last = report.iterations;
      if (pinned) CHECK(x.col(4).isZero(0));
    }
    CHECK(last <= 2);  // the factor of the matrix itself
  }
}

TEST_CASE("conjugate gradients: reports negative curvature with its direction", "[sim][linear]") {
  const BlockMatrix A = ring_matrix(ring(12), -0.8, 9);
  Points x, p;
  const CgReport report = solve_conjugate_gradients(A, Plain(), random_points(12, 10), {1e-12, 500}, x, &p);
  CHECK(report.negative_curvature);
  CHECK_FALSE(report.converged);
  Points Ap(3, 12);
  A.multiply(p, Ap);
  REQUIRE(p.norm() > 0);
  CHECK(flat(p).dot(flat(Ap)) < 0);
}

TEST_CASE("conjugate gradients: ends cleanly on zero, too few iterations and NaN", "[sim][linear][error]") {
  const BlockMatrix A = ring_matrix(ring(12), 0.5, 11);
  Points x, b = random_points(12, 12);
  CHECK(solve_conjugate_gradients(A, Plain(), Points::Zero(3, 12), {1e-12, 500}, x).converged);
  CHECK(x.isZero(0));
  const CgReport few = solve_conjugate_gradients(A, Plain(), b, {1e-12, 2}, x);
  CHECK_FALSE(few.converged);
  CHECK(few.iterations == 2);
  CHECK(few.relative_residual > 1e-12);
  b(0, 3) = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(solve_conjugate_gradients(A, Plain(), b, {1e-12, 500}, x).converged);
}
