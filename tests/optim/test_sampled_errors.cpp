// Errors of many values from random samples and from systems of their own, on linear problems whose whole Jacobian is
// at hand, and in a fit.

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <random>

#include "optim/fit.hpp"
#include "optim/fit/problem.hpp"
#include "optim/uncertainty/posterior_samples.hpp"
#include "optim/uncertainty/sampled_errors.hpp"
#include "sim/core/parallel_for.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/optim/linear_fit.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;
using namespace pithball::test;

namespace {

/// r and J as they are.
struct GivenRows final : Residual {
  Vector r;
  Eigen::MatrixXd J;
  GivenRows(Vector values, Eigen::MatrixXd derivative) : r(std::move(values)), J(std::move(derivative)) {}
  Index rows() const override { return J.rows(); }
  Index parameters() const override { return J.cols(); }
  Evaluation evaluate(const Vector&, Vector& value, Eigen::MatrixXd* jacobian) const override {
    value = r;
    if (jacobian) *jacobian = J;
    return {};
  }
};

std::unique_ptr<Linearization> linearize_given(const Residual& residual) {
  std::unique_ptr<Linearization> at;
  REQUIRE(residual.linearize(Vector::Zero(residual.parameters()), at).ok());
  return at;
}

std::vector<std::string> many_names(Index count) {
  std::vector<std::string> names;
  for (Index k = 0; k < count; ++k) names.push_back("p" + std::to_string(k));
  return names;
}

/// Blocks of three.
std::vector<std::vector<Index>> blocks_of_three(Index count) {
  std::vector<std::vector<Index>> blocks;
  for (Index k = 0; k < count; ++k) {
    if (k % 3 == 0) blocks.emplace_back();
    blocks.back().push_back(k);
  }
  return blocks;
}

/// Frames of series that each tell of values near to them, and little of others; the columns have very different
/// lengths. Each value's effect on neighboring rows has one sign, so that noise common to a frame matters.
Eigen::MatrixXd local_effects(Index frames, Index series, Index values) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd J(frames * series, values);
  for (Index k = 0; k < values; ++k) {
    const double size = std::pow(10.0, static_cast<double>(k % 5) - 2);
    for (Index f = 0; f < frames; ++f) {
      const double course = normal(random);
      for (Index s = 0; s < series; ++s) {
        const double away =
            static_cast<double>(s) / static_cast<double>(series) - static_cast<double>(k) / static_cast<double>(values);
        J(f * series + s, k) = size * std::exp(-20 * away * away) * (course + 0.3 * normal(random));
      }
    }
  }
  return J;
}

constexpr Index many_frames = 40, many_series = 18, many_values = 60;

/// A fit to noise of such rows; with priors of the mean information of the data, on every other value.
FitRows make_many(std::uint64_t seed, bool with_priors, double rho = 0, double common = 0) {
  std::mt19937_64 random(seed);
  FitRows fit;
  fit.order = make_order(1, many_frames, many_series);
  fit.J = local_effects(many_frames, many_series, many_values);
  fit.prior_J = Eigen::MatrixXd::Zero(with_priors ? many_values / 2 : 0, many_values);
  fit.prior = Vector::Zero(fit.prior_J.rows());
  for (Index k = 0; k < fit.prior_J.rows(); ++k) fit.prior_J(k, 2 * k) = fit.J.col(2 * k).norm();
  std::normal_distribution<double> normal;
  for (double& x : fit.prior) x = normal(random);
  solve(fit, make_noise(random, many_frames, many_series, rho, common));
  return fit;
}

/// A walk whose steps were seen twice: r_k = θ_k − θ_{k−1} + noise, so that the error of θ_k is √((k + 1)/2) and
/// conjugate gradients carry what the first value is known by a few values further with each iteration.
class ChainRows final : public Linearization {
 public:
  explicit ChainRows(Index values) : values_(values), r_(2 * values) {
    std::mt19937_64 random(12);
    std::normal_distribution<double> normal;
    for (double& x : r_) x = normal(random);
  }
  Index values() const { return values_; }
  const Vector& residual() const override { return r_; }
  Evaluation jvp(const Vector& d, Vector& Jd) const override {
    Vector steps = d;
    steps.tail(values_ - 1) -= d.head(values_ - 1);
    Jd.resize(2 * values_);
    Jd << steps, steps;
    return {};
  }
  Evaluation vjp(const Vector& w, Vector& Jtw) const override {
    const Vector steps = w.head(values_) + w.tail(values_);
    Jtw = steps;
    Jtw.head(values_ - 1) -= steps.tail(values_ - 1);
    return {};
  }

