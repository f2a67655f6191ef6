#include "diff/check/gradient_check.hpp"
#include "diff/step/step_derivative.hpp"
#include "sim/force/applied_force.hpp"
#include "sim/force/langevin.hpp"
#include "sim/force/magnetic_field.hpp"
#include "sim/force/medium.hpp"
#include "sim/force/selected_force.hpp"
#include "sim/run/stepper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/rich_system.hpp"

using namespace pithball;

namespace {

/// Seven particles that feel every force, with adaptive integrators making few substeps.
void check_all_forces(const std::string& name, bool held, const std::string& solver, sim::Index steps,
                      sim::Index entries) {
  diff::Scenario s = tests::rich_scenario(name, 0.02, steps, held);
  s.stage.linear_solver = solver;
  s.integrator = tests::few_substeps(name);
  const auto check = diff::check_gradient(
      s, diff::ProbeLoss(s), {.tangent_tolerance = 1e-9, .difference_tolerance = 1e-7, .entries = entries});
  REQUIRE(check.status.ok());
  for (const auto& block : check.blocks) {
    INFO(name << (held ? " held " : " free ") << solver << ": " << block.worst);
    CHECK(block.largest > 0);                // a zero derivative would prove nothing
    CHECK(block.adjoint_vs_tangent < 1e-9);  // solves stop at 1e-12, times the condition of the blocks
    CHECK(block.adjoint_vs_difference < 1e-7);
    CHECK(block.passed);
  }
  CHECK(check.passed);
}

constexpr const char* stage_solvers[] = {"block_jacobi_cg", "ssor_cg", "prefactored_cg", "cholesky"};
const sim::Index usual_entries = diff::GradientCheckOptions{}.entries;

void check_selected_forces(const std::vector<std::string>& integrators, sim::Index entries) {
  const std::vector<sim::Index> selected{0, 2, 3, 6};  // 0 is pinned, 6 is driven
  for (const std::string& name : integrators) {
    diff::Scenario s = tests::rich_scenario(name, 0.02, 2);
    const sim::Model& rich = s.model;
    using Terms = std::vector<std::shared_ptr<sim::ForceTerm>>;
    Terms terms = rich.terms();
    const auto field = std::make_shared<tests::SwirlField>(1e5), wind = std::make_shared<tests::SwirlField>(0.5);
    const auto drag = std::make_shared<sim::StokesDrag>(sim::Vector::Constant(7, 0.3), 0.1, wind, 0.2);
    for (const auto& more :
         Terms{std::make_shared<sim::MagneticField>(field), drag,
               std::make_shared<sim::Buoyancy>(drag, 0.8, sim::Vec3(0, 0, -9.81)),
               std::make_shared<sim::AppliedForce>(sim::AppliedForce::On::Total, sim::Vec3(1, -2, 0.5))})
      terms.push_back(more);
    for (std::size_t k = 2; k < terms.size(); ++k)  // all but springs and dampers
      terms[k] = std::make_shared<sim::SelectedForce>(terms[k], selected);
    s.model = sim::Model(rich.topology(), rich.mass(), rich.charge(), terms);
    s.integrator = tests::few_substeps(name);
    const auto check = diff::check_gradient(
        s, diff::ProbeLoss(s), {.tangent_tolerance = 1e-9, .difference_tolerance = 1e-7, .entries = entries});
    REQUIRE(check.status.ok());
    for (const auto& block : check.blocks) {
      INFO(name << ": " << block.worst);
      CHECK(block.largest > 0);
      CHECK(block.passed);
    }
  }
}

void check_own_rest(const std::vector<std::string>& integrators, sim::Index entries) {
  for (const std::string& name : integrators) {
    INFO(name);
    diff::Scenario s = tests::rich_scenario(name, 0.02, 2);
    sim::Topology topology = s.model.topology();
    topology.held = {{0, {}}, {6, {}}, {2, {}}};
    std::vector<std::shared_ptr<sim::ForceTerm>> terms = s.model.terms();
    // Swirls have no position of rest.
    const auto wind = std::make_shared<sim::UniformField>(sim::Vec3(0.5, 0.2, -0.3));
    terms.resize(7);
    terms.erase(terms.begin() + 5);
    terms.push_back(std::make_shared<sim::LinearDrag>(sim::Vector::Constant(7, 0.3), wind));
    terms.push_back(std::make_shared<sim::QuadraticDrag>(sim::Vector::Constant(7, 0.2), wind));
    s.model = sim::Model(topology, s.model.mass(), s.model.charge(), terms);
    s.rest_near = s.initial.x;
    s.initial.x = 0.05 * s.initial.v;  // displacements
    s.integrator = tests::few_substeps(name);
    const auto check = diff::check_gradient(s, diff::ProbeLoss(s), {.entries = entries});
    REQUIRE(check.status.ok());
    for (const auto& block : check.blocks) {
      INFO(block.worst);
      CHECK(block.largest > 0);
      CHECK(block.passed);
    }
  }
}

}  // namespace

