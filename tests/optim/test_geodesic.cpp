#include "optim/search/geodesic.hpp"

#include <cmath>
#include <functional>
#include <random>

#include "optim/search/levenberg_marquardt.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;

namespace {

/// r = e^θ − target.
struct Exponential final : Residual {
  double target = 1.5;
  Index rows() const override { return 1; }
  Index parameters() const override { return 1; }
  Evaluation evaluate(const Vector& p, Vector& r, Eigen::MatrixXd* J) const override {
    r = Vector::Constant(1, std::exp(p[0]) - target);
    if (J) *J = Eigen::MatrixXd::Constant(1, 1, std::exp(p[0]));
    return {};
  }
};

/// Sums of decays seen with noise, y(t) = Σ e^{−t e^θ_k} at 60 times: the sloppy model of Transtrum, Machta & Sethna
/// (Phys. Rev. E 83, 2011), whose minima hide at the end of narrow, curved valleys.
struct Decays final : Residual {
  Vector rates, noise = Vector::Zero(60);
  mutable int jacobians = 0;
  Index rows() const override { return 60; }
  Index parameters() const override { return rates.size(); }
  double time(Index n) const { return 0.05 * std::exp(0.08 * n); }
  Evaluation evaluate(const Vector& p, Vector& r, Eigen::MatrixXd* J) const override {
    r.resize(rows());
    if (J) J->resize(rows(), parameters());
    jacobians += J != nullptr;
    for (Index n = 0; n < rows(); ++n) {
      r[n] = -noise[n];
      for (Index k = 0; k < parameters(); ++k) {
        const double x = time(n) * std::exp(p[k]);
        r[n] += 100 * (std::exp(-x) - std::exp(-time(n) * rates[k]));
        if (J) (*J)(n, k) = -100 * x * std::exp(-x);
      }
    }
    return {};
  }
};

/// `count` rates about 1, whose logarithms are from −spread to spread nearly.
Decays noisy_decays(double spread, Index count) {
  Decays decays;
  decays.rates.resize(count);
  for (Index k = 0; k < count; ++k) decays.rates[k] = std::exp(spread * (2.0 * k - (count - 1)) / count);
  std::mt19937_64 random(5);
  for (double& one : decays.noise)  // uniform with variance 1
    one = std::sqrt(12.0) * (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5);
  return decays;
}

/// All logarithms near one value.
Vector start_of(const Decays& decays, double at) {
  return Vector::LinSpaced(decays.parameters(), at - 0.15, at + 0.15);
}

}  // namespace

TEST_CASE("geodesic: a step is Gauss and Newton's with the second-order term of the path", "[optim][minimizer]") {
  const Exponential exponential;
  MinimizerOptions options;
  options.max_iterations = 1;
  const MinimizerReport report = geodesic(exponential, Vector::Zero(1), {}, options);
  REQUIRE(report.path.size() == 2);
  // At 0 J = 1, D = 1 and r″(δ, δ) = δ² e^{hδ/3} about, over the tenth of the step where it is measured.
  const double lambda = 1e-3, first = 0.5 / (1 + lambda);
  const double curvature = 200 * (std::expm1(first / 10) - first / 10);
  CHECK(curvature == Approx(first * first).epsilon(0.02));
  CHECK(report.path[1][0] == Approx(first - curvature / 2 / (1 + lambda)).epsilon(1e-10));
  CHECK(std::abs(report.path[1][0] - std::log(1.5)) < 0.4 * std::abs(first - std::log(1.5)));
}

TEST_CASE("geodesic: where the second-order term is too long the step is Gauss and Newton's", "[optim][minimizer]") {
  Exponential exponential;
  exponential.target = 2;  // 2|δ₂|/|δ₁| = 1 about
  MinimizerOptions options;
  options.max_iterations = 1;
  const MinimizerReport report = geodesic(exponential, Vector::Zero(1), {}, options);
  CHECK(report.path.back()[0] == Approx(1 / (1 + 1e-3)).epsilon(1e-12));
}

TEST_CASE("geodesic: no step is longer than allowed", "[optim][minimizer]") {
  const Decays decays = noisy_decays(2, 4);
  Bounds bounds;
  bounds.step = Eigen::Vector4d(0.1, 1, 0.2, 1);
  const MinimizerReport report = geodesic(decays, start_of(decays, -1), bounds);
  const MinimizerReport free = geodesic(decays, start_of(decays, -1), {{}, {}, Vector::Ones(4)});
  REQUIRE(report.status == MinimizerStatus::Converged);
  Vector longest = Vector::Zero(4);
  for (std::size_t n = 1; n < report.path.size(); ++n)
    longest = longest.cwiseMax((report.path[n] - report.path[n - 1]).cwiseAbs());
  CHECK((longest.array() <= bounds.step.array() * (1 + 1e-12)).all());
  CHECK(longest[0] == Approx(0.1));
  CHECK(report.cost == Approx(free.cost).epsilon(1e-3));
}

TEST_CASE("geodesic: arrives where levenberg_marquardt ends in valleys", "[optim][minimizer]") {
  int plain = 0, all = 0;
  for (const double spread : {1.0, 2.0, 3.0})
    for (const Index count : {4, 6, 8})
      for (const double at : {-3.0, -1.0, 1.0, 3.0}) {
        INFO(count << " decays, spread " << spread << ", from " << at);
        const Decays decays = noisy_decays(spread, count);
        Vector r;
        REQUIRE(decays.evaluate(decays.rates.array().log(), r, nullptr).ok());
        const double at_truth = r.squaredNorm() / 2;
        const Bounds bounds{{}, {}, Vector::Ones(count)};
        decays.jacobians = 0;
        const MinimizerReport report = geodesic(decays, start_of(decays, at), bounds);
        CHECK(report.status == MinimizerStatus::Converged);
        CHECK(report.cost < at_truth);
        CHECK(decays.jacobians <= 40);
        CHECK(decays.jacobians == static_cast<int>(report.cost_history.size()) - (report.message == noise_message));
        plain += levenberg_marquardt(decays, start_of(decays, at)).cost < at_truth;
        ++all;
      }
  CHECK(plain < 0.7 * all);  // 18 of 36
}

TEST_CASE("geodesic: ends where noise hides what is left, and goes on where that is not wanted", "[optim][minimizer]") {
  const Decays decays = noisy_decays(2, 6);
  const Bounds bounds{{}, {}, Vector::Ones(6)};
  const MinimizerReport early = geodesic(decays, start_of(decays, -3), bounds);
  MinimizerOptions exact;
  exact.noise_tolerance = 0;
  const MinimizerReport late = geodesic(decays, start_of(decays, -3), bounds, exact);
  CHECK(early.message == noise_message);
  CHECK(late.message != noise_message);
  CHECK(early.cost_history.size() < late.cost_history.size());
  const double variance = 2 * late.cost / 54;
  CHECK(2 * (early.cost - late.cost) < 0.01 * variance);
}
