#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <random>

#include "optim/search/conjugate_gradients.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;

namespace {

Eigen::MatrixXd normal_columns(Index rows, Index columns, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}

constexpr Index block_values = 80;

/// H = JᵀJ with columns of very different length, neighbors alike; and vectors of that covariance.
struct BlockProblem {
  Eigen::MatrixXd J, H, drawn;
  std::vector<std::vector<Index>> blocks;
  explicit BlockProblem(Index rows = 200) : J(normal_columns(rows, block_values, 1)) {
    for (Index k = 0; k < block_values; ++k) {
      if (k % 2 == 1) J.col(k) = J.col(k - 1) + 0.1 * J.col(k);
      if (k % 2 == 0) blocks.emplace_back();
      blocks.back().push_back(k);
    }
    for (Index k = 0; k < block_values; ++k) J.col(k) *= std::pow(10.0, static_cast<double>(k % 7 - 3));
    H = J.transpose() * J;
    drawn = J.transpose() * normal_columns(rows, 20, 2);
  }
  BlockProduct product() const {
    return [this](const Eigen::MatrixXd& X, Eigen::MatrixXd& HX) {
      HX = H * X;
      return Evaluation{};
    };
  }
};

/// x of H x = b, and how many iterations that took.
std::pair<Eigen::MatrixXd, Index> solve_block(const BlockProblem& problem, const BlockScaling& scaling,
                                              const Eigen::MatrixXd& b, double part) {
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(block_values, b.cols());
  Index iterations = 0;
  const Eigen::MatrixXd scaled = scaling.scale(b);
  const Evaluation evaluation = block_conjugate_gradients(
      problem.product(), scaling, scaled, x,
      [&](const BlockIterate& at) {
        iterations = at.iteration;
        return at.residual.norm() <= part * scaled.norm();
      },
      200);
  REQUIRE(evaluation.ok());
  return {scaling.stretch(x), iterations};
}

}  // namespace

TEST_CASE("conjugate gradients: blocks solve all columns, in fewer iterations than one at a time", "[optim][search]") {
  const BlockProblem problem;
  const BlockScaling scaling(problem.blocks, problem.drawn);
  const Eigen::MatrixXd b = problem.drawn.leftCols(8);
  const Eigen::MatrixXd expected = problem.H.ldlt().solve(b);
  const auto [x, together] = solve_block(problem, scaling, b, 1e-12);
  for (Index c = 0; c < 8; ++c) CHECK((x.col(c) - expected.col(c)).norm() < 1e-7 * expected.col(c).norm());
  const auto [first, alone] = solve_block(problem, scaling, b.leftCols(1), 1e-12);
  CHECK((first - expected.leftCols(1)).norm() < 1e-7 * expected.col(0).norm());
  CHECK(together <= 20);  // the space of 80 is full after 10 iterations
  CHECK(alone > 2 * together);
}

TEST_CASE("conjugate gradients: blocks of values that belong together save iterations", "[optim][search]") {
  const BlockProblem problem;
  std::vector<std::vector<Index>> alone;
  for (Index k = 0; k < block_values; ++k) alone.push_back({k});
  const Eigen::MatrixXd b = problem.drawn.leftCols(1);
  const Index with = solve_block(problem, BlockScaling(problem.blocks, problem.drawn), b, 1e-6).second;
  const Index without = solve_block(problem, BlockScaling(alone, problem.drawn), b, 1e-6).second;
  CHECK(with < without);
}

TEST_CASE("conjugate gradients: columns that depend on each other do no harm", "[optim][search]") {
  const BlockProblem problem;
  const BlockScaling scaling(problem.blocks, problem.drawn);
  Eigen::MatrixXd b = problem.drawn.leftCols(5);
  b.col(3) = b.col(0) - 2 * b.col(1);
  b.col(4).setZero();
  const auto [x, iterations] = solve_block(problem, scaling, b, 1e-12);
  const Eigen::MatrixXd expected = problem.H.ldlt().solve(b);
  for (Index c = 0; c < 4; ++c) CHECK((x.col(c) - expected.col(c)).norm() < 1e-7 * expected.col(c).norm());
  CHECK(x.col(4).norm() < 1e-10 * x.col(0).norm());
}

TEST_CASE("conjugate gradients: a singular system that has a solution gets one", "[optim][search]") {
  const BlockProblem problem(50);  // of 80 directions 50 have information
  const BlockScaling scaling(problem.blocks, problem.drawn);
  const Eigen::MatrixXd b = problem.drawn.leftCols(6);
  const auto [x, iterations] = solve_block(problem, scaling, b, 1e-10);
  CHECK((problem.H * x - b).norm() < 1e-6 * b.norm());
}

TEST_CASE("conjugate gradients: values without effect and outside all blocks stay 0", "[optim][search]") {
  BlockProblem problem;
  problem.drawn.row(4).setZero();
  problem.blocks.pop_back();
  const BlockScaling scaling(problem.blocks, problem.drawn);
  CHECK_FALSE(scaling.takes_part(4));
  CHECK(scaling.takes_part(5));
  CHECK_FALSE(scaling.takes_part(block_values - 1));
  const auto [x, iterations] = solve_block(problem, scaling, problem.drawn.leftCols(2), 1e-10);
  for (const Index k : {Index{4}, block_values - 2, block_values - 1}) CHECK(x.row(k).norm() == 0);
  CHECK(x.row(5).norm() > 0);
}

TEST_CASE("conjugate gradients: a product that fails is passed on", "[optim][search][error]") {
  const BlockProblem problem;
  const BlockScaling scaling(problem.blocks, problem.drawn);
  Eigen::MatrixXd x = Eigen::MatrixXd::Zero(block_values, 1);
  const Evaluation evaluation = block_conjugate_gradients(
      [](const Eigen::MatrixXd&, Eigen::MatrixXd&) { return Evaluation{"diverged"}; }, scaling,
      scaling.scale(problem.drawn.leftCols(1)), x, [](const BlockIterate&) { return false; }, 5);
  CHECK(evaluation.failure == "diverged");
}