TEST_CASE("gradient check: every integrator's adjoint, tangent and differences agree with all forces at once",
          "[diff][fd][slow]") {
  for (const std::string& name : diff::differentiable_integrators())
    for (const bool held : {false, true})
      for (const std::string solver : stage_solvers)
        if (sim::IntegratorChoice(name).info().implicit || solver == "cholesky")
          check_all_forces(name, held, solver, 6, usual_entries);
}

TEST_CASE("gradient check: each integrator, with one linear solver in turn, agrees with differences", "[diff][fd]") {
  std::size_t k = 0;
  for (const std::string& name : diff::differentiable_integrators()) {
    check_all_forces(name, k % 2 == 0, stage_solvers[k % std::size(stage_solvers)], 3, 1);
    ++k;
  }
}

TEST_CASE("gradient check: forces on selected particles, in a magnetic field and a medium", "[diff][fd][slow]") {
  check_selected_forces(
      {"imex_euler", "imex_midpoint", "imex_bdf2", "velocity_verlet", "leapfrog", "implicit_euler", "rk4"},
      usual_entries);
}

// One integrator with stages and one without: the forces' own derivatives are the same in all.
TEST_CASE("gradient check: a few entries of forces on selected particles, in a magnetic field and a medium",
          "[diff][fd]") {
  check_selected_forces({"imex_midpoint", "velocity_verlet"}, 1);
}

TEST_CASE("gradient check: substeps are frozen, and differences without that see their number jump", "[diff][fd]") {
  for (const std::string& name : diff::differentiable_integrators()) {
    if (!sim::IntegratorChoice(name).info().adaptive) continue;
    INFO(name);
    diff::Scenario s = tests::rich_scenario(name, 0.02, 6);
    s.integrator = tests::few_substeps(name);
    const auto substeps_of = [&](const diff::Scenario& scenario) {
      sim::Stepper stepper(scenario.model, scenario.initial, scenario.integrator, scenario.stage, scenario.time_step);
      std::vector<double> all;
      for (sim::Index n = 0; n < scenario.steps; ++n) {
        const auto substeps = stepper.advance().substeps;
        all.insert(all.end(), substeps.begin(), substeps.end());
      }
      return all;
    };
    const std::vector<double> own = substeps_of(s);
    REQUIRE(own.size() > 12);  // more than two a step
    diff::Scenario moved = s;
    moved.initial.v *= 5;
    CHECK(substeps_of(moved) != own);
    s.integrator = s.integrator.frozen();
    CHECK(substeps_of(s) == own);
    moved.integrator = s.integrator;
    CHECK(substeps_of(moved) == own);
    moved.integrator = s.integrator.frozen();  // anew
    CHECK(substeps_of(moved) != own);
  }
}

TEST_CASE("gradient check: a start from the model's own rest moves with the physical values", "[diff][fd][slow]") {
  check_own_rest(diff::differentiable_integrators(), usual_entries);
}

// The start's derivative is made before any integrator takes it over: one with stages and one without.
TEST_CASE("gradient check: a few entries of a start from the model's own rest", "[diff][fd]") {
  check_own_rest({"imex_midpoint", "velocity_verlet"}, 1);
}

TEST_CASE("equilibrium: a swirling wind is rejected", "[diff][error]") {
  diff::Scenario s = tests::rich_scenario("imex_midpoint", 0.02, 1);
  s.rest_near = s.initial.x;
  CHECK_THROWS_WITH(diff::run_forward(s, [](sim::Index, const sim::State&) {}), Catch::Contains("potential"));
}

