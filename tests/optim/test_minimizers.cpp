#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <functional>

#include "optim/fit/problem.hpp"
#include "optim/residual/robust_residual.hpp"
#include "optim/search/gauss_newton.hpp"
#include "optim/search/geodesic.hpp"
#include "optim/search/lbfgs.hpp"
#include "optim/search/levenberg_marquardt.hpp"
#include "sim/core/error.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;

namespace {

/// Rosenbrock's valley as least squares: r = (10 (y − x²), 1 − x), minimum 0 at (1, 1). Beyond `wall` in x it cannot be
/// evaluated.
struct Rosenbrock final : Residual {
  double wall = std::numeric_limits<double>::infinity();
  Index rows() const override { return 2; }
  Index parameters() const override { return 2; }
  Evaluation evaluate(const Vector& p, Vector& r, Eigen::MatrixXd* J) const override {
    if (p[0] > wall) return {"behind the wall"};
    r.resize(2);
    r << 10 * (p[1] - p[0] * p[0]), 1 - p[0];
    if (J) {
      J->resize(2, 2);
      *J << -20 * p[0], 10, -1, 0;
    }
    return {};
  }
};

/// States that follow each other by x_{k+1} = x_k + a sin x_k + b, seen with small errors; parameters a, b, then the
/// states two by two. Without structure, or as parts that depend on a, b and at most two pairs of states, which share
/// the columns of every other pair.
struct SeenStates final : Residual {
  static constexpr Index pairs = 12, states = 2 * pairs;
  explicit SeenStates(bool in_parts) : in_parts_(in_parts) {}
  Index rows() const override { return 2 * states - 1; }
  Index parameters() const override { return 2 + states; }
  ResidualStructure structure() const override {
    if (!in_parts_) return Residual::structure();
    ResidualStructure made{{1, 1}, {}};
    made.block_sizes.insert(made.block_sizes.end(), pairs, 2);
    for (Index k = 0; k < states; ++k) made.parts.push_back({k, 1, {{2 + k / 2, column(k) - k % 2}}});
    for (Index k = 0; k + 1 < states; ++k) {
      made.parts.push_back({states + k, 1, {{0, 0}, {1, 1}, {2 + k / 2, column(k) - k % 2}}});
      if (k % 2 == 1) made.parts.back().uses.push_back({2 + (k + 1) / 2, column(k + 1)});
    }
    return made;
  }
  Evaluation evaluate(const Vector& p, Vector& r, Eigen::MatrixXd* J) const override {
    r.resize(rows());
    if (J) J->setZero(rows(), in_parts_ ? 6 : parameters());
    for (Index k = 0; k < states; ++k) {
      r[k] = 0.01 * (p[2 + k] - seen(k));
      if (J) (*J)(k, column(k)) = 0.01;
      if (k + 1 == states) break;
      const Index row = states + k;
      r[row] = p[2 + k + 1] - p[2 + k] - p[0] * std::sin(p[2 + k]) - p[1];
      if (!J) continue;
      (*J)(row, 0) = -std::sin(p[2 + k]);
      (*J)(row, 1) = -1;
      (*J)(row, column(k)) = -1 - p[0] * std::cos(p[2 + k]);
      (*J)(row, column(k + 1)) = 1;
    }
    return {};
  }
  static double seen(Index k) { return 0.3 * k + 0.2 * std::sin(1.7 * k) + 0.01 * std::cos(9.0 * k); }

 private:
  Index column(Index state) const { return 2 + (in_parts_ ? state % 4 : state); }
  bool in_parts_;
};

struct Search {
  std::function<MinimizerReport(const Residual&, const Vector&, const Bounds&, const MinimizerOptions&,
                                const MinimizerWatch&)>
      minimize;
  MinimizerReport operator()(const Residual& residual, const Vector& start, const Bounds& bounds,
                             const MinimizerOptions& options, const MinimizerWatch& watch = {}) const {
    return minimize(residual, start, bounds, options, watch);
  }
};

struct NamedSearch {
  std::string name;
  Search search;
};

/// All minimizers of the registry.
std::vector<NamedSearch> searches() {
  std::vector<NamedSearch> all;
  for (const MinimizerInfo& minimizer : minimizers()) all.push_back({minimizer.name, {minimizer.minimize}});
  return all;
}

Vector pair(double a, double b) { return Eigen::Vector2d(a, b); }

}  // namespace

