#include <random>

#include "sim/core/error.hpp"
#include "sim/force/drag.hpp"
#include "sim/integrator/stage_linear_solver.hpp"
#include "sim/integrator/stage_solver.hpp"
#include "sim/linear/block_matrix.hpp"
#include "sim/run/simulator.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/motions.hpp"
#include "tests/support/torus.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

/// A stage that begins at y, from the velocity (y − r)/g.
StageProblem stage_of(double g, const Points& y, const Points& r, const Points& lagged, const Points& force) {
  return {.g = g, .t = 0, .start = r, .move = y - r, .velocity = (y - r) / g, .lagged = lagged, .force = force};
}

Points predictor(const StageProblem& s) { return s.place(Points::Zero(3, s.move.cols())); }

/// Φ of the stage problem, written down from its definition.
double phi(const Model& model, const StageProblem& s, const Points& change) {
  const State at{s.t, s.place(change), Points::Zero(3, change.cols())};
  double sum = 0.5 * (change.cwiseAbs2() * model.mass()).sum() - s.g * s.g * flat(s.force).dot(flat(change));
  for (const auto& term : model.terms())
    if (term->traits().name == "springs") sum += s.g * s.g * term->energy(model, at).value();
  return sum;
}

/// |M δ − g² (f_s + F_d + p)|_i/m_i, the largest, over g² times the largest acceleration that acts.
double residual(const Model& model, const StageProblem& s, const Points& change) {
  Points f = s.force;
  for (const auto& term : model.terms()) {
    if (!is_implicit(*term)) continue;
    if (is_velocity_dependent(*term))
      term->add_force(model, {s.t, s.lagged, s.velocity + change / s.g}, f);
    else
      term->add_force(model, {s.t, s.place(change), Points::Zero(3, change.cols())}, f);
  }
  Points r = change * model.mass().asDiagonal() - s.g * s.g * f;
  model.clear_held(r);
  model.clear_held(f);
  const auto largest = [&](const Points& p) {
    return (p * model.mass().cwiseInverse().asDiagonal()).colwise().norm().maxCoeff();
  };
  const double acting = s.g * s.g * std::max(largest(f), largest(s.force));
  return acting > 0 ? largest(r) / acting : largest(r);
}

Points random_points(Index n, double size, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> uniform(-size, size);
  Points p(3, n);
  for (double& entry : p.reshaped()) entry = uniform(generator);
  return p;
}

/// A stage of the torus far from rest: stretched, crumpled and under load.
StageProblem rough_stage(const Torus& torus, double g, unsigned seed) {
  const Points x = torus.state().x;
  const Index n = x.cols();
  return stage_of(g, x + random_points(n, 0.5, seed), x, x, random_points(n, 0.5, seed + 100));
}

StageSolver solver_with(const std::string& linear) { return StageSolver({.linear_solver = linear}); }
const std::vector<std::string> named_solvers{"block_jacobi_cg", "ssor_cg", "prefactored_cg", "cholesky"};

/// A column of two springs in line, squeezed between two pins; the free particle sits in the middle. Across the line H
/// is m + 2 g² k (1 − l0/l), at g = 1 s, m = 1 kg, l0/l = 1.25: 1 − k/2. It buckles at k = 2 N/m.
struct Column {
  Model model;
  StageProblem stage;
  explicit Column(double k)
      : model({.particles = 3, .springs = {{0, 1}, {1, 2}}, .held = {{0, {}}, {2, {}}}}, all(3, 1), all(3, 0),
              {springs(2, k, 1.25)}) {
    const Points x = columns({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}});
    stage = stage_of(1, x, x, x, Points::Zero(3, 3));
  }
};

}  // namespace

TEST_CASE("stage problem: the residual at the solution is below the tolerance", "[sim][stage]") {
  const Torus torus{.damping = 0.2};
  const Model model = torus.model();
  for (const double tolerance : {1e-6, 1e-9, 1e-12})
    for (const double g : {0.0075, 0.15, 0.6})
      for (const auto& linear : named_solvers) {
        INFO(linear << " g = " << g << " tolerance " << tolerance);
        StageSolver solver({.linear_solver = linear, .tolerance = tolerance});
        StageSolution solution;
        const StageProblem problem = rough_stage(torus, g, 1);
        const StageReport report = solver.solve(model, problem, solution);
        REQUIRE(report.converged);
        CHECK(residual(model, problem, Points::Zero(3, model.particles())) > 1e-3);  // there was something to solve
        // The limit of a particle also counts what moves its neighbors, at most 1 + g²Σk/m < 60 times what acts.
        CHECK(residual(model, problem, solution.change) <= 60 * tolerance + 1e-13);
        CHECK(report.residual <= tolerance);
      }
}

