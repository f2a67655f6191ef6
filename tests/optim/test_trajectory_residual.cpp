#include <cmath>
#include <random>

#include "optim/trajectory_residual.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::BodyOptions;
using pithball::test::make_body;
using pithball::test::shared;

namespace {

/// Two recordings, irregular times, missing samples; charge and stiffness shared, damping by recording, velocity of one
/// particle.
TrajectoryResidual rich_residual(const std::string& integrator) {
  BodyOptions free, pinned;
  free.integrator = pinned.integrator = integrator;
  free.steps = 20;
  pinned.steps = 25;
  pinned.gravity = true;
  pinned.field = true;
  const std::vector<diff::Scenario> scenarios = {make_body("a", free), make_body("b", pinned)};
  std::vector<Observation> observations = {test::record(test::refined(scenarios[0]), 7, 1e-3, 1),
                                           test::record(test::refined(scenarios[1]), 11, 1e-3, 2)};
  observations[0].positions[3](1, 2) = std::nan("");
  observations[1].present.assign(observations[1].times.size(), {true, true, false, true});
  Parameter stiffness = shared("stiffness"), damping = shared("damping"), velocity = shared("velocity");
  stiffness.factor = true;
  damping.recordings = RecordingSharing::Each;
  velocity.entries = EntrySharing::None;
  velocity.selected = {1};
  velocity.scenarios = {1};
  return TrajectoryResidual(ParameterMap(scenarios, {shared("charge"), stiffness, damping, velocity}), observations);
}

Vector normal_vector(Index size, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Vector v(size);
  for (double& x : v) x = normal(random);
  return v;
}

}  // namespace

TEST_CASE("trajectory_residual: the Jacobian by tangents is the difference quotient",
          "[optim][trajectory_residual][fd]") {
  for (const std::string integrator : {"imex_euler", "imex_midpoint", "velocity_verlet"}) {
    INFO(integrator);
    const TrajectoryResidual residual = rich_residual(integrator);
    const Vector theta = residual.map().initial() + 0.1 * Vector::Ones(residual.parameters());
    Vector r, r_only, ahead, behind;
    Eigen::MatrixXd J;
    REQUIRE(residual.evaluate(theta, r, &J).ok());
    REQUIRE(residual.evaluate(theta, r_only, nullptr).ok());
    CHECK((r - r_only).norm() <= 1e-12 * r.norm());  // tangents do not change the run
    const double h = 1e-5;
    for (Index k = 0; k < residual.parameters(); ++k) {
      INFO(residual.map().names()[static_cast<std::size_t>(k)]);
      REQUIRE(residual.evaluate(theta + h * Vector::Unit(theta.size(), k), ahead, nullptr).ok());
      REQUIRE(residual.evaluate(theta - h * Vector::Unit(theta.size(), k), behind, nullptr).ok());
      REQUIRE(J.col(k).norm() > 1e-3);
      // The stage is solved to 1e-12, divided by sigma 1e-3 and h: differences are good to about 1e-4 absolute per row.
      CHECK(((ahead - behind) / (2 * h) - J.col(k)).norm() < 1e-6 * J.col(k).norm() + 1e-3);
    }
  }
}

TEST_CASE("trajectory_residual: jvp, vjp and the gradient of the loss agree with the Jacobian",
          "[optim][trajectory_residual]") {
  for (const std::string integrator : {"imex_euler", "imex_midpoint", "velocity_verlet"}) {
    INFO(integrator);
    const TrajectoryResidual residual = rich_residual(integrator);
    const Vector theta = residual.map().initial() + 0.1 * Vector::Ones(residual.parameters());
    Vector r, Jd, Jtw, gradient;
    Eigen::MatrixXd J;
    REQUIRE(residual.evaluate(theta, r, &J).ok());
    const Vector d = normal_vector(residual.parameters(), 1), w = normal_vector(residual.rows(), 2);
    REQUIRE(residual.jvp(theta, d, Jd).ok());
    REQUIRE(residual.vjp(theta, w, Jtw).ok());
    // Tangent and adjoint solve with the same converged Hessians; their own solves stop near 1e-12.
    CHECK((Jd - J * d).norm() < 1e-9 * Jd.norm());
    CHECK((Jtw - J.transpose() * w).norm() < 1e-8 * (J.cwiseAbs().transpose() * w.cwiseAbs()).norm());

    for (RobustLoss::Kind kind : {RobustLoss::Kind::None, RobustLoss::Kind::Huber, RobustLoss::Kind::Cauchy}) {
      const RobustLoss loss{kind, 2};
      double value = 0, alone = 0, expected = 0;
      REQUIRE(residual.loss(theta, loss, value, &gradient).ok());
      REQUIRE(residual.loss(theta, loss, alone, nullptr).ok());
      const std::vector<Index> samples = residual.samples();
      Vector weighted = r;
      for (std::size_t j = 0; j + 1 < samples.size(); ++j) {
        auto sample = weighted.segment(samples[j], samples[j + 1] - samples[j]);
        const double s = sample.squaredNorm();
        expected += loss.value(s) / 2;
        sample *= loss.derivative(s);
      }
      CHECK(value == Approx(expected).epsilon(1e-10));
      CHECK(alone == Approx(expected).epsilon(1e-10));
      CHECK((gradient - J.transpose() * weighted).norm() < 1e-8 * gradient.norm());
    }
  }
}

