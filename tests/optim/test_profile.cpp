#include "optim/uncertainty/profile.hpp"

#include <Eigen/QR>
#include <cmath>
#include <functional>

#include "optim/fit/fit.hpp"
#include "optim/uncertainty/uncertainty.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;
using pithball::test::complaint;
using pithball::test::contains;

namespace {

/// A residual given by a function, with the Jacobian by central differences.
class WrittenResidual final : public Residual {
 public:
  using Function = std::function<Vector(const Vector&)>;
  WrittenResidual(Index rows, Index parameters, Function f) : rows_(rows), parameters_(parameters), f_(std::move(f)) {}
  Index rows() const override { return rows_; }
  Index parameters() const override { return parameters_; }
  Evaluation evaluate(const Vector& theta, Vector& r, Eigen::MatrixXd* jacobian) const override {
    r = f_(theta);
    if (jacobian) {
      jacobian->resize(rows_, parameters_);
      for (Index k = 0; k < parameters_; ++k) {
        const Vector step = 1e-6 * Vector::Unit(parameters_, k);
        jacobian->col(k) = (f_(theta + step) - f_(theta - step)) / 2e-6;
      }
    }
    if (!r.allFinite()) return {"no number"};
    return {};
  }

 private:
  Index rows_, parameters_;
  Function f_;
};

ProfileOptions about(double half_width, double threshold = 3.841) {
  ProfileOptions options;
  options.threshold = threshold;
  options.step = half_width / 4;
  return options;
}

}  // namespace

TEST_CASE("profile: of a linear model it is the parabola of the standard error", "[optim][profile]") {
  Eigen::MatrixXd A(6, 3);
  A << 1, 2, 0.5, -1, 1, 3, 2, 0, 1, 0.3, -2, 1, 1, 1, -1, 0, 2, 2;
  Vector b(6);
  b << 1, 2, -1, 0.5, 0.3, 2;
  const WrittenResidual residual(6, 3, [&](const Vector& theta) -> Vector { return A * theta - b; });
  const Vector optimum = A.householderQr().solve(b);
  const Uncertainty u = compute_uncertainty(A * optimum - b, A, {"a", "b", "c"});
  for (Index k = 0; k < 3; ++k) {
    ProfileOptions options = about(u.half_width[k], std::pow(u.half_width[k] / u.standard_error[k], 2));
    options.scale = u.s;
    const Profile profile = compute_profile(residual, optimum, k, options);
    INFO(k);
    CHECK(profile.lower.closed);
    CHECK(profile.upper.closed);
    // √rise is found to 1e-4 of its target, and it is linear.
    CHECK(profile.upper.theta - optimum[k] == Approx(u.half_width[k]).epsilon(2e-4));
    CHECK(optimum[k] - profile.lower.theta == Approx(u.half_width[k]).epsilon(2e-4));
    REQUIRE(profile.points.size() > 8);
    for (const ProfilePoint& p : profile.points)
      CHECK(p.rise == Approx(std::pow((p.theta - optimum[k]) / u.standard_error[k], 2)).margin(1e-6));
    CHECK_FALSE(profile.found_better());
  }
}

TEST_CASE("profile: of a curved model it is the curve, not the parabola", "[optim][profile]") {
  // r = ((ab − 1)/0.5, (b − 2)/0.4): best b for a given a minimises a quadratic, and Δχ² = (2a − 1)²/(0.25 + 0.16 a²).
  const WrittenResidual residual(
      2, 2, [](const Vector& t) -> Vector { return Eigen::Vector2d((t[0] * t[1] - 1) / 0.5, (t[1] - 2) / 0.4); });
  const auto rise = [](double a) { return std::pow(2 * a - 1, 2) / (0.25 + 0.16 * a * a); };
  const Vector optimum = Eigen::Vector2d(0.5, 2);
  const Profile profile = compute_profile(residual, optimum, 0, about(0.5));
  for (const ProfilePoint& p : profile.points) CHECK(p.rise == Approx(rise(p.theta)).epsilon(1e-5).margin(1e-9));
  REQUIRE(profile.upper.closed);
  REQUIRE(profile.lower.closed);
  for (const double end : {profile.lower.theta, profile.upper.theta}) CHECK(rise(end) == Approx(3.841).epsilon(3e-4));
  CHECK(profile.upper.theta - 0.5 > 1.2 * (0.5 - profile.lower.theta));  // lopsided, as no standard error can be
}

TEST_CASE("profile: one parameter alone needs no refit", "[optim][profile]") {
  // r_i = e^θ − y_i with mean 3: |r|² rises by n (e^θ − 3)².
  const WrittenResidual residual(
      4, 1, [](const Vector& t) -> Vector { return Eigen::Array4d(2, 4, 2.5, 3.5) * -1 + std::exp(t[0]); });
  ProfileOptions options = about(0.3, 4);
  options.scale = 0.5;
  const Profile profile = compute_profile(residual, Vector::Constant(1, std::log(3.0)), 0, options);
  // 4 (p − 3)²/0.25 = 4: p = 3 ± 0.5.
  CHECK(std::exp(profile.lower.theta) == Approx(2.5).epsilon(1e-4));
  CHECK(std::exp(profile.upper.theta) == Approx(3.5).epsilon(1e-4));
}

