#include "optim/uncertainty/profile.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <functional>

#include "optim/fit.hpp"
#include "optim/fit/problem.hpp"
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

/// The optimum at `theta`, its curvature from the Jacobian there.
Optimum optimum_at(const Residual& residual, const Vector& theta) {
  Vector r;
  Eigen::MatrixXd J;
  residual.evaluate(theta, r, &J);
  const Eigen::MatrixXd H = J.transpose() * J;
  return {residual, theta, r.squaredNorm(), H.completeOrthogonalDecomposition().pseudoInverse()};
}

/// Both ends of entry k, as far away as the curvature says.
IntervalSought both_ends(const Optimum& optimum, Index k, double root = 1.96) {
  IntervalSought sought;
  sought.entry = k;
  sought.root = root;
  const double half_width = root * std::sqrt(optimum.inverse(k, k));
  sought.lower = optimum.theta[k] - half_width;
  sought.upper = optimum.theta[k] + half_width;
  return sought;
}

double curvature(const Optimum& optimum, const IntervalSought& sought) {
  Vector r;
  Eigen::MatrixXd J;
  optimum.residual.evaluate(optimum.theta, r, &J);
  return check_curvature(optimum, sought, [&](const Vector& w) -> Vector { return J.transpose() * w; });
}

/// r = ((ab − 1)/0.5, (b − 2)/0.4): best b for a given a minimizes a quadratic, and Δχ² = (2a − 1)²/(0.25 + 0.16 a²).
const WrittenResidual& product() {
  static const WrittenResidual residual(
      2, 2, [](const Vector& t) -> Vector { return Eigen::Vector2d((t[0] * t[1] - 1) / 0.5, (t[1] - 2) / 0.4); });
  return residual;
}
double product_rise(double a) { return std::pow(2 * a - 1, 2) / (0.25 + 0.16 * a * a); }

}  // namespace

TEST_CASE("profile: of a linear model it is the parabola of the standard error", "[optim][profile]") {
  Eigen::MatrixXd A(6, 3);
  A << 1, 2, 0.5, -1, 1, 3, 2, 0, 1, 0.3, -2, 1, 1, 1, -1, 0, 2, 2;
  Vector b(6);
  b << 1, 2, -1, 0.5, 0.3, 2;
  const WrittenResidual residual(6, 3, [&](const Vector& theta) -> Vector { return A * theta - b; });
  const Optimum optimum = optimum_at(residual, A.householderQr().solve(b));
  for (Index k = 0; k < 3; ++k) {
    IntervalSought sought = both_ends(optimum, k);
    CHECK(curvature(optimum, sought) < 1e-6);  // the written residual's Jacobian is one of differences
    sought.between = 3;
    const double error = std::sqrt(optimum.inverse(k, k));
    // From a guess that is far off, too.
    sought.upper = optimum.theta[k] + 0.3 * error;
    const Profile profile = compute_profile(optimum, sought);
    INFO(k);
    CHECK(profile.lower.closed);
    CHECK(profile.upper.closed);
    // Ends are found to 0.5 % of √Δχ², which is linear here.
    CHECK(profile.upper.theta - optimum.theta[k] == Approx(1.96 * error).epsilon(5e-3));
    CHECK(optimum.theta[k] - profile.lower.theta == Approx(1.96 * error).epsilon(5e-3));
    REQUIRE(profile.points.size() >= 9);
    CHECK(std::is_sorted(profile.points.begin(), profile.points.end(),
                         [](const ProfilePoint& p, const ProfilePoint& q) { return p.theta < q.theta; }));
    for (const ProfilePoint& p : profile.points)
      CHECK(p.rise == Approx(std::pow((p.theta - optimum.theta[k]) / error, 2)).margin(1e-6));
    CHECK_FALSE(profile.found_better());
  }
}

TEST_CASE("profile: of a curved model it is the curve, not the parabola", "[optim][profile]") {
  const Optimum optimum = optimum_at(product(), Eigen::Vector2d(0.5, 2));
  IntervalSought sought = both_ends(optimum, 0);
  CHECK(curvature(optimum, sought) > curved);
  sought.between = 3;
  const Profile profile = compute_profile(optimum, sought);
  // Steps that promise less than 1 % of Δχ² are not made; what they promise is counted, which leaves far less.
  for (const ProfilePoint& p : profile.points)
    CHECK(p.rise == Approx(product_rise(p.theta)).epsilon(3e-3).margin(1e-9));
  REQUIRE(profile.upper.closed);
  REQUIRE(profile.lower.closed);
  for (const double end : {profile.lower.theta, profile.upper.theta})
    CHECK(product_rise(end) == Approx(1.96 * 1.96).epsilon(1.5e-2));
  CHECK(profile.upper.theta - 0.5 > 1.2 * (0.5 - profile.lower.theta));  // lopsided, as no standard error can be
}

