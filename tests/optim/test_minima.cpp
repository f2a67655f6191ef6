#include "optim/fit/minima.hpp"

#include <Eigen/LU>
#include <cmath>
#include <random>

#include "optim/fit.hpp"
#include "optim/search/levenberg_marquardt.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/optim/swing.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using test::contains;
using test::recorded_swing;

namespace {

Eigen::MatrixXd random_rows(Index rows, Index columns, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}

/// (θ² − 1)/σ, which has a minimum at 1 and another at −1, and a row that lifts the latter by Δχ² = `lift`.
class TwoWells final : public Residual {
 public:
  TwoWells(double sigma, double lift) : sigma_(sigma), lift_(lift) {}
  Index rows() const override { return 2; }
  Index parameters() const override { return 1; }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const override {
    const double x = theta[0];
    r.resize(2);
    r << (x * x - 1) / sigma_, std::sqrt(lift_) * (1 - x) / 2;
    if (!jacobian) return {};
    jacobian->resize(2, 1);
    *jacobian << 2 * x / sigma_, -std::sqrt(lift_) / 2;
    return {};
  }

 private:
  double sigma_, lift_;
};

struct Placed {
  std::vector<FoundMinimum> minima;
  MinimumPlaces places;
};

/// Searches of the two wells from these starts, sorted as a stage has them.
Placed place(const TwoWells& wells, const std::vector<double>& starts) {
  Placed placed;
  for (const double start : starts)
    placed.minima.push_back(
        {static_cast<Index>(placed.minima.size()), levenberg_marquardt(wells, Vector::Constant(1, start), {}, {})});
  std::ranges::stable_sort(placed.minima, {}, [](const FoundMinimum& m) { return m.found.cost; });
  const auto metric_at = [&](std::size_t n) -> std::optional<MinimumMetric> {
    Vector r;
    Eigen::MatrixXd J;
    wells.evaluate(placed.minima[n].found.theta, r, &J);
    return MinimumMetric(J, {true});
  };
  const MinimizerReport& best = placed.minima.front().found;
  placed.places = find_places(placed.minima, {.best = best.theta, .best_cost = best.cost, .indistinguishable = 3.84},
                              *metric_at(0), metric_at);
  return placed;
}

constexpr double slow = 3;  // Hz

double truth() { return std::pow(2 * M_PI * slow, 2); }

/// A swing that is filmed so slowly that a spring of another stiffness is seen at the same places: at 8 frames a second
/// 3 Hz look like 5 Hz.
FitProblem aliased(double noise, double periods = 6) {
  FitProblem problem =
      recorded_swing({.periods = periods, .frequency = slow, .frames_per_second = 8, .noise = noise, .guess = 0.95});
  problem.parameters[0].range.lower = 0.8 * truth();
  problem.parameters[0].range.upper = 3.4 * truth();
  problem.search.starts = {.count = static_cast<Index>(2 * periods), .factor = 3, .seed = 2};
  return problem;
}

}  // namespace

TEST_CASE("minima: the metric is that of the covariance's block, whatever the nuisance does", "[optim][minima]") {
  const Eigen::MatrixXd A = random_rows(20, 4, 1);
  const Eigen::MatrixXd C = (A.transpose() * A).inverse();
  const std::vector<bool> asked{true, false, true, false};
  const MinimumMetric metric(A, asked);
  Vector difference(4);
  difference << 0.3, 7, -0.2, -5;
  Eigen::Matrix2d block;
  block << C(0, 0), C(0, 2), C(2, 0), C(2, 2);
  const Eigen::Vector2d mine(0.3, -0.2);
  const double expected = mine.dot(block.inverse() * mine);
  REQUIRE(expected > 0.1);
  CHECK(metric.squared_distance(difference) == Approx(expected).epsilon(1e-10));
  difference[1] = difference[3] = 0;
  CHECK(metric.squared_distance(difference) == Approx(expected).epsilon(1e-10));
  CHECK(MinimumMetric(A, std::vector<bool>(4, true)).squared_distance(difference) ==
        Approx((A * difference).squaredNorm()).epsilon(1e-12));
}