TEST_CASE("profile: an end stays open where the data set no limit, at a bound, and where nothing can be run",
          "[optim][profile]") {
  // r = e^−θ saturates: from θ = 0.5 on, Δχ² never reaches 1 above.
  const WrittenResidual saturating(1, 1, [](const Vector& t) -> Vector {
    return Vector::Constant(1, t[0] > 5 ? NAN : std::max(0.0, std::exp(0.5 - t[0]) - 1));
  });
  ProfileOptions options = about(0.4, 1);
  options.reach = 3;
  Profile profile = compute_profile(saturating, Vector::Constant(1, 0.5), 0, options);
  CHECK(profile.lower.closed);
  CHECK(profile.lower.theta == Approx(0.5 - std::log(2.0)).epsilon(1e-3));
  CHECK_FALSE(profile.upper.closed);
  CHECK(profile.upper.theta == 3.5);
  CHECK(contains(profile.upper.reason, "as far as was looked"));
  options.reach = 7;
  profile = compute_profile(saturating, Vector::Constant(1, 0.5), 0, options);
  CHECK_FALSE(profile.upper.closed);
  CHECK(profile.upper.reason == "no number");
  options.bounds = {Vector::Constant(1, 0.2), Vector::Constant(1, 2)};
  profile = compute_profile(saturating, Vector::Constant(1, 0.5), 0, options);
  CHECK(profile.lower.theta == 0.2);
  CHECK(profile.lower.reason == "a bound");
  CHECK(profile.upper.theta == 2);

  // Two parameters of which only the sum counts.
  const WrittenResidual sum(
      2, 2, [](const Vector& t) -> Vector { return Eigen::Vector2d(t[0] + t[1] - 1, 2 * (t[0] + t[1] - 1)); });
  profile = compute_profile(sum, Eigen::Vector2d(0.5, 0.5), 0, about(1));
  CHECK_FALSE(profile.lower.closed);
  CHECK_FALSE(profile.upper.closed);
  for (const ProfilePoint& p : profile.points) CHECK(std::abs(p.rise) < 1e-6);
}

TEST_CASE("profile: a deeper minimum on the way is told", "[optim][profile]") {
  // (θ² − 1)² − θ/5-like: the minimum at −1 is the shallower one.
  const WrittenResidual wells(
      2, 1, [](const Vector& t) -> Vector { return Eigen::Vector2d(3 * (t[0] * t[0] - 1), 0.5 * (t[0] - 2)); });
  const Profile profile = compute_profile(wells, Vector::Constant(1, -0.979), 0, about(0.5, 12));
  CHECK(profile.found_better());
}

TEST_CASE("profile: settings are checked", "[optim][profile][error]") {
  const WrittenResidual residual(2, 2, [](const Vector& t) -> Vector { return t; });
  const Vector optimum = Vector::Zero(2);
  ProfileOptions options;
  options.scale = 0;
  CHECK(contains(complaint([&] { compute_profile(residual, optimum, 0, options); }), "must be finite and > 0"));
  CHECK(contains(complaint([&] { compute_profile(residual, optimum, 2, {}); }), "one of the parameters"));
  CHECK(contains(complaint([&] { compute_profile(residual, Vector::Constant(2, NAN), 0, {}); }), "can be run"));
}

TEST_CASE("profile: of a fit it is in physical values, and wanted by the name of a parameter or a value",
          "[optim][profile][fit]") {
  const auto truth = pithball::test::make_body("a");
  FitProblem problem;
  problem.scenarios = {truth};
  problem.observations = {pithball::test::record(truth, 5, 2e-3, 8)};
  for (const char* value : {"charge", "stiffness"}) {
    problem.parameters.push_back(pithball::test::shared(value, 1.1));
    problem.parameters.back().factor = true;
  }
  problem.profile = {"stiffness", "stiffness"};
  const FitReport report = fit(problem);
  REQUIRE(report.profiles.size() == 1);
  const FittedProfile& profile = report.profiles[0];
  CHECK(profile.name == "stiffness");
  CHECK(profile.open_below.empty());
  CHECK(profile.open_above.empty());
  CHECK(profile.warnings().empty());
  REQUIRE(profile.values.size() == profile.rises.size());
  // t² of 130 degrees of freedom, widened as the widest interval is.
  const FittedParameter& p = report.parameters[1];
  CHECK(profile.threshold == Approx(3.9 * std::pow(p.standard_error / p.formal_error, 2)).epsilon(0.03));
  // So little noise that the model is linear within it.
  CHECK(profile.interval_lower == Approx(p.interval_lower).epsilon(2e-3));
  CHECK(profile.interval_upper == Approx(p.interval_upper).epsilon(2e-3));
  CHECK(p.interval_upper - p.interval_lower > 1e-2);  // so that 2e-3 says something
  problem.profile = {"mass"};
  CHECK(contains(complaint([&] { check(problem); }), "must name parameters of the fit, got 'mass'"));
}