namespace {

/// r = A θ − b with a banded A of 400 rows and 300 columns, which shows itself in products only.
struct Chain final : Residual {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(400, 300);
  Vector b = Vector::Zero(400);
  Chain() {
    for (Index i = 0; i < A.rows(); ++i) {
      b[i] = std::sin(i);
      for (Index k = std::max<Index>(0, i - 100); k <= std::min(i, A.cols() - 1); ++k)
        A(i, k) = std::cos(0.7 * (i * k % 17)) * std::exp(-0.1 * (i - k));
    }
  }
  struct Products final : Linearization {
    const Eigen::MatrixXd& A;
    Vector r;
    Products(const Eigen::MatrixXd& a, Vector residual) : A(a), r(std::move(residual)) {}
    const Vector& residual() const override { return r; }
    Evaluation jvp(const Vector& d, Vector& Jd) const override {
      Jd = A * d;
      return {};
    }
    Evaluation vjp(const Vector& w, Vector& Jtw) const override {
      Jtw = A.transpose() * w;
      return {};
    }
  };
  Index rows() const override { return A.rows(); }
  Index parameters() const override { return A.cols(); }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* J) const override {
    if (J) return {"nobody shall ask for the matrix"};
    r = A * theta - b;
    return {};
  }
  Evaluation linearize(const Vector& theta, std::unique_ptr<Linearization>& at) const override {
    at = std::make_unique<Products>(A, A * theta - b);
    return {};
  }
};

}  // namespace

TEST_CASE("gauss_newton: solves a linear problem of many parameters by products alone", "[optim][minimizer]") {
  const Chain chain;
  const Eigen::MatrixXd& A = chain.A;
  const Vector exact = A.householderQr().solve(chain.b);
  const MinimizerReport report = gauss_newton(chain, Vector::Zero(A.cols()));
  CHECK(report.status == MinimizerStatus::Converged);
  CHECK(report.path.empty());  // of so many parameters nobody can follow it
  CHECK(report.cost == Approx((A * exact - chain.b).squaredNorm() / 2).epsilon(1e-8));
  CHECK((A * (report.theta - exact)).norm() < 1e-4 * chain.b.norm());  // a cost to 1e-10 leaves the root of it

  // The estimate of the diagonal: right in the mean, and each entry to a factor.
  std::unique_ptr<Linearization> at;
  Vector estimate;
  REQUIRE(chain.linearize(exact, at).ok());
  REQUIRE(at->normal_diagonal(estimate).ok());
  const Vector ratio = estimate.cwiseQuotient(Vector(A.colwise().squaredNorm().transpose()));
  CHECK(ratio.mean() ==
        Approx(1).epsilon(0.2));  // 8 probes: standard deviation 0.5 each, over 300 that are partly alike
  CHECK(ratio.minCoeff() > 0.02);
  CHECK(ratio.maxCoeff() < 5);
}