TEST_CASE("minima: directions that nothing determines count nothing", "[optim][minima]") {
  Eigen::MatrixXd A = random_rows(20, 4, 2);
  A.col(1) = -2 * A.col(0);  // only 2 θ_0 − … along (2, 1) is not seen
  const MinimumMetric all(A, std::vector<bool>(4, true));
  CHECK(all.squared_distance((Vector(4) << 200, 100, 0, 0).finished()) < 1e-18 * std::pow(200, 2) * A.squaredNorm());
  CHECK(all.squared_distance((Vector(4) << 1, 0, 0, 0).finished()) == Approx(A.col(0).squaredNorm()));
  // A nuisance value that follows another one takes no direction of its own.
  A.col(3) = A.col(2);
  const MinimumMetric some(A, {true, true, false, false});
  const Vector a = A.col(0), b = A.col(2);
  const double left = a.squaredNorm() - std::pow(a.dot(b), 2) / b.squaredNorm();
  CHECK(some.squared_distance((Vector(4) << 1, 0, 0, 0).finished()) == Approx(left));
}

TEST_CASE(
    "minima: two equally good ones are two, a worse one is reported, and a point that is not a minimum is not one",
    "[optim][minima]") {
  const std::vector<double> starts{0.4, 2, -0.5, 1.2, -3};
  // Equally good, far apart beside the errors of 0.005.
  const Placed equal = place(TwoWells(0.01, 0), starts);
  REQUIRE(equal.places.places.size() == 2);
  CHECK(equal.places.places[0].searches + equal.places.places[1].searches == 5);
  CHECK(equal.places.places[1].delta_chi_square == Approx(0).margin(1e-9));
  CHECK_FALSE(equal.places.next);
  for (std::size_t n = 0; n < starts.size(); ++n) {
    const bool is_with_best = equal.minima[n].found.theta[0] * equal.minima[0].found.theta[0] > 0;
    CHECK(equal.places.place[n] == (is_with_best ? 0 : 1));
  }

  const Placed lifted = place(TwoWells(0.01, 2), starts);
  REQUIRE(lifted.places.places.size() == 2);
  CHECK(lifted.places.places[0].searches == 3);
  CHECK(lifted.places.places[1].searches == 2);
  CHECK(lifted.places.places[1].delta_chi_square == Approx(2).epsilon(0.01));  // the well is that much narrower

  const Placed worse = place(TwoWells(0.01, 30), starts);
  CHECK(worse.places.places.size() == 1);
  REQUIRE(worse.places.next);
  CHECK(worse.places.next->delta_chi_square == Approx(30).epsilon(0.01));
  CHECK(std::ranges::count(worse.places.place, -1) == 2);

  // Errors of 1: the two are within three of them, and one.
  const Placed wide = place(TwoWells(2, 0), starts);
  CHECK(wide.places.places.size() == 1);
  CHECK(wide.places.places[0].searches == 5);

  Placed lost = equal;
  for (FoundMinimum& minimum : lost.minima)
    if (minimum.found.theta[0] * lost.minima[0].found.theta[0] < 0) minimum.found.status = MinimizerStatus::Stalled;
  const MinimumPlaces none = find_places(
      lost.minima, {.best = lost.minima[0].found.theta, .best_cost = 0, .indistinguishable = 3.84},
      MinimumMetric(Eigen::MatrixXd::Constant(1, 1, 200), {true}), [](std::size_t) { return std::nullopt; });
  CHECK(none.places.size() == 1);
  CHECK(none.lost == 5 - none.places[0].searches);
  CHECK(none.lost > 0);
}

TEST_CASE("minima: an oscillation recorded too slowly has two stiffnesses, and both are reported with their errors",
          "[optim][minima][search]") {
  const FitReport report = fit(aliased(2e-3));
  CAPTURE(report.search.summary);
  REQUIRE(report.estimates.alternatives.size() == 1);
  const AlternativeEstimate& other = report.estimates.alternatives[0];
  const FittedParameter &a = report.estimates.parameters[0], &b = other.parameters[0];
  const double low = std::min(a.estimate, b.estimate), high = std::max(a.estimate, b.estimate);
  // 5 Hz for 3 Hz; the integrators' steps make both a little too stiff.
  CHECK(std::sqrt(high / low) == Approx(5.0 / 3).epsilon(0.01));
  CHECK(other.minimum.delta_chi_square < 4);
  CHECK(other.minimum.delta_chi_square >= 0);
  // A phase of so many radians in the whole film each: relative errors of the frequencies are as 5 to 3 the other way.
  CHECK(b.standard_error > 0);
  CHECK(b.standard_error / b.estimate * std::sqrt(b.estimate) ==
        Approx(a.standard_error / a.estimate * std::sqrt(a.estimate)).epsilon(0.2));
  CHECK(b.interval.lower < b.estimate);
  CHECK(b.interval.upper > b.estimate);
  Index here = 0, there = 0;
  for (const FitMinimum& minimum : report.search.stages.back().minima) {
    here += minimum.place == 0;
    there += minimum.place == 1;
  }
  CHECK(there == other.minimum.searches);
  CHECK(here > 0);
  REQUIRE(report.search.summary.size() == 1);
  CHECK(contains(report.search.summary[0], "of 12 searches ended at the reported minimum"));
  CHECK(contains(report.search.summary[0], "ended at another, equally good"));
}

