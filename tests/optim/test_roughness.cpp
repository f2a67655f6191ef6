#include "optim/fit/fit_optimum.hpp"

#include <cmath>
#include <limits>
#include <numeric>

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
  RippledLine(Vector truth, double ripple, double period = 1e-5, double slope = 30)
      : truth_(std::move(truth)), ripple_(ripple), period_(period), slope_(slope) {}
  Index rows() const override { return row_count; }
  Index parameters() const override { return truth_.size(); }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* J) const override {
    const CounterNoise noise(1, 1), direction(1, 2);
    r.resize(row_count);
    if (J) J->setZero(row_count, theta.size());
    for (Index i = 0; i < row_count; ++i) {
      r[i] = noise.normal(i, 0, 0);
      for (Index k = 0; k < theta.size(); ++k) {
        const double a = slope_ * direction.normal(i, k, 0),
                     phase = 2 * M_PI * theta[k] / period_ + static_cast<double>(i);
        r[i] += a * (theta[k] - truth_[k]) + ripple_ * std::sin(phase);
        if (J) (*J)(i, k) = a + ripple_ * std::cos(phase) * 2 * M_PI / period_;
      }
    }
    return {};
  }

 private:
  Vector truth_;
  double ripple_, period_, slope_;
};

/// A stiffness of 200 and a damping of 0.3, both on a logarithmic scale.
Vector true_values() {
  Vector theta(2);
  theta << std::log(200), std::log(0.3);
  return theta;
}

ScannedProblem scanned(const Residual& residual) {
  std::vector<Index> all(residual.parameters());
  std::iota(all.begin(), all.end(), 0);
  return {residual,
          {},
          std::vector<Transform>(all.size(), Transform(Transform::Kind::Log)),
          all,
          residual.rows(),
          [&residual](const Vector& theta) { return square_at(residual, theta); }};
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

TEST_CASE("roughness: a ripple is recognized whose slope is large in standard errors, but not in residuals",
          "[optim][roughness]") {
  // As folds of a cloth make: the ripple changes r by some 2 standard errors, and its slope is 150 times that of the
  // line, so that standard errors are 150 times too small; χ²/ν is 1 within its scatter. 1 % of the value is 30 of
  // them.
  constexpr double ripple = 0.1, period = 3e-3;
  const Vector truth = true_values().head(1);
  int found_rough = 0;
  for (int k = 0; k < 8; ++k) {
    const RippledLine smooth(truth, 0, period, 1), rough(truth, ripple, period, 1);
    const Vector start = truth.array() + 0.004 * k + 0.01;
    CAPTURE(k);
    CHECK_FALSE(is_rough(scanned(smooth), levenberg_marquardt(smooth, start, {}, {}).theta));
    found_rough += is_rough(scanned(rough), levenberg_marquardt(rough, start, {}, {}).theta);
  }
  CHECK(found_rough == 8);
}

TEST_CASE("roughness: a curved model, a precise one and a bound are not rough", "[optim][roughness]") {
  /// r_i = a (exp(−t_i e^θ) − exp(−t_i)) + noise: how a decay curves with its rate.
  class Decay final : public Residual {
   public:
    explicit Decay(double height) : height_(height) {}
    Index rows() const override { return row_count; }
    Index parameters() const override { return 1; }
    Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* J) const override {
      const CounterNoise noise(2, 1);
      r.resize(row_count);
      if (J) J->resize(row_count, 1);
      for (Index i = 0; i < row_count; ++i) {
        const double t = 5.0 * static_cast<double>(i) / row_count, rate = std::exp(theta[0]);
        r[i] = height_ * (std::exp(-t * rate) - std::exp(-t)) + noise.normal(i, 0, 0);
        if (J) (*J)(i, 0) = -height_ * t * rate * std::exp(-t * rate);
      }
      return {};
    }

   private:
    double height_;
  };
  for (const double height : {0.1, 1.0, 10.0, 1e3, 1e6}) {  // standard errors from 100 % to 1e-5 % of the rate
    const Decay decay(height);
    const Vector end = levenberg_marquardt(decay, Vector::Constant(1, 0.2), {}, {}).theta;
    CAPTURE(height, end[0]);
    CHECK_FALSE(is_rough(scanned(decay), end));
    ScannedProblem bounded = scanned(decay);
    bounded.bounds = {Vector::Constant(1, -1), end};
    CHECK_FALSE(is_rough(bounded, end));  // the bound lies at the estimate: changed downward
    bounded.bounds.lower = end;
    CHECK_FALSE(is_rough(bounded, end));  // and cannot be changed
  }
}

TEST_CASE("roughness: a prior that is steep at its center and flat beyond is not rough", "[optim][roughness]") {
  /// A line, and below its rows √(2 (√(z² + ε²) − ε)) of z = (θ − θ*)/width, a Laplace prior with a rounded tip.
  class WithPrior final : public Residual {
   public:
    Index rows() const override { return line_.rows() + 1; }
    Index parameters() const override { return 1; }
    Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* J) const override {
      constexpr double tip = 0.1, width = 1e-3;
      Vector data;
      Eigen::MatrixXd slopes;
      Evaluation evaluation = line_.evaluate(theta, data, J ? &slopes : nullptr);
      const double z = (theta[0] - truth_[0]) / width, length = std::hypot(z, tip),
                   prior = std::sqrt(2 * (length - tip));
      r.resize(rows());
      r << data, prior;
      if (J) J->resize(rows(), 1);
      if (J) *J << slopes, z / (length * prior * width);
      return evaluation;
    }
    Index data_rows() const { return line_.rows(); }

   private:
    Vector truth_ = true_values().head(1);
    RippledLine line_{truth_, 0, 1, 1};
  };
  const WithPrior residual;
  const Vector near_tip = true_values().head(1).array() + 1e-6;  // the slope is that of the tip, 3 per width
  ScannedProblem problem = scanned(residual);
  CHECK(is_rough(problem, near_tip));  // with the prior as data it would be
  problem.data_rows = residual.data_rows();
  CHECK_FALSE(is_rough(problem, near_tip));
}

TEST_CASE("roughness: a scan finds the values behind a rough χ², with intervals that contain them",
          "[optim][roughness]") {
  const Vector truth = true_values();
  for (const auto& [offset, ripple] : std::vector<std::pair<double, double>>{
           {0.3, 3}, {-0.55, 3}, {1.1, 3}, {0.3, 1}, {0.39, 1}, {0.3, 0.3}, {0.39, 0.3}, {0.3, 0.1}, {0.39, 0.1}}) {
    CAPTURE(offset, ripple);
    const RippledLine rough(truth, ripple);
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

TEST_CASE("roughness: of one value alone, the interval is that of its scan of full width", "[optim][roughness]") {
  const Vector truth = true_values().head(1);
  for (const double offset : {0.3, 0.39, -0.55}) {
    CAPTURE(offset);
    const RippledLine rough(truth, 3);
    Vector theta = truth.array() + offset;
    const std::vector<RoughInterval> intervals = scan_rough(scanned(rough), 1.96, theta);
    REQUIRE(intervals.size() == 1);
    CAPTURE(std::exp(theta[0]), intervals[0].lower, intervals[0].upper);
    CHECK(intervals[0].lower < std::exp(truth[0]));
    CHECK(std::exp(truth[0]) < intervals[0].upper);
    CHECK(intervals[0].lower < std::exp(theta[0]));
    CHECK(std::exp(theta[0]) < intervals[0].upper);
    CHECK(intervals[0].upper < 1.6 * intervals[0].lower);
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