TEST_CASE("minimizers: all find the end of Rosenbrock's valley", "[optim][minimizer]") {
  for (const auto& [name, search] : searches()) {
    INFO(name);
    const MinimizerReport report = search(Rosenbrock{}, pair(-1.2, 1), {}, {});
    CHECK(report.status == MinimizerStatus::Converged);
    // Cost falls quadratically about the minimum: a tolerance of 1e-10 in it leaves about 1e-5 in the parameters.
    CHECK((report.theta - pair(1, 1)).norm() < 1e-4);
    REQUIRE(report.cost_history.size() > 2);
    CHECK(report.cost_history.front() == Approx(12.1));
    for (std::size_t k = 1; k < report.cost_history.size(); ++k)
      CHECK(report.cost_history[k] <= report.cost_history[k - 1]);
    CHECK(report.cost == Approx(report.cost_history.back()).margin(1e-15));
    // The way: each point has the cost that is told of it.
    REQUIRE(report.path.size() == report.cost_history.size());
    CHECK(report.path.front() == pair(-1.2, 1));
    for (std::size_t k = 0; k < report.path.size(); ++k) {
      Vector r;
      REQUIRE(Rosenbrock{}.evaluate(report.path[k], r, nullptr).ok());
      CHECK(r.squaredNorm() / 2 == Approx(report.cost_history[k]).epsilon(1e-9).margin(1e-15));
    }
  }
}

namespace {

/// An oscillator's track of 40 frames with a fixed disturbance, in units of its own over one sigma of 1: r = unit
/// (cos(e^θ0 t) + θ1 t − track). With a unit of 1e-9 it is a track of nanometers under a sigma of 1 m.
struct Track final : Residual {
  double unit = 1, disturbance = 0.01;
  Index rows() const override { return 40; }
  Index parameters() const override { return 2; }
  Evaluation evaluate(const Vector& p, Vector& r, Eigen::MatrixXd* J) const override {
    r.resize(rows());
    if (J) J->resize(rows(), 2);
    for (Index k = 0; k < rows(); ++k) {
      const double t = 0.1 * k, w = std::exp(p[0]);
      r[k] = unit * (std::cos(w * t) + p[1] * t - std::cos(2 * t) - 0.3 * t - disturbance * std::sin(7.0 * t * t));
      if (J) J->row(k) << -unit * std::sin(w * t) * w * t, unit * t;
    }
    return {};
  }
};

}  // namespace