TEST_CASE("profile: a valley that bends is followed, and its bend is seen by the check", "[optim][profile]") {
  // r = (a, 5 (b − a²)): along the valley b = a², Δχ² = a² exactly, while the straight line leaves it.
  const WrittenResidual banana(
      2, 2, [](const Vector& t) -> Vector { return Eigen::Vector2d(t[0], 5 * (t[1] - t[0] * t[0])); });
  const Optimum optimum = optimum_at(banana, Eigen::Vector2d(0, 0));
  IntervalSought sought = both_ends(optimum, 0);
  CHECK(curvature(optimum, sought) > curved);
  sought.between = 2;
  const Profile profile = compute_profile(optimum, sought);
  CHECK(profile.lower.theta == Approx(-1.96).epsilon(5e-3));
  CHECK(profile.upper.theta == Approx(1.96).epsilon(5e-3));
  for (const ProfilePoint& p : profile.points) CHECK(p.rise == Approx(p.theta * p.theta).margin(0.02));
}

TEST_CASE("profile: one parameter alone needs no refit, and is walked in its physical value", "[optim][profile]") {
  // r_i = (e^θ − y_i)/0.5 with mean 3: Δχ² = 16 (e^θ − 3)², straight in p = e^θ and not in θ.
  const WrittenResidual residual(
      4, 1, [](const Vector& t) -> Vector { return 2 * (Eigen::Array4d(2, 4, 2.5, 3.5) * -1 + std::exp(t[0])); });
  const Optimum optimum = optimum_at(residual, Vector::Constant(1, std::log(3.0)));
  IntervalSought sought = both_ends(optimum, 0, 8);
  sought.transform = Transform(Transform::Kind::Log);
  CHECK(curvature(optimum, sought) > curved);
  const Profile profile = compute_profile(optimum, sought);
  // p = 3 ± 2.
  CHECK(std::exp(profile.lower.theta) == Approx(1).epsilon(1e-2));
  CHECK(std::exp(profile.upper.theta) == Approx(5).epsilon(2e-3));
  CHECK(profile.points.size() <= 8);
}

TEST_CASE("profile: an end stays open where the data set no limit, at a bound, and where nothing can be run",
          "[optim][profile]") {
  // r = e^−θ saturates: from θ = 0.5 on, Δχ² never reaches 1 above.
  const WrittenResidual saturating(1, 1, [](const Vector& t) -> Vector {
    return Vector::Constant(1, t[0] > 5 ? NAN : std::max(0.0, std::exp(0.5 - t[0]) - 1));
  });
  Optimum optimum = optimum_at(saturating, Vector::Constant(1, 0.5));
  IntervalSought sought;
  sought.lower = 0.1;
  sought.upper = 0.9;
  sought.root = 1;
  sought.reach = 3;
  Profile profile = compute_profile(optimum, sought);
  CHECK(profile.lower.closed);
  CHECK(profile.lower.theta == Approx(0.5 - std::log(2.0)).epsilon(2e-2));
  CHECK_FALSE(profile.upper.closed);
  CHECK(profile.upper.theta == 3.5);
  CHECK(contains(profile.upper.reason, "within the searched range"));
  sought.reach = 7;
  profile = compute_profile(optimum, sought);
  CHECK_FALSE(profile.upper.closed);
  CHECK(profile.upper.reason == "no number");
  optimum.bounds = {Vector::Constant(1, 0.2), Vector::Constant(1, 2)};
  profile = compute_profile(optimum, sought);
  CHECK(profile.lower.theta == 0.2);
  CHECK(profile.lower.reason == "a bound");
  CHECK(profile.upper.theta == 2);
  sought.lower = NAN;
  profile = compute_profile(optimum, sought);
  CHECK(std::isnan(profile.lower.theta));
  CHECK(profile.lower.reason.empty());

  // Two parameters of which only the sum counts.
  const WrittenResidual sum(
      2, 2, [](const Vector& t) -> Vector { return Eigen::Vector2d(t[0] + t[1] - 1, 2 * (t[0] + t[1] - 1)); });
  const Optimum either = optimum_at(sum, Eigen::Vector2d(0.5, 0.5));
  sought = both_ends(either, 0);
  sought.by_chords = false;
  profile = compute_profile(either, sought);
  CHECK_FALSE(profile.lower.closed);
  CHECK_FALSE(profile.upper.closed);
  for (const ProfilePoint& p : profile.points) CHECK(std::abs(p.rise) < 1e-6);
}

