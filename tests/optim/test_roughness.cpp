#include "optim/fit/roughness.hpp"

#include <cmath>
#include <limits>

#include "optim/search/levenberg_marquardt.hpp"
#include "sim/core/counter_noise.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;
using pithball::sim::CounterNoise;

namespace {

constexpr Index row_count = 400;

/// r_i = 30 a_i (θ − θ*) + noise + a ripple with a period that is a small part of a standard error, as contacts make.
class RippledLine final : public Residual {
 public:
  RippledLine(Vector truth, double ripple) : truth_(std::move(truth)), ripple_(ripple) {}
  Index rows() const override { return row_count; }
  Index parameters() const override { return truth_.size(); }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* J) const override {
    constexpr double period = 1e-5, slope = 30;
    const CounterNoise noise(1, 1), direction(1, 2);
    r.resize(row_count);
    if (J) J->setZero(row_count, theta.size());
    for (Index i = 0; i < row_count; ++i) {
      r[i] = noise.normal(i, 0, 0);
      for (Index k = 0; k < theta.size(); ++k) {
        const double a = slope * direction.normal(i, k, 0),
                     phase = 2 * M_PI * theta[k] / period + static_cast<double>(i);
        r[i] += a * (theta[k] - truth_[k]) + ripple_ * std::sin(phase);
        if (J) (*J)(i, k) = a + ripple_ * std::cos(phase) * 2 * M_PI / period;
      }
    }
    return {};
  }

 private:
  Vector truth_;
  double ripple_;
};

/// A stiffness of 200 and a damping of 0.3, both on a logarithmic scale.
Vector true_values() {
  Vector theta(2);
  theta << std::log(200), std::log(0.3);
  return theta;
}

ScannedProblem scanned(const Residual& residual) {
  return {residual, {}, std::vector<Transform>(residual.parameters(), Transform(Transform::Kind::Log)), {0, 1}};
}

}  // namespace

TEST_CASE("roughness: derivatives that predict nothing are recognized, and a smooth χ² is not rough",
          "[optim][roughness]") {
  const Vector truth = true_values();
  for (const double offset : {0.0, 0.4, -0.6}) {
    CAPTURE(offset);
    const Vector start = truth.array() + offset;
    const RippledLine smooth(truth, 0), rough(truth, 3);
    CHECK_FALSE(is_rough(scanned(smooth), start));  // a search that ended too early is no rough χ²
    const MinimizerReport found = levenberg_marquardt(smooth, start, {}, {});
    CHECK_FALSE(is_rough(scanned(smooth), found.theta));

    const MinimizerReport lost = levenberg_marquardt(rough, start, {}, {});
    CHECK((lost.theta - start).lpNorm<Eigen::Infinity>() < 0.05);  // it did not come far
    CHECK(is_rough(scanned(rough), lost.theta));
  }
}

TEST_CASE("roughness: a search counts the steps that it rejects", "[optim][minimizer][roughness]") {
  /// Rosenbrock's valley, along which long steps go astray.
  class Valley final : public Residual {
   public:
    Index rows() const override { return 2; }
    Index parameters() const override { return 2; }
    Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* J) const override {
      r.resize(2);
      r << 10 * (theta[1] - theta[0] * theta[0]), 1 - theta[0];
      if (J) J->resize(2, 2);
      if (J) *J << -20 * theta[0], 10, -1, 0;
      return {};
    }
  };
  Vector start(2);
  start << -1.2, 1;
  const MinimizerReport found = levenberg_marquardt(Valley(), start, {}, {});
  CHECK(found.status == MinimizerStatus::Converged);
  CHECK(found.rejected_steps >= 3);
  CHECK(found.rejected_steps < static_cast<int>(found.cost_history.size()));
  CHECK(levenberg_marquardt(RippledLine(true_values(), 0), true_values(), {}, {}).rejected_steps == 0);
}

TEST_CASE("roughness: looked for after rejected steps, and where residuals are above sigma", "[optim][roughness]") {
  const double degrees = 3659;
  MinimizerReport found;
  found.cost = degrees / 2;  // χ²/ν = 1
  CHECK_FALSE(may_be_rough(found, degrees));
  found.cost *= 1.09;  // 4 √(2/3659) = 0.094
  CHECK_FALSE(may_be_rough(found, degrees));
  found.cost *= 1.01;
  CHECK(may_be_rough(found, degrees));
  found.cost = degrees / 2;
  found.rejected_steps = 3;
  CHECK(may_be_rough(found, degrees));
}

TEST_CASE("roughness: a scan finds the values behind a rough χ², with intervals that contain them",
          "[optim][roughness]") {
  const Vector truth = true_values();
  for (const double offset : {0.3, -0.55, 1.1}) {
    CAPTURE(offset);
    const RippledLine rough(truth, 3);
    Vector theta = truth.array() + offset;
    const std::vector<RoughInterval> intervals = scan_rough(scanned(rough), 1.96, theta);
    REQUIRE(intervals.size() == 2);
    for (const RoughInterval& interval : intervals) {
      const double true_value = std::exp(truth[interval.entry]), found = std::exp(theta[interval.entry]);
      CAPTURE(interval.entry, found, interval.lower, interval.upper);
      CHECK(interval.lower < true_value);
      CHECK(true_value < interval.upper);
      CHECK(interval.lower < found);
      CHECK(found < interval.upper);
      CHECK(interval.upper < 1.6 * interval.lower);
      CHECK(interval.scatter > 0);
    }
  }
}

TEST_CASE("roughness: a value without effect has an open interval, and bounds end a scan", "[optim][roughness]") {
  /// Residuals that do not depend on the second value.
  class OneValue final : public Residual {
   public:
    Index rows() const override { return inner_.rows(); }
    Index parameters() const override { return 2; }
    Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* J) const override {
      Eigen::MatrixXd first;
      Evaluation evaluation = inner_.evaluate(theta.head(1), r, J ? &first : nullptr);
      if (J) *J = Eigen::MatrixXd::Zero(rows(), 2);
      if (J) J->col(0) = first;
      return evaluation;
    }

   private:
    RippledLine inner_{true_values().head(1), 3};
  };
  const OneValue residual;
  Vector theta = true_values();
  ScannedProblem problem = scanned(residual);
  problem.bounds.lower = Vector::Constant(2, -std::numeric_limits<double>::infinity());
  problem.bounds.lower[0] = std::log(190);
  const std::vector<RoughInterval> intervals = scan_rough(problem, 1.96, theta);
  CHECK(std::exp(theta[0]) >= Approx(190));
  CHECK(std::isinf(intervals[0].lower));  // the bound comes first
  CHECK(std::isfinite(intervals[0].upper));
  CHECK(std::isinf(intervals[1].lower));
  CHECK(std::isinf(intervals[1].upper));
}
