#include "optim/fit/multiple_shooting.hpp"

#include <cmath>

#include "optim/fit/problem.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;
using pithball::test::shared;

namespace {

/// Two bodies, a prior and a loss; with a clock of their own if `clocks`.
FitProblem two_bodies(bool clocks) {
  const auto body = [](const std::string& name, double charge, Index steps) {
    return test::make_body(name, {.charge = charge, .field = true, .steps = steps});
  };
  FitProblem problem;
  problem.scenarios = {body("a", 5e-6, 40), body("b", 5e-6, 30)};
  problem.observations = {test::record(test::refined(body("a", 6e-6, 40)), 30, 1e-3, 3),
                          test::record(test::refined(body("b", 6e-6, 30)), 20, 1e-3, 4)};
  problem.observations[0].positions[3](1, 2) = std::nan("");
  problem.parameters = {shared("charge"), shared("stiffness")};
  problem.parameters[1].priors = {GaussianPrior{.mean = 12, .deviation = 1}};
  if (clocks) {
    problem.parameters.push_back(shared("clock_offset"));
    problem.parameters.back().recordings.sharing = RecordingSharing::Each;
    for (Observation& seen : problem.observations) {
      seen.recording_frame.clock_offset = 0.006;  // between two steps, where readings are smooth in the clock
      seen.times.pop_back();                      // so that no reading lies beyond what is simulated
      seen.positions.pop_back();
    }
  }
  problem.loss = RobustLoss("cauchy", 3);
  return problem;
}

/// The Jacobian with every column in its place.
Eigen::MatrixXd spread(const ShootingResidual& residual, const Eigen::MatrixXd& stored) {
  const ResidualStructure structure = residual.structure();
  std::vector<Index> begin{0};
  for (const Index size : structure.block_sizes) begin.push_back(begin.back() + size);
  Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(residual.rows(), residual.parameters());
  for (const ResidualStructure::Part& part : structure.parts)
    for (const ResidualStructure::Use& use : part.uses)
      whole.block(part.first_row, begin[use.block], part.rows, structure.block_sizes[use.block]) =
          stored.block(part.first_row, use.column, part.rows, structure.block_sizes[use.block]);
  return whole;
}

}  // namespace

TEST_CASE("shooting_residual: the Jacobian is the difference quotient, of values, clocks and states",
          "[optim][shooting][fd]") {
  for (const bool clocks : {false, true})
    for (const Index segments : {2, 3, 5}) {
      CAPTURE(clocks, segments);
      const FitProblem problem = two_bodies(clocks);
      EvaluationCounts counts;
      ShootingResidual residual(problem, segments, counts);
      REQUIRE(residual.cut(residual.map().initial()).ok());
      residual.set_gap_weight(3);
      Vector x(residual.parameters());
      for (Index k = 0; k < x.size(); ++k) x[k] = 0.3 * std::sin(k + 1.0);  // changes of a third of σ
      x.head(residual.map().size()) = residual.map().initial();
      x.head(2).array() += 0.1;
      Vector r, alone, ahead, behind;
      Eigen::MatrixXd stored;
      REQUIRE(residual.evaluate(x, r, &stored).ok());
      REQUIRE(residual.evaluate(x, alone, nullptr).ok());
      CHECK((r - alone).norm() <= 1e-12 * r.norm());
      const Eigen::MatrixXd J = spread(residual, stored);
      const double h = 1e-4;
      for (Index k = 0; k < x.size(); ++k) {
        CAPTURE(k);
        REQUIRE(residual.evaluate(x + h * Vector::Unit(x.size(), k), ahead, nullptr).ok());
        REQUIRE(residual.evaluate(x - h * Vector::Unit(x.size(), k), behind, nullptr).ok());
        REQUIRE(J.col(k).norm() > 1e-3);
        // As for trajectory_residual: stages are solved to 1e-12, divided by sigma 1e-3 and h, and the third derivative
        // times h² counts, too. What no part names is zero in J, so this also checks that the parts name everything.
        CHECK(((ahead - behind) / (2 * h) - J.col(k)).norm() < 1e-6 * J.col(k).norm() + 1e-4);
      }
    }
}