 private:
  Index values_;
  Vector r_;
};

struct SampleOptions {
  std::vector<Index> exact = {};
  std::vector<bool> held = {};
  UncertaintyOptions options = {};
};

SampledErrors sample_errors(const FitRows& fit, std::uint64_t seed = 1, const SampleOptions& wanted = {}) {
  const GivenRows data(fit.r, fit.J), priors(fit.prior, fit.prior_J);
  const auto at = linearize_given(data), below = linearize_given(priors);
  return compute_sampled_errors({*at, fit.prior.size() > 0 ? below.get() : nullptr, fit.loss, fit.order,
                                 blocks_of_three(fit.parameters()), wanted.held, wanted.exact},
                                many_names(fit.parameters()), wanted.options, seed);
}

/// Of 20 squares over their expectation, 20 times the mean is χ² of 20 degrees: within these of 60 values, whose joint
/// probability to miss is below 1e-3 (8e-6 on each side of each).
constexpr double least_of_samples = 3.0 / 20, most_of_samples = 60.2 / 20;

}  // namespace

TEST_CASE("sampled errors: they scatter about those of the whole Jacobian", "[optim][uncertainty][many]") {
  for (const bool with_priors : {false, true}) {
    INFO(with_priors);
    const FitRows fit = make_many(1, with_priors);
    const AllErrors whole = compute_all_errors(fit, compute_scores(fit), many_names(many_values));
    const SampledErrors many = sample_errors(fit);
    REQUIRE(many.failure.empty());
    CHECK(many.s == Approx(whole.posterior.formal.scale.s).epsilon(0.005));
    CHECK(many.determined_by_data == Approx(whole.posterior.determined_by_data).epsilon(0.1));
    CHECK(std::abs(many.degrees_of_freedom - whole.posterior.formal.scale.degrees_of_freedom) <= 5);
    double mean = 0;
    for (Index k = 0; k < many_values; ++k) {
      const double square = std::pow(many.formal[k] / whole.posterior.formal.standard_error[k], 2);
      INFO(k << ": " << square);
      CHECK(square > least_of_samples);
      CHECK(square < most_of_samples);
      mean += square / many_values;
      CHECK(many.origin[k] == ErrorOrigin::Samples);
      // Quantiles of t with 20 degrees: 95 % within, and 95 % below.
      CHECK(many.parameters[k].half_width >= 2.086 * many.formal[k] * 0.999);
      CHECK(many.parameters[k].one_sided >= 1.7247 * many.formal[k] * 0.999);
      CHECK(many.parameters[k].one_sided < 0.9 * many.parameters[k].half_width);
    }
    // Neighbors are correlated, as of some 20 independent ones: a standard deviation of √(2/20/20) = 0.07.
    CHECK(mean == Approx(1).margin(0.25));
    if (with_priors) CHECK(many.determined_by_data < 0.8 * many_values);
  }
}

TEST_CASE("sampled errors: more seeds give the errors as near as wanted", "[optim][uncertainty][many][reference]") {
  // The mean square of 40 × 20 samples is right to √(2/800) = 5 %; its mean over 60 values to 1 %.
  const FitRows fit = make_many(2, true);
  const Vector expected =
      compute_all_errors(fit, compute_scores(fit), many_names(many_values)).posterior.formal.standard_error;
  Vector square = Vector::Zero(many_values);
  for (std::uint64_t seed = 1; seed <= 40; ++seed) square += sample_errors(fit, seed).formal.cwiseAbs2() / 40;
  const Vector ratio = square.cwiseQuotient(expected.cwiseAbs2());
  CHECK(ratio.minCoeff() > 0.78);  // 4.4 standard deviations
  CHECK(ratio.maxCoeff() < 1.22);
  CHECK(ratio.mean() == Approx(1).margin(0.04));
}