TEST_CASE("stage problem: all linear solvers find the same solution", "[sim][stage][equivalence]") {
  const Torus torus{.damping = 0.2};
  Topology topology = torus.model().topology();
  topology.held = {{3, {}}, {77, {}}};
  for (const bool pinned : {false, true})
    for (const double g : {0.0075, 0.15}) {
      const Model free = torus.model();
      const Model model = pinned ? Model(topology, free.mass(), free.charge(), torus.model().terms()) : free;
      const StageProblem problem = rough_stage(torus, g, 2);
      std::vector<Points> found;
      for (const auto& linear : linear_solvers()) {
        StageSolution solution;
        REQUIRE(solver_with(linear).solve(model, problem, solution).converged);
        if (pinned) CHECK(solution.place().col(77) == predictor(problem).col(77));
        found.push_back(solution.place());
      }
      for (const Points& z : found) CHECK((z - found[0]).cwiseAbs().maxCoeff() < 1e-10);
    }
}

TEST_CASE("stage problem: a used solver gives the same bits as a fresh one", "[sim][stage]") {
  const Torus torus{.damping = 0.2};
  const Model model = torus.model();
  const StageProblem problem = rough_stage(torus, 0.15, 3);
  for (const auto& linear : named_solvers) {
    INFO(linear);
    StageSolver used = solver_with(linear);
    StageSolution fresh_solution, used_solution;
    for (unsigned seed = 10; seed < 13; ++seed)
      used.solve(model, rough_stage(torus, seed == 11 ? 0.6 : 0.15, seed), used_solution);
    used.solve(model, problem, used_solution);
    solver_with(linear).solve(model, problem, fresh_solution);
    CHECK(used_solution.change == fresh_solution.change);
  }
}

TEST_CASE("stage problem: without forces the predictor is the solution", "[sim][stage]") {
  const Model lone({.particles = 1, .springs = {}, .held = {}}, all(1, 2), all(1, 0), {});
  const Points zero = columns({{0, 0, 0}});
  StageProblem s = stage_of(0.1, columns({{1, 2, 3}}), zero, zero, zero);
  for (const auto& linear : linear_solvers()) {
    StageSolution solution;
    const StageReport report = solver_with(linear).solve(lone, s, solution);
    CHECK(report.converged);
    CHECK(report.linear_solves == 0);
    CHECK(solution.place() == predictor(s));
    s.force = columns({{1, 0, 0}});  // and an explicit force alone is solved in closed form: z = y + g² p/m
    CHECK(solver_with(linear).solve(lone, s, solution).converged);
    CHECK((solution.place() - columns({{1.005, 2, 3}})).norm() < 1e-14);
    s.force.setZero();
  }
}

TEST_CASE("stage problem: a column beyond buckling leaves the straight saddle for the minimum", "[sim][stage]") {
  for (const auto& linear : named_solvers)
    for (const double k : {2.5, 8.0, 200.0}) {
      INFO(linear << " k = " << k);
      const Column column(k);
      const Points straight = Points::Zero(3, 3);
      CHECK(residual(column.model, column.stage, straight) == 0);  // stationary to the last bit
      StageSolution solution;
      const StageReport report = solver_with(linear).solve(column.model, column.stage, solution);
      REQUIRE(report.converged);
      CHECK(report.derivative_reliable == false);  // the ring of minima leaves the angle about the line undetermined
      CHECK(report.escapes > 0);
      CHECK(phi(column.model, column.stage, solution.change) < phi(column.model, column.stage, straight) - 1e-4);
      // Stationary off the line: 1 + 2k (1 − l0/L) = 0, L = l0 · 2k/(1 + 2k).
      const double L = 1.25 * 2 * k / (1 + 2 * k);
      const Vec3 z = solution.place().col(1);
      CHECK(z[0] == Approx(1).margin(1e-10));
      CHECK(z.tail<2>().norm() == Approx(std::sqrt(L * L - 1)).epsilon(1e-9));
    }
}