TEST_CASE("minimizers: the unit of the residuals changes neither the way nor the end of a search",
          "[optim][minimizer]") {
  for (const auto& [name, search] : searches()) {
    const Vector start = pair(0.5, 0.1);
    for (const double disturbance : {0.0, 0.01}) {  // of none the cost falls to 0
      Track track;
      track.disturbance = disturbance;
      const MinimizerReport meters = search(track, start, {}, {});
      INFO(name << ": " << meters.message);
      REQUIRE(meters.status == MinimizerStatus::Converged);
      CHECK(meters.cost_history.size() > 3);
      CHECK((meters.theta - pair(std::log(2), 0.3)).norm() < (disturbance > 0 ? 0.01 : 1e-6));
      for (int power = -20; power <= 20; power += 5) {
        track.unit = std::pow(4, power);
        const MinimizerReport other = search(track, start, {}, {});
        INFO("4^" << power << ": " << other.message);
        CHECK(other.status == MinimizerStatus::Converged);
        CHECK(other.message == meters.message);
        CHECK(other.theta == meters.theta);  // to the last bit: powers of four commute with rounding
        CHECK(other.cost_history.size() == meters.cost_history.size());
        CHECK(other.cost == Approx(meters.cost * track.unit * track.unit).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("minimizers: the unit of a parameter changes neither the way nor the end of a search by a Jacobian",
          "[optim][minimizer]") {
  /// θ = unit · p
  struct Rescaled final : Residual {
    Track inner;
    Vector unit = Vector::Ones(2);
    Index rows() const override { return inner.rows(); }
    Index parameters() const override { return 2; }
    Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* J) const override {
      const Evaluation evaluation = inner.evaluate(theta.cwiseQuotient(unit), r, J);
      if (J) *J = *J * unit.cwiseInverse().asDiagonal();
      return evaluation;
    }
  };
  for (const auto& [name, search] : searches()) {
    if (name == "lbfgs") continue;  // its first step is along the gradient, which has the unit of 1/θ
    INFO(name);
    Rescaled rescaled;
    const Vector start = pair(0.5, 0.1);
    const MinimizerReport plain = search(rescaled, start, {}, {});
    for (const double unit : {std::pow(4, -20), std::pow(4, 20)})
      for (Index k = 0; k < 2; ++k) {
        rescaled.unit = Vector::Ones(2);
        rescaled.unit[k] = unit;
        const MinimizerReport other = search(rescaled, start.cwiseProduct(rescaled.unit), {}, {});
        CHECK(other.status == plain.status);
        CHECK(other.cost_history.size() == plain.cost_history.size());
        CHECK((other.theta.cwiseQuotient(rescaled.unit) - plain.theta).norm() < 1e-9);
      }
  }
}

TEST_CASE("minimizers: a search says which criterion ended it", "[optim][minimizer]") {
  const double none = 1e-300;
  for (const auto& [name, search] : searches()) {
    INFO(name);
    const auto end = [&, search = search](double function, double gradient, double parameter) {
      MinimizerOptions options;
      options.function_tolerance = function;
      options.gradient_tolerance = gradient;
      options.parameter_tolerance = parameter;
      return search(Track{}, pair(0.5, 0.1), {}, options).message;
    };
    CHECK(end(1e-3, none, none) == function_message);
    CHECK(end(none, 1e-2, none) == gradient_message);
    CHECK(end(none, none, 1e-2) == parameter_message);
  }
}

TEST_CASE("minimizers: nothing is done at a true minimum, and only there", "[optim][minimizer]") {
  for (const auto& [name, search] : searches()) {
    INFO(name);
    Track exact;
    exact.disturbance = 0;
    exact.unit = std::pow(4, -20);
    const MinimizerReport there = search(exact, pair(std::log(2), 0.3), {}, {});
    CHECK(there.status != MinimizerStatus::Failed);
    CHECK((there.theta - pair(std::log(2), 0.3)).norm() < 1e-9);
    CHECK(search(exact, pair(0.6, 0.2), {}, {}).cost_history.size() > 2);
  }
}

TEST_CASE("minimizers: all respect bounds that cut off the minimum", "[optim][minimizer]") {
  // With x ≤ 0.5 the best point is (0.5, 0.25).
  Bounds bounds{pair(-2, -2), pair(0.5, 2)};
  for (const auto& [name, search] : searches()) {
    INFO(name);
    const MinimizerReport report = search(Rosenbrock{}, pair(-1.2, 1), bounds, {});
    CHECK(report.theta[0] <= 0.5);
    CHECK(report.theta[0] == Approx(0.5).margin(1e-3));
    CHECK(report.theta[1] == Approx(0.25).margin(1e-3));
  }
}

TEST_CASE("minimizers: one-sided bounds and starts on a bound are no obstacle", "[optim][minimizer]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [name, search] : searches()) {
    INFO(name);
    CHECK((search(Rosenbrock{}, pair(0, 0), {pair(0, -infinity), pair(infinity, infinity)}, {}).theta - pair(1, 1))
              .norm() < 1e-3);
    CHECK((search(Rosenbrock{}, pair(0, 3), {pair(-infinity, -infinity), pair(infinity, 3)}, {}).theta - pair(1, 1))
              .norm() < 1e-3);
    CHECK((search(Rosenbrock{}, pair(2, 2), {pair(0, 0), pair(2, 2)}, {}).theta - pair(1, 1)).norm() < 1e-3);
  }
}

TEST_CASE("minimizers: steps to where nothing can be evaluated are shortened", "[optim][minimizer]") {
  /// r = 10 atan x with minimum at 0: the full Gauss–Newton step from 3 ends at −9.5, behind a wall at −2.
  struct Arctangent final : Residual {
    Index rows() const override { return 1; }
    Index parameters() const override { return 1; }
    Evaluation evaluate(const Vector& p, Vector& r, Eigen::MatrixXd* J) const override {
      if (p[0] < -2) return {"behind the wall"};
      r = Vector::Constant(1, 10 * std::atan(p[0]));
      if (J) *J = Eigen::MatrixXd::Constant(1, 1, 10 / (1 + p[0] * p[0]));
      return {};
    }
  };
  for (const auto& [name, search] : searches()) {
    INFO(name);
    const MinimizerReport report = search(Arctangent{}, Vector::Constant(1, 3), {}, {});
    CHECK(report.status == MinimizerStatus::Converged);
    CHECK(report.failed_evaluations > 0);
    CHECK(std::abs(report.theta[0]) < 1e-4);
  }
}

TEST_CASE("minimizers: a start that cannot be evaluated is reported, not thrown", "[optim][minimizer]") {
  Rosenbrock valley;
  valley.wall = 0;
  for (const auto& [name, search] : searches()) {
    INFO(name);
    const MinimizerReport report = search(valley, pair(1, 1), {}, {});
    CHECK(report.status == MinimizerStatus::Failed);
    CHECK(report.message.find("behind the wall") != std::string::npos);
    CHECK(report.theta == pair(1, 1));
    CHECK(report.failed_evaluations >= 1);
  }
}

TEST_CASE("minimizers: the stop flag and the iteration limit end a search with the best point", "[optim][minimizer]") {
  for (const auto& [name, search] : searches()) {
    INFO(name);
    std::atomic<bool> stop{false};
    std::vector<double> seen;
    const auto show = [&](const IterationReport& it) {
      seen.push_back(it.cost);
      if (it.iteration == 5) stop = true;
      REQUIRE(it.theta.size() == 2);
    };
    const MinimizerReport stopped = search(Rosenbrock{}, pair(-1.2, 1), {}, {}, {show, &stop});
    CHECK(stopped.status == MinimizerStatus::Stopped);
    CHECK(stopped.cost < stopped.cost_history.front());
    CHECK(seen == stopped.cost_history);

    MinimizerOptions short_run;
    short_run.max_iterations = 2;
    CHECK(search(Rosenbrock{}, pair(-1.2, 1), {}, short_run).status == MinimizerStatus::MaxIterations);
  }
}

TEST_CASE("minimizers: starts of the wrong size or outside the bounds are rejected", "[optim][minimizer][error]") {
  for (const auto& [name, search] : searches()) {
    INFO(name);
    CHECK_THROWS_AS(search(Rosenbrock{}, Vector::Zero(3), {}, {}), pithball::InvalidArgument);
    CHECK_THROWS_AS(search(Rosenbrock{}, pair(3, 0), {pair(0, 0), pair(2, 2)}, {}), pithball::InvalidArgument);
    CHECK_THROWS_AS(search(Rosenbrock{}, pair(std::nan(""), 0), {}, {}), pithball::InvalidArgument);
  }
}

namespace {

/// A constant seen through 3-component samples, some of them wild: r_j = θ − y_j.
struct Average final : Residual {
  Eigen::Matrix3Xd data;
  Index rows() const override { return data.size(); }
  Index parameters() const override { return 3; }
  Evaluation evaluate(const Vector& p, Vector& r, Eigen::MatrixXd* J) const override {
    r.resize(rows());
    if (J) J->resize(rows(), 3);
    for (Index j = 0; j < data.cols(); ++j) {
      r.segment<3>(3 * j) = p - data.col(j);
      if (J) J->middleRows<3>(3 * j).setIdentity();
    }
    return {};
  }
  std::vector<Index> samples() const {
    std::vector<Index> first;
    for (Index j = 0; j <= data.cols(); ++j) first.push_back(3 * j);
    return first;
  }
};

}  // namespace

TEST_CASE("robust_residual: its half square is half the sum of rho, and its Jacobian is the derivative",
          "[optim][robust][fd]") {
  Average average;
  average.data.resize(3, 4);
  average.data << 0.1, -0.2, 5, 0, 0.3, 0.1, -4, 0, 0.2, 0, 7, 0;
  const Vector p = Eigen::Vector3d(0.2, -0.1, 0.4);
  for (const std::string& kind : losses().names()) {
    const RobustLoss loss(kind, 0.5);
    INFO(kind);
    const RobustResidual robust(average, loss, average.samples());
    Vector r, raw, ahead, behind;
    Eigen::MatrixXd J;
    REQUIRE(robust.evaluate(p, r, &J).ok());
    average.evaluate(p, raw, nullptr);
    double expected = 0;
    for (Index j = 0; j < 4; ++j) expected += loss.value(raw.segment<3>(3 * j).squaredNorm());
    CHECK(r.squaredNorm() == Approx(expected).epsilon(1e-13));
    REQUIRE(J.norm() > 1);
    const double h = 1e-5;
    for (Index k = 0; k < 3; ++k) {
      robust.evaluate(p + h * Vector::Unit(3, k), ahead, nullptr);
      robust.evaluate(p - h * Vector::Unit(3, k), behind, nullptr);
      // Central difference: h² of the third derivative, about 1e-9 here.
      CHECK(((ahead - behind) / (2 * h) - J.col(k)).norm() < 1e-8);
    }
  }
}

TEST_CASE("robust_loss: rho is s near 0, has the stated slope, and grows more slowly than s", "[optim][robust]") {
  for (const std::string& kind : losses().names()) {
    const RobustLoss loss(kind, 2);
    if (!loss.is_robust()) continue;
    CHECK(loss.value(1e-6) == Approx(1e-6).epsilon(1e-6));
    for (double s : {0.5, 3.9, 4.1, 50.0}) {
      const double h = 1e-4 * s, slope = (loss.value(s + h) - loss.value(s - h)) / (2 * h);
      CHECK(loss.derivative(s) == Approx(slope).epsilon(1e-6));
    }
    CHECK(loss.value(400) < 80);
  }
}

TEST_CASE("robust_residual: outliers pull a huber or cauchy fit far less than least squares", "[optim][robust]") {
  Average average;
  average.data = Eigen::Matrix3Xd::Zero(3, 10);
  for (Index j = 0; j < 10; ++j) average.data(0, j) = 0.01 * (j - 4.5);
  average.data.col(3) << 100, 0, 0;  // one mistracked sample
  const auto error = [&](const char* kind) {
    const RobustResidual robust(average, RobustLoss(kind, 0.1), average.samples());
    return levenberg_marquardt(robust, Vector::Zero(3)).theta.norm();
  };
  CHECK(error("none") > 9.9);
  CHECK(error("huber") < 0.05);
  CHECK(error("cauchy") < 0.02);
}

TEST_CASE("levenberg_marquardt: a residual in parts has the same minimum", "[optim][minimizer]") {
  const SeenStates whole(false), parts(true);
  Vector start = Vector::Zero(whole.parameters());
  for (Index k = 0; k < SeenStates::states; ++k) start[2 + k] = SeenStates::seen(k);
  for (const double upper : {std::numeric_limits<double>::infinity(), 0.25}) {  // the bound of b is active
    CAPTURE(upper);
    Bounds bounds{Vector::Constant(start.size(), -std::numeric_limits<double>::infinity()),
                  Vector::Constant(start.size(), std::numeric_limits<double>::infinity())};
    bounds.upper[1] = upper;
    const MinimizerReport one = levenberg_marquardt(whole, start, bounds),
                          other = levenberg_marquardt(parts, start, bounds);
    CHECK(one.status == MinimizerStatus::Converged);
    CHECK(other.status == MinimizerStatus::Converged);
    CHECK(one.cost > 1e-8);
    CHECK((one.theta[1] == upper) == (upper < 1));
    CHECK(other.cost == Approx(one.cost).epsilon(1e-9));
    CHECK((other.theta - one.theta).norm() < 1e-5 * one.theta.norm());
  }
}
