// Optimal designs against exact solutions.

#include <cmath>
#include <limits>

#include "optim/design/optimal_design.hpp"
#include "sim/core/error.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;

namespace {

/// A measurement of a polynomial Σ θ_k x^k at each x.
BlockPool polynomial(int degree, const std::vector<double>& at) {
  BlockPool pool{{}, Eigen::MatrixXd::Zero(degree + 1, degree + 1)};
  for (const double x : at) {
    Vector row(degree + 1);
    for (int k = 0; k <= degree; ++k) row[k] = std::pow(x, k);
    pool.blocks.push_back(row * row.transpose());
  }
  return pool;
}

/// Each of these places `times` times: one can be measured so often.
std::vector<double> repeated(const std::vector<double>& places, int times) {
  std::vector<double> all;
  for (const double x : places)
    for (int k = 0; k < times; ++k) all.push_back(x);
  return all;
}

/// `count` places from −1 to 1.
std::vector<double> grid(int count) {
  std::vector<double> places;
  for (int k = 0; k < count; ++k) places.push_back(2.0 * k / (count - 1) - 1);
  return places;
}

std::vector<double> places_of(const ChosenBlocks& chosen, const std::vector<double>& all) {
  std::vector<double> places;
  for (const Index block : chosen.blocks) places.push_back(all[block]);
  return places;
}

/// The smallest criterion of all choices of `count` blocks.
double exhaustive(const BlockPool& pool, const Criterion& criterion, Index count) {
  double best = std::numeric_limits<double>::infinity();
  for (unsigned set = 0; set < 1U << pool.blocks.size(); ++set) {
    if (__builtin_popcount(set) != count) continue;
    Eigen::MatrixXd total = pool.known + ridge_of(pool);
    for (std::size_t b = 0; b < pool.blocks.size(); ++b)
      if (set >> b & 1U) total += pool.blocks[b];
    best = std::min(best, log_mean_error(criterion, total));
  }
  return best;
}

}  // namespace

TEST_CASE("design: the criteria are logs of mean standard errors", "[optim][design]") {
  Eigen::MatrixXd M(2, 2);
  M << 5, 1, 1, 2;
  const Eigen::MatrixXd C = M.inverse();
  CHECK(log_mean_error({Optimality::D, {0, 1}}, M) == Approx(std::log(C.determinant()) / 4));
  CHECK(log_mean_error({Optimality::A, {0, 1}}, M) == Approx(std::log(C.trace() / 2) / 2));
  // The other value is unknown, not held: C_11 is not 1/M_11.
  CHECK(log_mean_error({Optimality::D, {0}}, M) == Approx(std::log(C(0, 0)) / 2));
  CHECK(log_mean_error({Optimality::A, {0}}, M) == Approx(std::log(C(0, 0)) / 2));
  // In another unit of a value D is shifted by a constant, also where units differ by many orders.
  const Vector unit = Vector::Map(std::vector<double>{1e-12, 1e9}.data(), 2);
  CHECK(log_mean_error({Optimality::D, {0, 1}}, unit.asDiagonal() * M * unit.asDiagonal()) ==
        Approx(std::log(C.determinant()) / 4 - std::log(1e-3) / 2));
  M << 1, 1, 1, 1;
  CHECK(std::isinf(log_mean_error({Optimality::D, {0, 1}}, M)));
}

TEST_CASE("design: D-optimal measurements of a line are at both ends, half at each", "[optim][design]") {
  const std::vector<double> all = repeated(grid(21), 5);
  const ChosenBlocks chosen = choose_blocks(polynomial(1, all), 10, {Optimality::D, {0, 1}});
  CHECK(places_of(chosen, all) == repeated({-1, 1}, 5));
}

TEST_CASE("design: D-optimal measurements of a parabola are a third each at both ends and the middle",
          "[optim][design]") {
  const std::vector<double> all = repeated(grid(21), 4);
  const ChosenBlocks chosen = choose_blocks(polynomial(2, all), 12, {Optimality::D, {0, 1, 2}});
  CHECK(places_of(chosen, all) == repeated({-1, 0, 1}, 4));
}

