#include <cmath>
#include <random>

#include "optim/residual/robust_residual.hpp"
#include "optim/residual/trajectory_residual.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/resting_bodies.hpp"

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
  damping.recordings.sharing = RecordingSharing::Each;
  velocity.entries.sharing = EntrySharing::None;
  velocity.entries.selected = {1};
  velocity.recordings.scenarios = {1};
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
      INFO(residual.map().names()[k]);
      REQUIRE(residual.evaluate(theta + h * Vector::Unit(theta.size(), k), ahead, nullptr).ok());
      REQUIRE(residual.evaluate(theta - h * Vector::Unit(theta.size(), k), behind, nullptr).ok());
      REQUIRE(J.col(k).norm() > 1e-3);
      // The stage is solved to 1e-12, divided by sigma 1e-3 and h: differences are good to about 1e-4 absolute per row.
      CHECK(((ahead - behind) / (2 * h) - J.col(k)).norm() < 1e-6 * J.col(k).norm() + 1e-3);
    }
  }
}

TEST_CASE("trajectory_residual: products along a record agree with the Jacobian, as often as asked and under any loss",
          "[optim][trajectory_residual][linearization]") {
  for (const std::string integrator : {"imex_euler", "imex_midpoint", "velocity_verlet"}) {
    INFO(integrator);
    TrajectoryResidual residual = rich_residual(integrator);
    const Vector theta = residual.map().initial() + 0.1 * Vector::Ones(residual.parameters());
    const Vector d = normal_vector(residual.parameters(), 1), w = normal_vector(residual.rows(), 2);
    for (const double budget_mb : {1024.0, 1e-3}) {  // with every tape kept, and with one at a time
      residual.set_adjoint_budget(budget_mb);
      for (const std::string& kind : losses().names()) {
        INFO(budget_mb << " MB, " << kind);
        const RobustResidual robust(residual, RobustLoss(kind, 2), residual.samples());
        Vector r, Jd, Jtw, gradient;
        Eigen::MatrixXd J;
        REQUIRE(robust.evaluate(theta, r, &J).ok());
        std::unique_ptr<Linearization> at;
        REQUIRE(robust.linearize(theta, at).ok());
        REQUIRE(at);
        CHECK((at->residual() - r).norm() < 1e-12 * r.norm());
        for (int again = 0; again < 2; ++again) {
          REQUIRE(at->jvp(d, Jd).ok());
          REQUIRE(at->vjp(w, Jtw).ok());
          REQUIRE(Jd.norm() > 1);
          // Tangent and adjoint solve with the same converged Hessians; their own solves stop near 1e-12.
          CHECK((Jd - J * d).norm() < 1e-9 * Jd.norm());
          CHECK((Jtw - J.transpose() * w).norm() < 1e-8 * (J.cwiseAbs().transpose() * w.cwiseAbs()).norm());
        }
        double value = 0, alone = 0;
        const LeastSquares objective(robust);
        REQUIRE(objective.evaluate(theta, value, &gradient).ok());
        REQUIRE(objective.evaluate(theta, alone, nullptr).ok());
        CHECK(value == Approx(r.squaredNorm() / 2).epsilon(1e-12));
        CHECK(alone == Approx(value).epsilon(1e-12));
        CHECK((gradient - J.transpose() * r).norm() < 1e-8 * gradient.norm());
      }
    }
  }
}