TEST_CASE("minima: a recording that distinguishes two stiffnesses says by how much, and raises no alarm",
          "[optim][minima][search]") {
  FitProblem problem = recorded_swing(
      {.periods = 3, .frequency = slow, .frames_per_second = 50, .noise = 2e-3, .guess = 0.9, .steps_per_period = 400});
  problem.search.starts = {.count = 4, .factor = 1.3, .seed = 1};
  const FitReport same = fit(problem);
  CAPTURE(same.notes);
  CHECK(same.estimates.alternatives.empty());
  CHECK(same.notes.empty());
  REQUIRE(same.search.summary.size() == 1);
  CHECK(same.search.summary[0] == "4 of 4 searches ended at the reported minimum");

  problem.search.starts = {.count = 6, .factor = 4, .seed = 1};
  const FitReport several = fit(problem);
  CHECK(several.estimates.alternatives.empty());
  CHECK(several.notes.empty());
  CHECK(contains(several.search.summary.at(0), "; the next best has Δχ² = "));
  CHECK(several.estimates.parameters[0].estimate == Approx(same.estimates.parameters[0].estimate).epsilon(1e-6));
}

TEST_CASE("minima: correlated residuals do not distinguish two minima that independent ones do", "[optim][minima]") {
  // An offset that lasts ten frames is no noise of single frames: the two aliases then differ by what it happens to be.
  FitProblem problem = aliased(0, 12);
  for (Observation& o : problem.observations) {
    for (std::size_t f = 0; f < o.positions.size(); ++f) o.positions[f].array() += (f / 10 % 2 == 0 ? 4e-3 : -4e-3);
  }
  const FitReport report = fit(problem);
  REQUIRE(report.estimates.uncertainty.mean_ratio > 1.5);
  REQUIRE(report.estimates.alternatives.size() == 1);
  const std::vector<FitMinimum>& minima = report.search.stages.back().minima;
  double other = INFINITY;
  for (const FitMinimum& minimum : minima)
    if (minimum.place == 1) other = std::min(other, minimum.cost);
  const double independent = 2 * (other - minima.front().cost) / std::pow(report.estimates.residual_scale, 2);
  CHECK(report.estimates.alternatives[0].minimum.delta_chi_square ==
        Approx(independent / std::pow(report.estimates.uncertainty.mean_ratio, 2)).epsilon(1e-6));
}

TEST_CASE("minima: with a prior the places are those of the posterior with the scales that were found",
          "[optim][minima]") {
  FitProblem problem = aliased(2e-3);
  problem.parameters[0].priors = {LognormalPrior{truth(), 0.05}};
  const FitReport told = fit(problem);
  CAPTURE(told.search.summary);
  CHECK(told.estimates.alternatives.empty());
  CHECK(told.estimates.parameters[0].estimate == Approx(truth()).epsilon(0.02));
  // ln(25/9)/0.05 = 20 standard deviations away.
  CHECK(contains(told.search.summary.at(0), "the next best has Δχ² = "));
  problem.parameters[0].priors = {LognormalPrior{truth(), 2}};
  CHECK(fit(problem).estimates.alternatives.size() == 1);
}

TEST_CASE("minima: without errors costs are compared, and that is said", "[optim][minima]") {
  FitProblem problem =
      recorded_swing({.periods = 3, .frequency = slow, .frames_per_second = 50, .noise = 2e-3, .guess = 0.9});
  problem.search.starts = {.count = 3, .factor = 1.2, .seed = 1};
  problem.uncertainty.full_limit = 0;
  const FitReport report = fit(problem);
  REQUIRE(report.search.summary.size() == 1);
  CHECK(contains(report.search.summary[0], "3 of 3 searches ended at the best cost"));
  CHECK(contains(report.search.summary[0], "compared by cost only"));
}