TEST_CASE("stage problem: where rounding ends the descent, Newton's steps end too", "[sim][stage]") {
  // Positions of 1 m are known to 2e-16 m; times g²k/m = 32 over 1 cm that is more than the tolerance asks for.
  const Index n = 400;
  std::vector<Spring> links;
  for (Index i = 0; i + 1 < n; ++i) links.push_back({i, i + 1});
  const Model model({.particles = n, .springs = links, .held = {{0, {}}, {n - 1, {}}}}, all(n, 1e-4), all(n, 0),
                    {springs(n - 1, 200, 0.01)});
  Points x = Points::Ones(3, n);
  x.row(0).setLinSpaced(n, 1, 1 + 0.01 * (n - 1));
  const StageProblem stage = stage_of(4e-3, x, x, x, random_points(n, 1e-3, 5));
  for (const std::string& name : named_solvers) {
    StageSolution solution;
    const StageReport report = StageSolver({.linear_solver = name, .tolerance = 1e-14}).solve(model, stage, solution);
    INFO(name << ": " << report.linear_solves << " solves, residual " << report.residual);
    CHECK(report.converged);
    CHECK(report.linear_solves <= 12);
  }
}

TEST_CASE("stage problem: a nearly singular Hessian is reported, a small regular one is not", "[sim][stage]") {
  for (const auto& linear : named_solvers) {
    INFO(linear);
    for (const double short_of_buckling : {0.0, 1e-12, 1e-9}) {
      StageSolution solution;
      const Column column(2 * (1 - short_of_buckling));
      const StageReport report = solver_with(linear).solve(column.model, column.stage, solution);
      CHECK(report.converged);
      CHECK_FALSE(report.derivative_reliable);
    }
    for (const double short_of_buckling : {1e-6, 0.1}) {
      StageSolution solution;
      const Column column(2 * (1 - short_of_buckling));
      const StageReport report = solver_with(linear).solve(column.model, column.stage, solution);
      CHECK(report.converged);
      CHECK(report.derivative_reliable);
      CHECK(solution.change.isZero(0));
    }
  }
}

TEST_CASE("stage problem: a free body's nearly singular Hessian is noticed too", "[sim][stage]") {
  // Two particles whose predictor nearly brings them together: across the spring H/m has the eigenvalue |b_y|/|b|,
  // about 1.5e-9, while every uniform translation has 1.
  const Model pair({.particles = 2, .springs = {{0, 1}}, .held = {}}, all(2, 1), all(2, 0), {springs(1, 1, 1)});
  const Points y = columns({{0, 0, 0}, {1e-9, 0, 0}});
  const StageProblem s = stage_of(1, y, y, y, Points::Zero(3, 2));
  for (const auto& linear : named_solvers) {
    INFO(linear);
    StageSolution solution;
    const StageReport report = solver_with(linear).solve(pair, s, solution);
    INFO("residual " << report.residual << " after " << report.linear_solves << " solves, " << report.cg_iterations
                     << " iterations, change\n"
                     << solution.change);
    REQUIRE(report.converged);
    const Points z = solution.place();
    CHECK((z.col(1) - z.col(0)).norm() == Approx((2 + 1e-9) / 3).epsilon(1e-9));
    CHECK(report.cg_iterations >= report.linear_solves);  // each solve takes one at least
    CHECK_FALSE(report.derivative_reliable);
  }
}

TEST_CASE("stage problem: the Hessian is the second derivative of what is solved", "[sim][stage][fd]") {
  const Torus torus{.damping = 0.2};
  const Model model = torus.model();
  const StageProblem s = rough_stage(torus, 0.15, 4);
  BlockMatrix H(model.topology());
  const Points y = predictor(s), none = Points::Zero(3, y.cols());
  assemble_stage_hessian(model, s, none, false, H);
  const Points d = random_points(y.cols(), 1, 5);
  const auto gradient = [&](double step) {
    const Points z = y + step * d;
    Points f = Points::Zero(3, z.cols());
    model.add_forces({0, z, Points::Zero(3, z.cols())}, f,
                     [](const ForceTerm& t) { return t.traits().name == "springs"; });
    model.add_forces({0, s.lagged, s.velocity + step / s.g * d}, f,
                     [](const ForceTerm& t) { return t.traits().name == "dampers"; });
    return Points(z * model.mass().asDiagonal() - s.g * s.g * f);
  };
  Points got(3, d.cols());
  H.multiply(d, got);
  const Points want = (gradient(1e-5) - gradient(-1e-5)) / 2e-5;
  CHECK((got - want).norm() < 1e-8 * want.norm());  // step² times third derivatives; rounding 1e-16/1e-5
}