TEST_CASE("sampled errors: a system of its own gives a value's error to 1e-6", "[optim][uncertainty][many]") {
  for (const bool with_priors : {false, true}) {
    const FitRows fit = make_many(3, with_priors);
    const AllErrors whole = compute_all_errors(fit, compute_scores(fit), many_names(many_values));
    const SampledErrors many = sample_errors(fit, 1, {.exact = {0, 7, 8, 59}});
    for (const Index k : {0, 7, 8, 59}) {
      CHECK(many.origin[k] == ErrorOrigin::Solved);
      // The scale is the samples': with priors it depends on their γ.
      const double of_scale = with_priors ? many.s / whole.posterior.formal.scale.s : 1;
      CHECK(many.formal[k] == Approx(whole.posterior.formal.standard_error[k]).epsilon(with_priors ? 0.02 : 1e-6));
      CHECK(of_scale == Approx(1).epsilon(0.005));
    }
    CHECK(many.origin[1] == ErrorOrigin::Samples);
    if (with_priors) continue;
    // … and its own interval is that of all degrees of freedom, not of 20.
    CHECK(many.parameters[7].half_width < 2.05 * std::max(many.parameters[7].formal, many.parameters[7].robust));
  }
  FitRows known = make_many(3, true);
  SampleOptions wanted{.exact = {0, 7, 8, 59}};
  wanted.options.absolute_sigma = true;
  const AllErrors whole = compute_all_errors(known, compute_scores(known), many_names(many_values), wanted.options);
  const SampledErrors many = sample_errors(known, 1, wanted);
  for (const Index k : wanted.exact)
    CHECK(many.formal[k] == Approx(whole.posterior.formal.standard_error[k]).epsilon(1e-6));
}

TEST_CASE("sampled errors: random signs find the ratio of robust to formal errors", "[optim][uncertainty][many]") {
  // Means over 40 fits of the square of the ratio, of which four columns of signs and five pairs leave some 15 % of
  // scatter: of the mean 2.5 %.
  for (const auto& [rho, common] : {std::pair{0.0, 0.0}, {0.0, 0.5}, {0.5, 0.0}}) {
    INFO(rho << ", " << common);
    double by_signs = 0, whole = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      FitRows fit = make_many(seed, false, rho, common);
      fit.order.series.clear();  // the ratio itself, without the covariance of series
      const AllErrors all = compute_all_errors(fit, compute_scores(fit), many_names(many_values));
      const SampledErrors many = sample_errors(fit, seed);
      CHECK(many.robust.autocorrelation == Approx(all.robust.autocorrelation));
      CHECK(many.robust.degrees_of_freedom == all.robust.degrees_of_freedom);
      whole += std::pow(all.robust.mean_ratio, 2) / 40;
      by_signs += std::pow(many.robust.mean_ratio, 2) / 40;
    }
    CHECK(by_signs == Approx(whole).epsilon(0.08));
    if (rho == 0 && common == 0) CHECK(whole == Approx(1.05).margin(0.07));  // with what ρ adds, never below 0
    if (common > 0) CHECK(whole > 1.3);
  }
}

TEST_CASE("sampled errors: directions without information are found, and nothing else", "[optim][uncertainty][many]") {
  FitRows fit = make_many(4, false);
  fit.J.col(20) = -2 * fit.J.col(59);  // only a sum of the two counts
  fit.J.col(33).setZero();
  fit.J.col(50) = fit.J.col(51) + fit.J.col(5);
  std::mt19937_64 random(4);
  fit.r = make_noise(random, many_frames, many_series, 0, 0);
  const SampledErrors many = sample_errors(fit, 1, {.exact = {20, 21}});
  for (Index k = 0; k < many_values; ++k) {
    INFO(k);
    const auto i = static_cast<std::size_t>(k);
    const bool is_null = k == 20 || k == 59 || k == 50 || k == 51 || k == 5;
    const ErrorOrigin expected = is_null   ? ErrorOrigin::Null
                                 : k == 33 ? ErrorOrigin::Unfelt
                                 : k == 21 ? ErrorOrigin::Solved
                                           : ErrorOrigin::Samples;
    CHECK(many.origin[i] == expected);
    CHECK(many.parameters[i].identifiable == (!is_null && k != 33));
    CHECK(std::isfinite(many.parameters[i].half_width) == (!is_null && k != 33));
    CHECK(many.direction[i].empty() == (!is_null && k != 33));
  }
  CHECK(many.direction[20].find("p59") != std::string::npos);
  CHECK(many.direction[33] == "p33 +1.00");
  // A prior on one of two tells both.
  fit.prior_J = Eigen::MatrixXd::Zero(1, many_values);
  fit.prior_J(0, 20) = 10;
  fit.prior = Vector::Zero(1);
  const SampledErrors told = sample_errors(fit);
  CHECK(told.origin[20] == ErrorOrigin::Samples);
  CHECK(told.origin[59] == ErrorOrigin::Samples);
  CHECK(told.origin[50] == ErrorOrigin::Null);
}