TEST_CASE("trajectory_residual: one sweep carries a block of directions, as the Jacobian does and one after the other",
          "[optim][trajectory_residual][linearization]") {
  for (const std::string integrator : {"imex_euler", "imex_midpoint", "velocity_verlet"}) {
    TrajectoryResidual residual = rich_residual(integrator);
    const Vector theta = residual.map().initial() + 0.1 * Vector::Ones(residual.parameters());
    Eigen::MatrixXd D(residual.parameters(), 5), JD, J, JtW;
    for (Index c = 0; c < D.cols(); ++c) D.col(c) = normal_vector(residual.parameters(), 10 + static_cast<unsigned>(c));
    D.col(3).setZero();
    D.col(4) = -2 * D.col(0);
    Vector r, Jd, Jtw;
    REQUIRE(residual.evaluate(theta, r, &J).ok());
    for (const double budget_mb : {1024.0, 1e-3}) {  // with every tape kept, and with one at a time
      INFO(integrator << ", " << budget_mb << " MB");
      residual.set_adjoint_budget(budget_mb);
      std::unique_ptr<Linearization> at;
      REQUIRE(residual.linearize(theta, at).ok());
      const auto before = residual.counts();
      REQUIRE(at->jvp_block(D, JD).ok());
      CHECK(residual.counts().tangent - before.tangent == D.cols());
      CHECK(residual.counts().forward == before.forward);  // along the record
      REQUIRE(JD.rows() == residual.rows());
      REQUIRE(JD.cols() == D.cols());
      REQUIRE(JD.col(0).norm() > 1);
      // Stages are solved to about 1e-12, as in the test above.
      CHECK((JD - J * D).norm() < 1e-9 * JD.norm());
      CHECK(JD.col(3).norm() == 0);
      CHECK((JD.col(4) + 2 * JD.col(0)).norm() < 1e-9 * JD.col(4).norm());
      for (Index c = 0; c < D.cols(); ++c) {
        REQUIRE(at->jvp(D.col(c), Jd).ok());
        CHECK((JD.col(c) - Jd).norm() <= 1e-12 * Jd.norm());
      }
      const Eigen::MatrixXd W = JD.leftCols(2);
      REQUIRE(at->vjp_block(W, JtW).ok());
      REQUIRE(JtW.cols() == 2);
      for (Index c = 0; c < W.cols(); ++c) {
        REQUIRE(at->vjp(W.col(c), Jtw).ok());
        REQUIRE(Jtw.norm() > 1);
        CHECK((JtW.col(c) - Jtw).norm() <= 1e-12 * Jtw.norm());
      }
      REQUIRE(at->jvp_block(D.leftCols(0), JD).ok());
      CHECK((JD.rows() == residual.rows() && JD.cols() == 0));
      REQUIRE(at->vjp_block(W.leftCols(0), JtW).ok());
      CHECK((JtW.rows() == residual.parameters() && JtW.cols() == 0));
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
  o.reference.kind = Reference::Kind::Start;
  Parameter stiffness = shared("stiffness");
  stiffness.factor = true;
  const TrajectoryResidual residual(ParameterMap({scenario}, {shared("charge"), stiffness, shared("mass")}), {o});
  const Vector theta = residual.map().initial() + 0.05 * Vector::Ones(3);
  Vector r, ahead, behind, Jtw;
  Eigen::MatrixXd J;
  REQUIRE(residual.evaluate(theta, r, &J).ok());
  const double h = 1e-5;
  for (Index k = 0; k < 3; ++k) {
    INFO(residual.map().names()[k]);
    REQUIRE(residual.evaluate(theta + h * Vector::Unit(3, k), ahead, nullptr).ok());
    REQUIRE(residual.evaluate(theta - h * Vector::Unit(3, k), behind, nullptr).ok());
    REQUIRE(J.col(k).norm() > 1e-3);
    CHECK(((ahead - behind) / (2 * h) - J.col(k)).norm() < 1e-6 * J.col(k).norm() + 1e-3);
  }
  const Vector w = normal_vector(residual.rows(), 2), d = normal_vector(residual.parameters(), 1);
  std::unique_ptr<Linearization> at;
  REQUIRE(residual.linearize(theta, at).ok());
  Vector Jd;
  REQUIRE(at->jvp(d, Jd).ok());
  CHECK((Jd - J * d).norm() < 1e-8 * Jd.norm());
  REQUIRE(at->vjp(w, Jtw).ok());
  CHECK((Jtw - J.transpose() * w).norm() < 1e-8 * (J.cwiseAbs().transpose() * w.cwiseAbs()).norm());
}

TEST_CASE("trajectory_residual: a rest that is not unique is rejected if a parameter or a marker acts along it",
          "[optim][trajectory_residual][error]") {
  diff::Scenario scenario{.name = "hung",
                          .model = tests::hanging_triangle(),
                          .initial = {0, sim::Points::Zero(3, 3), sim::Points::Zero(3, 3)},
                          .rest_near = tests::triangle_start(),
                          .integrator = "imex_midpoint",
                          .time_step = 0.01,
                          .steps = 10,
                          .stage = {}};
  const auto failure = [&](const std::vector<Marker>& markers, const std::string& value, bool by_adjoint) {
    Observation o = test::record(scenario, 5, 0, 1);
    o.markers = markers;
    o.noise.sigma = Vector::Ones(markers.size());
    for (sim::Points& x : o.positions) x = sim::Points::Zero(3, markers.size());
    Parameter parameter = shared(value);
    parameter.factor = value == "stiffness";
    const TrajectoryResidual residual(ParameterMap({scenario}, {parameter}), {o});
    const Vector theta = residual.map().initial();
    Vector r;
    Eigen::MatrixXd J;
    std::unique_ptr<Linearization> at;
    return (by_adjoint ? residual.linearize(theta, at) : residual.evaluate(theta, r, &J)).failure;
  };
  const std::vector<Marker> ball{{"ball", {{1, 1.0}}}}, middle{{"middle", {{1, 0.5}, {2, 0.5}}}};
  for (const bool by_adjoint : {false, true}) {
    CHECK_THAT(failure(ball, "stiffness", by_adjoint),
               Catch::Contains("turns about the vertical through the pin freely, which the markers show"));
    CHECK_THAT(failure(middle, "electric_field", by_adjoint),
               Catch::Contains("turns about the vertical through the pin freely, and what is to be found"));
    CHECK(failure(middle, "stiffness", by_adjoint).empty());
  }
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
  const LeastSquares objective(residual);
  objective.evaluate(theta, value, &gradient);
  objective.evaluate(theta, value, &gradient_again);
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
  CHECK_FALSE(LeastSquares(residual).evaluate(theta, value, &gradient).ok());
  std::unique_ptr<Linearization> at;
  CHECK_FALSE(residual.linearize(theta, at).ok());
  CHECK_FALSE(at);
  // A value that the model forbids: a stiffness whose exponential overflows.
  const TrajectoryResidual stiff(ParameterMap({make_body("a")}, {shared("stiffness")}),
                                 {test::record(make_body("a"), 10, 0, 1)});
  CHECK_FALSE(stiff.evaluate(Vector::Constant(1, 800), r, nullptr).ok());
}

TEST_CASE("trajectory_residual: nothing to fit and wrong counts are rejected", "[optim][trajectory_residual][error]") {
  const diff::Scenario scenario = make_body("a");
  const ParameterMap map({scenario}, {shared("charge")});
  Observation o = test::record(scenario, 10, 0, 1);
  CHECK(test::contains(test::complaint([&] { TrajectoryResidual(map, {o, o}); }), "one for each recording"));
  o.validation.from = -1;
  CHECK(test::contains(test::complaint([&] { TrajectoryResidual(map, {o}); }), "at least one position"));
}
