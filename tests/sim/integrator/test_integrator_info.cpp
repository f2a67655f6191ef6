// What the registry says about each integrator is measured here.
#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/motions.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

/// The state after `steps` steps as one vector (x, m v): the coordinates in which a motion without dissipation is
/// symplectic.
Vector canonical_end(const Motion& motion, const IntegratorChoice& integrator, const Vector& start, int steps) {
  const Index n = motion.model.particles();
  State s = motion.initial;
  flat(s.x) = start.head(3 * n);
  flat(s.v) = start.tail(3 * n);
  s.v = Points(s.v * motion.model.mass().cwiseInverse().asDiagonal());
  Stepper stepper(motion.model, s, integrator, {.tolerance = 1e-14}, 0.05);
  for (int k = 0; k < steps; ++k) REQUIRE(stepper.advance().status == StepStatus::Ok);
  Vector end(6 * n);
  end << flat(stepper.state().x), flat(Points(stepper.state().v * motion.model.mass().asDiagonal()));
  return end;
}

}  // namespace

TEST_CASE("integrators: force evaluations, implicitness, start-up and history are what the registry says",
          "[sim][integrator]") {
  const Motion motion = windy_triangle();
  for (const auto& info : integrators()) {
    INFO(info.name);
    Stepper stepper(motion.model, motion.initial, uncontrolled(info.name), {}, 0.01);
    CHECK(stepper.integrator().info().name == info.name);
    for (int n = 0; n < info.startup_steps; ++n) stepper.advance();
    CHECK(stepper.history().size() == info.history.size());
    const StepRecord record = stepper.advance();
    CHECK(stepper.history().size() == info.history.size());
    CHECK((record.work.linear_solves > 0) == info.implicit);
    CHECK(stepper.integrator().linear_solver().empty() != info.implicit);
    const bool newton_on_forces = info.name == "theta" || info.name == "implicit_euler";
    CHECK(record.work.force_evaluations >= info.force_evaluations);
    if (!newton_on_forces) CHECK(record.work.force_evaluations == info.force_evaluations);
    CHECK_FALSE(info.summary.empty());
  }
}

TEST_CASE("integrators: those that say so keep the symplectic form, the others do not",
          "[sim][integrator][conservation]") {
  const Motion free = windy_triangle();
  const Motion motion{
      "charged triangle",
      Model(free.model.topology(), free.model.mass(), free.model.charge(),
            {springs(3, 15, 0.9), std::make_shared<CoulombForce>(std::make_unique<DirectCoulombSum>())}),
      free.initial,
      1,
      {}};
  const Index n = 3 * motion.model.particles();
  Vector start(2 * n);
  start << flat(motion.initial.x), flat(Points(motion.initial.v * motion.model.mass().asDiagonal()));
  for (const auto& info : integrators()) {
    INFO(info.name);
    const IntegratorChoice integrator = uncontrolled(info.name);
    Eigen::MatrixXd J(2 * n, 2 * n);
    const double d = 1e-4;  // fourth-order differences: truncation and rounding both below 1e-10
    for (Index c = 0; c < 2 * n; ++c) {
      const auto end = [&](double by) {
        Vector moved = start;
        moved[c] += by * d;
        return canonical_end(motion, integrator, moved, 6);
      };
      J.col(c) = (8 * (end(1) - end(-1)) - (end(2) - end(-2))) / (12 * d);
    }
    Eigen::MatrixXd form = Eigen::MatrixXd::Zero(2 * n, 2 * n);
    form.topRightCorner(n, n).setIdentity();
    form.bottomLeftCorner(n, n) = -Eigen::MatrixXd::Identity(n, n);
    const double broken = (J.transpose() * form * J - form).norm();
    INFO("form broken by " << broken);
    if (info.symplectic)
      CHECK(broken < 1e-8);
    else
      CHECK(broken > 1e-5);
  }
}

TEST_CASE("step record: the work of a step is that of its substeps", "[sim][integrator]") {
  StepWork work{1, 2, 3, 4};
  work.add({10, 20, 30, 40});
  CHECK(work.force_evaluations == 11);
  CHECK(work.linear_solves == 22);
  CHECK(work.cg_iterations == 33);
  CHECK(work.capped_substeps == 44);
}