TEST_CASE("sampled errors: what conjugate gradients find to be flat is without information",
          "[optim][uncertainty][many]") {
  const Eigen::MatrixXd x = Eigen::MatrixXd::Constant(4, 3, 1e-3), residual = Eigen::MatrixXd::Constant(4, 3, 0.1),
                        none(4, 0);
  const BlockScaling scaling({{0}, {1}, {2}, {3}}, Eigen::MatrixXd::Identity(4, 4));
  SampleSettling settling(scaling, {.samples = 2, .probes = 1}, 4);
  settling.is_enough({.iteration = 1, .x = x, .residual = residual, .flat = none, .largest = 1});
  CHECK_FALSE(settling.has_null());
  const Eigen::MatrixXd flat = Eigen::Vector4d(0, 0.6, 0.8, 0);
  settling.is_enough({.iteration = 2, .x = x, .residual = residual, .flat = flat, .largest = 1});
  REQUIRE(settling.has_null());
  CHECK((settling.null() - flat).norm() < 1e-12);
}

TEST_CASE("sampled errors: values that are all but one have no small error", "[optim][uncertainty][many]") {
  // Two columns that differ by 1e-6 of their length: errors a million times those of either alone, found or rejected.
  FitRows fit = make_many(5, false);
  fit.J.col(20) = fit.J.col(41) + 1e-6 * fit.J.col(41).norm() / fit.J.col(12).norm() * fit.J.col(12);
  const SampledErrors many = sample_errors(fit);
  for (const Index k : {20, 41}) {
    const auto i = static_cast<std::size_t>(k);
    INFO(static_cast<int>(many.origin[i]) << " " << many.formal[k] * fit.J.col(k).norm());
    CHECK((many.origin[i] != ErrorOrigin::Samples || many.formal[k] * fit.J.col(k).norm() > 1e5));
  }
  CHECK(many.origin[21] == ErrorOrigin::Samples);
}

TEST_CASE("sampled errors: an error that had not settled is unknown, and its value not called undetermined",
          "[optim][uncertainty][many]") {
  const ChainRows chain(8001);
  const RowOrder order = make_order(1, 2, chain.values());
  const SampledErrors many = compute_sampled_errors(
      {chain, nullptr, RobustLoss(), order, blocks_of_three(chain.values()), {}, {}}, many_names(chain.values()));
  REQUIRE(many.failure.empty());
  Index unsettled = 0, null = 0;
  for (Index k = 0; k < chain.values(); ++k) {
    const ParameterErrors& p = many.parameters[k];
    null += many.origin[k] == ErrorOrigin::Null;
    if (many.origin[k] != ErrorOrigin::Unsettled) continue;
    ++unsettled;
    if (!(p.identifiable && many.direction[k].empty() && std::isnan(many.formal[k]) && std::isnan(p.half_width)))
      FAIL(k << " is " << many.formal[k] << " ± " << p.half_width << " along " << many.direction[k]);
  }
  CHECK(unsettled > chain.values() / 2);
  CHECK(null == 0);
}

TEST_CASE("sampled errors: held values are known to all others", "[optim][uncertainty][many]") {
  const FitRows fit = make_many(6, false);
  std::vector<bool> held(many_values, false);
  for (const Index k : {3, 4, 30}) held[k] = true;
  UncertaintyOptions options;
  options.held = held;
  const AllErrors whole = compute_all_errors(fit, compute_scores(fit), many_names(many_values), options);
  const SampledErrors many = sample_errors(fit, 1, {.exact = {5, 29, 30}, .held = held});
  CHECK(many.formal[5] == Approx(whole.posterior.formal.standard_error[5]).epsilon(1e-6));
  CHECK(many.formal[29] == Approx(whole.posterior.formal.standard_error[29]).epsilon(1e-6));
  CHECK(std::isnan(many.formal[30]));
  CHECK(many.origin[30] == ErrorOrigin::Held);
  CHECK(many.degrees_of_freedom == many_frames * many_series - (many_values - 3));
}