TEST_CASE("stage problem: forces that are not finite or too few iterations are no convergence", "[sim][stage][error]") {
  const Torus torus;
  const Model model = torus.model();
  for (const Index where : {0, 70, 144}) {
    StageProblem s = rough_stage(torus, 0.15, 6);
    s.move.setZero();  // elsewhere nothing is left to solve
    s.velocity.setZero();
    s.force.setZero();
    s.force(1, where) = std::numeric_limits<double>::quiet_NaN();
    for (const auto& linear : named_solvers) {
      INFO(linear << " particle " << where);
      StageSolution solution;
      const StageReport report = solver_with(linear).solve(model, s, solution);
      CHECK_FALSE(report.converged);
      CHECK_FALSE(std::isfinite(report.residual));
    }
  }
  StageSolver impatient({.linear_solver = "cholesky", .max_iterations = 1});
  StageSolution solution;
  CHECK_FALSE(impatient.solve(model, rough_stage(torus, 0.15, 7), solution).converged);
  CHECK_THROWS_WITH(solver_with("magic"),
                    Catch::Contains("simulation.linear_solver: must be one of auto, block_jacobi_cg, ssor_cg, "
                                    "prefactored_cg, cholesky, got magic"));
}

TEST_CASE("stage problem: the paper's torus takes few Newton steps at h = 0.15 s", "[sim][stage]") {
  const Torus torus;
  const Model model = torus.model();
  for (const auto& info : integrators()) {
    if (!info.implicit) continue;
    const Trajectory run = simulate(
        model, torus.state(), {.integrator = info.name, .time_step = 0.15, .steps = 100, .every = 100, .stage = {}});
    REQUIRE(run.status == StepStatus::Ok);
    double solves = 0, worst = 0;
    for (const StepRecord& r : run.records) {
      solves += r.work.linear_solves / 100.0;
      worst = std::max(worst, r.residual);
    }
    INFO(info.name << ": " << solves << " solves a step");
    CHECK(solves > 1);
    CHECK(solves < 15);
    CHECK(worst <= 1e-12);
  }
}

TEST_CASE("stage problem: auto takes sweeps for small sheets, diagonal blocks for chains, factors where stiff",
          "[sim][stage]") {
  const auto choice = [](const Model& model, const Points& x, double g) {
    StageSolver solver = solver_with("auto");
    StageSolution solution;
    solver.solve(model, stage_of(g, x, x, x, Points::Zero(3, x.cols())), solution);
    return std::string(solver.linear_solver());
  };
  const auto of_torus = [&](Index around, double g) {
    Torus torus;
    torus.around = around;
    return choice(torus.model(), torus.state().x, g);
  };
  const auto of_chain = [&](Index n, double g) {
    std::vector<Spring> links;
    Points x = Points::Zero(3, n);
    for (Index i = 0; i < n; ++i) x(0, i) = static_cast<double>(i);
    for (Index i = 0; i + 1 < n; ++i) links.push_back({i, i + 1});
    return choice({{.particles = n, .springs = links, .held = {}}, all(n, 1), all(n, 0), {springs(n - 1, 1, 1)}}, x, g);
  };
  CHECK(of_torus(5, 0.02) == "block_jacobi_cg");  // 25 particles
  CHECK(of_torus(6, 0.02) == "ssor_cg");          // 30
  CHECK(of_torus(29, 0.6) == "ssor_cg");          // g²k/m = 36
  CHECK(of_torus(29, 60) != "ssor_cg");           // 360,000
  CHECK(of_chain(100, 0.1) == "block_jacobi_cg");
  CHECK(of_chain(100, 10) == "cholesky");
  CHECK(of_chain(1000, 0.1) == "ssor_cg");
}
