#include "sim/force/spring_force.hpp"
#include "sim/integrator/stage_linear_solver.hpp"
#include "sim/integrator/stage_solver.hpp"
#include "sim/model/model.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::sim;

namespace {

/// A block of springs along edges and diagonals, its bottom held; large enough that a factorization of its Hessian
/// costs far more than a solve. `pressed`: rest length relative to the length.
struct Block {
  static constexpr Index side = 9;
  Points x = Points(3, side* side* side);
  Model model;

  explicit Block(double pressed) : model(build(x, pressed)) {}

  static Model build(Points& x, double pressed) {
    Topology t{.particles = side * side * side, .springs = {}, .held = {}};
    const auto index = [](Index a, Index b, Index c) { return (a * side + b) * side + c; };
    for (Index i = 0; i < t.particles; ++i) x.col(i) = Vec3(i / (side * side), i / side % side, i % side);
    for (Index i = 0; i < t.particles; ++i) {
      if (i % side == 0) t.held.push_back({i, {}});
      for (Index da = -1; da <= 1; ++da)
        for (Index db = -1; db <= 1; ++db)
          for (Index dc = -1; dc <= 1; ++dc) {
            const Vec3 other = x.col(i) + Vec3(da, db, dc);
            const Index j = index(i / (side * side) + da, i / side % side + db, i % side + dc);
            if (da * da + db * db + dc * dc <= 2 && other.minCoeff() >= 0 && other.maxCoeff() < side && j > i)
              t.springs.push_back({i, j});
          }
    }
    const auto springs = static_cast<Index>(t.springs.size());
    Vector rest(springs);
    for (Index e = 0; e < springs; ++e) rest[e] = pressed * (x.col(t.springs[e].i) - x.col(t.springs[e].j)).norm();
    const Index n = t.particles;
    return {std::move(t),
            Vector::Ones(n),
            Vector::Zero(n),
            {std::make_shared<SpringForce>(Vector::Constant(springs, 20), rest)}};
  }

  StageReport solve(const std::string& linear_solver, StageSolution& solution) const {
    const Points none = Points::Zero(3, x.cols());
    StageProblem problem{.g = 1, .t = 0, .start = x, .move = none, .velocity = none, .lagged = x, .force = none};
    StageSolver solver({.linear_solver = linear_solver, .tolerance = 1e-12, .max_iterations = 100});
    return solver.solve(model, problem, solution);
  }
};

}  // namespace

TEST_CASE("stage problem: of a large body, sweeps and a factorization find the same minimum", "[sim][stage]") {
  for (const double pressed : {1.02, 1.1}) {
    const Block block(pressed);
    StageLinearSolver linear("cholesky");
    BlockMatrix H(block.model.topology());
    CHECK_FALSE(linear.factorizes_cheaply(H));
    StageSolution by_sweeps, by_factor;
    const StageReport sweeps = block.solve("ssor_cg", by_sweeps), factor = block.solve("cholesky", by_factor);
    CHECK(sweeps.converged);
    CHECK(factor.converged);
    CHECK(sweeps.derivative_reliable == factor.derivative_reliable);
    // Is the Hessian there what the sweeps take it for?
    assemble_stage_hessian(block.model, by_sweeps.problem, by_sweeps.change, false, H);
    CHECK(linear.factorize(H));
    if (sweeps.escapes == 0) CHECK((by_sweeps.change - by_factor.change).norm() < 1e-9 * by_factor.change.norm());
  }
}

TEST_CASE("stage problem: sweeps do not take a saddle of a large body for a minimum", "[sim][stage]") {
  // No spring pulls sideways at the start, whose blocks all stay in their places: a saddle far beyond buckling.
  const Block block(1);
  Topology topology = block.model.topology();
  topology.held.clear();
  const auto springs = static_cast<Index>(topology.springs.size());
  const Index n = topology.particles;
  // Springs between places on one line, as long as their springs are pressed together tenfold.
  Points line = Points::Zero(3, n);
  Vector rest(springs);
  for (Index i = 0; i < n; ++i) line(0, i) = static_cast<double>(i);
  for (Index e = 0; e < springs; ++e)
    rest[e] = 1.5 * std::abs(line(0, topology.springs[e].i) - line(0, topology.springs[e].j));
  for (Index i : {Index{0}, n - 1}) topology.held.push_back({i, {}});
  const Model model(topology, Vector::Ones(n), Vector::Zero(n),
                    {std::make_shared<SpringForce>(Vector::Constant(springs, 20), rest)});
  const Points none = Points::Zero(3, n);
  StageProblem problem{.g = 1, .t = 0, .start = line, .move = none, .velocity = none, .lagged = line, .force = none};
  StageSolver solver({.linear_solver = "ssor_cg", .tolerance = 1e-12, .max_iterations = 60});
  StageSolution solution;
  const StageReport report = solver.solve(model, problem, solution);
  CHECK(report.escapes > 0);
  BlockMatrix H(topology);
  assemble_stage_hessian(model, solution.problem, solution.change, false, H);
  CHECK((!report.converged || StageLinearSolver("cholesky").factorize(H)));
}