TEST_CASE("sampled errors: units change nothing but units", "[optim][uncertainty][many]") {
  const FitRows fit = make_many(7, false);
  const SampledErrors many = sample_errors(fit);
  FitRows other = fit;
  other.r *= 1e-7;
  other.J *= 1e-7;
  other.J.col(10) *= 1e5;
  const SampledErrors scaled = sample_errors(other);
  for (Index k = 0; k < many_values; ++k)
    CHECK(scaled.formal[k] * (k == 10 ? 1e5 : 1) == Approx(many.formal[k]).epsilon(1e-6));
  CHECK(scaled.robust.mean_ratio == Approx(many.robust.mean_ratio).epsilon(1e-6));
  CHECK(scaled.iterations == many.iterations);
}

TEST_CASE("sampled errors: with a loss they are Huber's", "[optim][uncertainty][many]") {
  FitRows fit = make_many(8, false);
  fit.loss = RobustLoss("huber", 1.5);
  std::mt19937_64 random(8);
  Vector noise = make_noise(random, many_frames, many_series, 0, 0);
  for (Index row = 0; row < noise.size(); row += 37) noise[row] += 40;
  solve(fit, noise);
  const AllErrors whole = compute_all_errors(fit, compute_scores(fit), many_names(many_values));
  const SampledErrors many = sample_errors(fit, 1, {.exact = {2, 40}});
  CHECK(many.data_scale == Approx(whole.posterior.data_scale).epsilon(1e-6));
  for (const Index k : {2, 40}) CHECK(many.formal[k] == Approx(whole.posterior.formal.standard_error[k]).epsilon(1e-6));
}

TEST_CASE("sampled errors: their intervals hold the truth", "[optim][uncertainty][many][coverage]") {
  // 200 fits of 60 values, each with samples of its own. Of t with 20 degrees 95 % of formal intervals hold the truth,
  // with a standard deviation below 0.5 % (60 values in a fit, correlated as of at least 10); the widest rather more.
  const FitRows plain = make_many(1, false);
  const Eigen::LDLT<Eigen::MatrixXd> H(plain.J.transpose() * plain.J);
  long formal = 0, widest = 0;
  constexpr int fits = 200;
  for (std::uint64_t seed = 1; seed <= fits; ++seed) {
    std::mt19937_64 random(1000 + seed);
    FitRows fit = plain;
    const Vector noise = make_noise(random, many_frames, many_series, 0, 0);
    const Vector theta = -H.solve(fit.J.transpose() * noise);
    fit.r = noise + fit.J * theta;
    const SampledErrors many = sample_errors(fit, seed);
    for (Index k = 0; k < many_values; ++k) {
      formal += std::abs(theta[k]) <= 2.08596 * many.formal[k] ? 1 : 0;
      widest += std::abs(theta[k]) <= many.parameters[k].half_width ? 1 : 0;
    }
  }
  const double all = fits * static_cast<double>(many_values);
  INFO(static_cast<double>(formal) / all << ", " << static_cast<double>(widest) / all);
  CHECK(static_cast<double>(formal) / all == Approx(0.95).margin(0.015));
  CHECK(static_cast<double>(widest) / all > 0.94);
  CHECK(static_cast<double>(widest) / all < 0.98);
}

namespace {

/// Charges of all particles and stiffnesses of all springs of the small body in a field.
FitProblem every_value(double noise) {
  FitProblem problem;
  problem.scenarios = {make_body("body", {.field = true})};
  problem.observations = {record(problem.scenarios[0], 1, noise, 5)};
  for (const char* value : {"charge", "stiffness"}) {
    Parameter p;
    p.value = value;
    p.entries.sharing = EntrySharing::None;
    p.range.transform = Transform::Kind::Log;
    problem.parameters.push_back(p);
  }
  problem.search.solver = "gauss_newton";
  return problem;
}

}  // namespace