TEST_CASE("design: A-optimal measurements of a parabola are half in the middle, a quarter at each end",
          "[optim][design]") {
  // With weight w in the middle, tr C = 1/w + 1/(1 − w) + 1/(w (1 − w)) = 2/(w (1 − w)): smallest for w = 1/2.
  const std::vector<double> all = repeated(grid(21), 6);
  const ChosenBlocks chosen = choose_blocks(polynomial(2, all), 12, {Optimality::A, {0, 1, 2}});
  std::vector<double> expected = repeated({-1}, 3);
  for (const double x : repeated({0}, 6)) expected.push_back(x);
  for (const double x : repeated({1}, 3)) expected.push_back(x);
  CHECK(places_of(chosen, all) == expected);
}

TEST_CASE("design: exchange finds the best of all choices", "[optim][design]") {
  const BlockPool pool = polynomial(2, {-1, -0.83, -0.6, -0.41, -0.1, 0.05, 0.3, 0.47, 0.72, 0.9, 1});
  for (const Optimality optimality : {Optimality::D, Optimality::A})
    for (const Index count : {3, 4, 5, 7}) {
      INFO(count);
      const Criterion criterion{optimality, {0, 1, 2}};
      CHECK(choose_blocks(pool, count, criterion).loss == Approx(exhaustive(pool, criterion, count)).epsilon(1e-9));
    }
  const Criterion slope{Optimality::D, {1}};
  CHECK(choose_blocks(pool, 4, slope).loss == Approx(exhaustive(pool, slope, 4)).epsilon(1e-9));
}

TEST_CASE("design: what is known before is not measured again", "[optim][design]") {
  const std::vector<double> all = repeated(grid(21), 6);
  BlockPool pool = polynomial(1, all);
  for (int k = 0; k < 6; ++k) pool.known += pool.blocks.back();  // the right end, six times
  CHECK(places_of(choose_blocks(pool, 6, {Optimality::D, {0, 1}}), all) == repeated({-1}, 6));
}

TEST_CASE("design: a number of blocks that the pool does not have is rejected", "[optim][design][error]") {
  const BlockPool pool = polynomial(1, grid(3));
  CHECK_THROWS_AS(choose_blocks(pool, 4, {Optimality::D, {0, 1}}), InvalidArgument);
  CHECK_THROWS_AS(choose_blocks(pool, 0, {Optimality::D, {0, 1}}), InvalidArgument);
}

TEST_CASE("design: descent in a box finds minima inside and on its sides", "[optim][design]") {
  const Vector center = Vector::Map(std::vector<double>{0.3, 1.4, -0.5}.data(), 3);
  const auto bowl = [&](const Vector& x) {
    const Vector d = x - center;
    return d[0] * d[0] + 4 * d[1] * d[1] + 9 * d[2] * d[2] + d[0] * d[1];
  };
  const BoxDescent found = descend_in_box(bowl, Vector::Constant(3, 0.5), 100);
  // At x₁ = 1 and x₂ = 0: d₀ = −d₁/2 = 0.2. Differences are off by their step, the end by 1e-4 of the value.
  CHECK(found.x[0] == Approx(0.5).margin(0.02));
  CHECK(found.x[1] == 1);
  CHECK(found.x[2] == 0);
  // Where the function does not exist it does not go.
  const auto half = [&](const Vector& x) { return x[0] > 0.8 ? INFINITY : -x[0]; };
  const BoxDescent edge = descend_in_box(half, Vector::Constant(1, 0.1), 100);
  CHECK(edge.x[0] <= 0.8);
  CHECK(edge.x[0] > 0.3);
  // A hole beside the start makes the difference promise what no step keeps: the value is that at the point.
  const auto hole = [](const Vector& x) { return (std::abs(x[0] - 0.2001) < 5e-6 ? -1.0 : 0.0) - 1e-12 * x[0]; };
  const BoxDescent flat = descend_in_box(hole, Vector::Constant(1, 0.2), 100);
  CHECK(flat.x[0] > 0.2);
  CHECK(flat.value == hole(flat.x));
}