TEST_CASE("trajectory_residual: displacements from the model's own rest follow the parameters",
          "[optim][trajectory_residual][fd]") {
  BodyOptions options;
  options.gravity = true;
  options.pinned = 2;  // with one alone the body could turn about the vertical: no unique rest
  options.steps = 20;
  diff::Scenario scenario = make_body("hanging", options);
  scenario.rest_near = scenario.initial.x;
  scenario.initial.x.setZero();
  scenario.initial.x.col(2) << 0.05, 0, 0.03;
  Observation o = test::record(scenario, 7, 1e-3, 3);
  o.reference = Reference::Start;
  Parameter stiffness = shared("stiffness");
  stiffness.factor = true;
  const TrajectoryResidual residual(ParameterMap({scenario}, {shared("charge"), stiffness, shared("mass")}), {o});
  const Vector theta = residual.map().initial() + 0.05 * Vector::Ones(3);
  Vector r, ahead, behind, Jtw;
  Eigen::MatrixXd J;
  REQUIRE(residual.evaluate(theta, r, &J).ok());
  const double h = 1e-5;
  for (Index k = 0; k < 3; ++k) {
    INFO(residual.map().names()[static_cast<std::size_t>(k)]);
    REQUIRE(residual.evaluate(theta + h * Vector::Unit(3, k), ahead, nullptr).ok());
    REQUIRE(residual.evaluate(theta - h * Vector::Unit(3, k), behind, nullptr).ok());
    REQUIRE(J.col(k).norm() > 1e-3);
    CHECK(((ahead - behind) / (2 * h) - J.col(k)).norm() < 1e-6 * J.col(k).norm() + 1e-3);
  }
  const Vector w = normal_vector(residual.rows(), 2);
  REQUIRE(residual.vjp(theta, w, Jtw).ok());
  CHECK((Jtw - J.transpose() * w).norm() < 1e-8 * (J.cwiseAbs().transpose() * w.cwiseAbs()).norm());
}

TEST_CASE("trajectory_residual: the result is the same on every evaluation", "[optim][trajectory_residual]") {
  const TrajectoryResidual residual = rich_residual("imex_midpoint");
  Vector r, again, gradient, gradient_again;
  Eigen::MatrixXd J, J_again;
  const Vector theta = residual.map().initial();
  residual.evaluate(theta, r, &J);
  residual.evaluate(theta, again, &J_again);
  CHECK(r == again);
  CHECK(J == J_again);
  double value = 0;
  residual.loss(theta, {}, value, &gradient);
  residual.loss(theta, {}, value, &gradient_again);
  CHECK(gradient == gradient_again);
  CHECK(residual.counts().tangent == 2);
  CHECK(residual.counts().adjoint == 2);
}

TEST_CASE("trajectory_residual: a run that fails is a reason, not an exception", "[optim][trajectory_residual]") {
  BodyOptions wild;
  wild.integrator = "velocity_verlet";
  wild.time_step = 0.5;  // far beyond the stability limit of 2/ω ≈ 0.2 s
  wild.steps = 400;
  const diff::Scenario scenario = make_body("wild", wild);
  Observation o = test::record(make_body("calm"), 50, 0, 1);
  o.times.back() = 200;
  const TrajectoryResidual residual(ParameterMap({scenario}, {shared("charge")}), {o});
  Vector r, gradient;
  Eigen::MatrixXd J;
  double value = 0;
  const Vector theta = residual.map().initial();
  CHECK(residual.evaluate(theta, r, nullptr).failure.find("recording 'wild': diverged at step") == 0);
  CHECK_FALSE(residual.evaluate(theta, r, &J).ok());
  CHECK_FALSE(residual.loss(theta, {}, value, &gradient).ok());
  // A value that the model forbids: a stiffness whose exponential overflows.
  const TrajectoryResidual stiff(ParameterMap({make_body("a")}, {shared("stiffness")}),
                                 {test::record(make_body("a"), 10, 0, 1)});
  CHECK_FALSE(stiff.evaluate(Vector::Constant(1, 800), r, nullptr).ok());
}

TEST_CASE("trajectory_residual: nothing to fit and wrong counts are refused", "[optim][trajectory_residual][error]") {
  const diff::Scenario scenario = make_body("a");
  const ParameterMap map({scenario}, {shared("charge")});
  Observation o = test::record(scenario, 10, 0, 1);
  CHECK(test::contains(test::complaint([&] { TrajectoryResidual(map, {o, o}); }), "one for each recording"));
  o.forecast_from = -1;
  CHECK(test::contains(test::complaint([&] { TrajectoryResidual(map, {o}); }), "at least one position"));
}