TEST_CASE("fit: beyond the limit of whole Jacobians errors come from samples", "[optim][fit][many]") {
  FitProblem problem = every_value(1e-3);
  const FitReport whole = fit(problem);
  problem.uncertainty.full_limit = 5;
  problem.uncertainty.exact_standard_errors = {"stiffness"};
  const FitReport many = fit(problem);
  REQUIRE(many.estimates.parameters.size() == 10);
  CHECK(whole.estimates.uncertainty.samples == 0);
  CHECK(many.estimates.uncertainty.samples == 20);
  CHECK(many.estimates.uncertainty.exact.size() == 6);
  CHECK(many.estimates.uncertainty.products > 0);
  CHECK(many.estimates.residual_scale == Approx(whole.estimates.residual_scale).epsilon(1e-9));
  CHECK(many.estimates.degrees_of_freedom == whole.estimates.degrees_of_freedom);
  for (std::size_t k = 0; k < 10; ++k) {
    INFO(many.estimates.parameters[k].name);
    const FittedParameter &a = many.estimates.parameters[k], &b = whole.estimates.parameters[k];
    CHECK(a.estimate == b.estimate);
    if (k >= 4) {
      CHECK(a.errors.formal == Approx(b.errors.formal).epsilon(1e-5));
    } else {
      CHECK(std::pow(a.errors.formal / b.errors.formal, 2) > least_of_samples);
      CHECK(std::pow(a.errors.formal / b.errors.formal, 2) < most_of_samples);
    }
    CHECK(a.interval.lower < a.estimate);
    CHECK(a.interval.upper > a.estimate);
    CHECK(std::isfinite(a.interval.upper));
  }
  CHECK(many.estimates.correlation.size() == 0);
  CHECK(many.search.evaluations.adjoint > whole.search.evaluations.adjoint);
  problem.uncertainty.full_limit = 0;
  const FitReport none = fit(problem);
  CHECK(none.estimates.uncertainty.samples == 0);
  CHECK(std::isnan(none.estimates.parameters[0].standard_error));
}

TEST_CASE("fit: sampled errors do not depend on the number of threads", "[optim][fit][many]") {
  FitProblem problem = every_value(1e-3);
  problem.uncertainty.full_limit = 5;
  const int before = pithball::sim::max_threads();
  std::vector<FitReport> reports;
  for (const int threads : {1, 4}) {
    pithball::sim::set_max_threads(threads);
    reports.push_back(fit(problem));
  }
  pithball::sim::set_max_threads(before);
  for (std::size_t k = 0; k < 10; ++k) {
    CHECK(reports[0].estimates.parameters[k].standard_error == reports[1].estimates.parameters[k].standard_error);
    CHECK(reports[0].estimates.parameters[k].interval.upper == reports[1].estimates.parameters[k].interval.upper);
  }
}

TEST_CASE("fit: a value on a bound is held by sampled errors", "[optim][fit][many][bounds]") {
  FitProblem problem = every_value(1e-3);
  problem.parameters[1].range.upper = 11;  // stiffnesses are 9.6 to 14.4
  problem.parameters[1].initial = 10;
  problem.uncertainty.exact_standard_errors = {"charge"};
  const FitReport whole = fit(problem);
  problem.uncertainty.full_limit = 5;
  const FitReport many = fit(problem);
  Index held = 0;
  for (std::size_t k = 0; k < 10; ++k) {
    INFO(many.estimates.parameters[k].name);
    if (k < 4)
      CHECK(many.estimates.parameters[k].errors.formal ==
            Approx(whole.estimates.parameters[k].errors.formal).epsilon(1e-5));
    if (!many.estimates.parameters[k].interval.at_bound) continue;
    ++held;
    CHECK(std::isnan(many.estimates.parameters[k].standard_error));
  }
  CHECK(held >= 2);
}

TEST_CASE("fit: names of exact errors must be parameters", "[optim][fit][many][error]") {
  FitProblem problem = every_value(1e-3);
  problem.uncertainty.exact_standard_errors = {"damping"};
  const std::string said = complaint([&] { check(problem); });
  CHECK(said.find("exact_standard_errors") != std::string::npos);
}