TEST_CASE("profile: a fit of the others that does not converge is no point", "[optim][profile]") {
  // The others have a curvature that the optimum does not know, so that chord steps overshoot, and one iteration is all
  // that they are given.
  const WrittenResidual steep(3, 2, [](const Vector& t) -> Vector {
    return Eigen::Vector3d(t[0], std::expm1(8 * t[0]) * (t[1] + 1) - t[1], 0.3 * t[1]);
  });
  const Optimum optimum = optimum_at(steep, Eigen::Vector2d(0, 0));
  IntervalSought sought = both_ends(optimum, 0);
  const Profile found = compute_profile(optimum, sought);
  sought.minimizer.max_iterations = 1;
  sought.minimizer.function_tolerance = 1e-15;
  const Profile cut = compute_profile(optimum, sought);
  CHECK(found.upper.closed);
  CHECK_FALSE(cut.upper.closed);
  CHECK(contains(cut.upper.reason, "did not converge"));
}

TEST_CASE("profile: a deeper minimum found on the way is reported", "[optim][profile]") {
  // (θ² − 1)² − θ/5-like: the minimum at −1 is the shallower one.
  const WrittenResidual wells(
      2, 1, [](const Vector& t) -> Vector { return Eigen::Vector2d(3 * (t[0] * t[0] - 1), 0.5 * (t[0] - 2)); });
  const Optimum optimum = optimum_at(wells, Vector::Constant(1, -0.979));
  IntervalSought sought = both_ends(optimum, 0, 3.5);
  sought.upper = 1;
  CHECK(compute_profile(optimum, sought).found_better());
}

TEST_CASE("profile: settings are checked", "[optim][profile][error]") {
  const WrittenResidual residual(2, 2, [](const Vector& t) -> Vector { return t; });
  const Optimum optimum = optimum_at(residual, Vector::Zero(2));
  IntervalSought sought = both_ends(optimum, 0);
  sought.root = 0;
  CHECK(contains(complaint([&] { compute_profile(optimum, sought); }), "must be finite and > 0"));
  sought = both_ends(optimum, 0);
  sought.entry = 2;
  CHECK(contains(complaint([&] { compute_profile(optimum, sought); }), "one of the parameters"));
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
  problem.uncertainty.profiles = {"stiffness", "stiffness"};
  const FitReport report = fit(problem);
  REQUIRE(report.estimates.profiles.size() == 1);
  const FittedProfile& profile = report.estimates.profiles[0];
  CHECK(profile.name == "stiffness");
  CHECK(profile.open_below.empty());
  CHECK(profile.open_above.empty());
  CHECK(profile.warnings().empty());
  REQUIRE(profile.values.size() == profile.rises.size());
  // As many formal standard errors as the widest interval is wide.
  const FittedParameter& p = report.estimates.parameters[1];
  const double half_width = (p.interval.upper - p.interval.lower) / 2;
  CHECK(profile.threshold == Approx(std::pow(half_width / p.errors.formal, 2)).epsilon(0.03));
  CHECK(p.interval.method == IntervalMethod::Linear);
  CHECK(p.interval.curvature < curved);
  // So little noise that the model is linear within it.
  CHECK(profile.interval_lower == Approx(p.interval.lower).epsilon(2e-3));
  CHECK(profile.interval_upper == Approx(p.interval.upper).epsilon(2e-3));
  CHECK(p.interval.upper - p.interval.lower > 1e-2);  // so that 2e-3 says something
  problem.uncertainty.profiles = {"mass"};
  CHECK(contains(complaint([&] { check(problem); }), "must be parameters of the fit, got 'mass'"));
}

TEST_CASE("profile: a Δχ² that jumps past the threshold closes the end there, and says so", "[optim][profile]") {
  const auto fall_off = [](double a) { return std::abs(a) < 0.8 ? a : a + std::copysign(3, a); };
  const WrittenResidual residual(1, 1, [&](const Vector& t) -> Vector { return Vector::Constant(1, fall_off(t[0])); });
  const Optimum optimum = optimum_at(residual, Vector::Zero(1));
  const Profile profile = compute_profile(optimum, both_ends(optimum, 0));
  for (const ProfileEnd& end : {profile.lower, profile.upper}) {
    CHECK(end.closed);
    CHECK(end.jumps);
    CHECK(std::abs(end.theta) == Approx(0.8).epsilon(1e-2));  // the bracket around a jump is 0.5 % wide
  }
  const Optimum smooth = optimum_at(product(), Eigen::Vector2d(0.5, 2));
  CHECK_FALSE(compute_profile(smooth, both_ends(smooth, 0)).upper.jumps);
}