TEST_CASE("gradient check: names the entry that is wrong", "[diff][fd]") {
  // A loss whose gradient lies about one particle.
  struct Liar final : diff::TrajectoryLoss {
    diff::ProbeLoss honest;
    explicit Liar(const diff::Scenario& s) : honest(s) {}
    double value(sim::Index n, const sim::State& s) const override {
      return honest.value(n, s) + (n == 5 ? s.x(1, 3) : 0);
    }
    void add_gradient(sim::Index n, const sim::State& s, sim::Points& gx, sim::Points& gv) const override {
      honest.add_gradient(n, s, gx, gv);
    }
  };
  const diff::Scenario s = tests::rich_scenario("imex_midpoint", 0.02, 5);
  const auto check = diff::check_gradient(s, Liar(s));
  CHECK_FALSE(check.passed);
  const auto position =
      std::find_if(check.blocks.begin(), check.blocks.end(), [](const auto& b) { return b.name == "position"; });
  CHECK_FALSE(position->passed);
  CHECK(position->worst.find("position") == 0);
}

TEST_CASE("gradient check: reports its progress from nothing to all, and never goes back", "[diff][fd]") {
  const diff::Scenario s = tests::rich_scenario("imex_euler", 0.02, 3);
  std::vector<double> shares;
  const auto check = diff::check_gradient(
      s, diff::ProbeLoss(s), {.entries = 1, .on_progress = [&](double share) { shares.push_back(share); }});
  REQUIRE(check.status.ok());
  REQUIRE(shares.size() > 100);
  CHECK(shares.front() == 0);
  CHECK(shares.back() == 1);
  CHECK(std::is_sorted(shares.begin(), shares.end()));
}

TEST_CASE("gradient check: a loss without any derivative fails", "[diff][fd]") {
  struct Constant final : diff::TrajectoryLoss {
    double value(sim::Index, const sim::State&) const override { return 1; }
    void add_gradient(sim::Index, const sim::State&, sim::Points&, sim::Points&) const override {}
  };
  CHECK_FALSE(diff::check_gradient(tests::rich_scenario("imex_euler", 0.02, 3), Constant()).passed);
}

TEST_CASE("finite differences: extrapolation reaches ten digits and knows its error", "[diff][fd]") {
  const auto sine = diff::differentiate([](double s) { return std::optional(std::sin(1 + s)); }, 0.2);
  REQUIRE(sine);
  CHECK(std::abs(sine->value - std::cos(1.0)) < 1e-10);
  CHECK(std::abs(sine->value - std::cos(1.0)) < 10 * sine->error + 1e-13);
  const auto root =
      diff::differentiate([](double s) { return s < 0 ? std::nullopt : std::optional(std::exp(2 * s)); }, 0.1, true);
  REQUIRE(root);
  CHECK(std::abs(root->value - 2) < 1e-8);
  CHECK_FALSE(diff::differentiate([](double) { return std::optional<double>(); }, 0.1));
}

TEST_CASE("adjoint: the gradient with checkpoints equals the one without to the last bit", "[diff][checkpoint]") {
  for (const std::string& name : diff::differentiable_integrators())
    for (const std::string solver : {"block_jacobi_cg", "ssor_cg", "prefactored_cg", "cholesky"}) {
      diff::Scenario s = tests::rich_scenario(name, 0.02, 37);
      s.stage.linear_solver = solver;
      s.integrator = tests::few_substeps(name);
      const diff::ProbeLoss loss(s);
      const auto gradient = [&](double budget_mb) {
        diff::AdjointRollout rollout(s, budget_mb);
        REQUIRE(rollout.forward([](sim::Index, const sim::State&) {}).ok());
        return rollout.backward([&](sim::Index n, const sim::State& state, sim::Points& gx, sim::Points& gv) {
          loss.add_gradient(n, state, gx, gv);
        });
      };
      const sim::Vector whole = gradient(1000);
      CHECK(whole.norm() > 0);
      for (const double budget_mb : {0.05, 0.01, 1e-6}) CHECK(gradient(budget_mb) == whole);
    }
}

TEST_CASE("check_gradient: forces without derivatives are rejected by their name", "[diff][error]") {
  auto scenario = tests::rich_scenario("velocity_verlet", 0.01, 3);
  const sim::Model& model = scenario.model;
  auto terms = model.terms();
  terms.push_back(std::make_shared<sim::Langevin>(1.0, 1.0, 1));
  const sim::Model heated(model.topology(), model.mass(), model.charge(), terms);
  CHECK_THROWS_WITH(diff::step_derivative("velocity_verlet", heated),
                    Catch::Contains("forces.langevin: is not differentiable"));
}
