#include <map>
#include <set>

#include "diff/rollout/rollout.hpp"
#include "diff/step/step_derivative.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reference_system.hpp"

using namespace pithball;
using namespace pithball::tests;

namespace {

// The loss of the reference file: Σ_{t=1..N} Σ_i |x_t,i − target_t,i|² / (n N), target_t = x_0 (1 + t/100), a constant.
struct ReferenceLoss {
  sim::Points x0;
  double scale;
  sim::Points residual(sim::Index n, const sim::State& s) const {
    return s.x - x0 * (1 + static_cast<double>(n) / 100);
  }
  double at(sim::Index n, const sim::State& s) const { return n == 0 ? 0 : scale * residual(n, s).squaredNorm(); }
  sim::Points gradient(sim::Index n, const sim::State& s) const {
    return n == 0 ? sim::Points::Zero(3, x0.cols()) : sim::Points(2 * scale * residual(n, s));
  }
};

/// Compares each block with the file to 1e-8 of the block's largest entry; requires the block not to vanish. A pinned
/// particle has no velocity to depend on, so its own velocity rows are exactly 0 here (see the last test for the
/// file's).
void check_gradient(const diff::Scenario& s, const sim::Vector& gradient, const nlohmann::json& want) {
  const auto& values = s.model.values();
  std::map<std::string, sim::Vector> blocks;
  for (const std::string name : {"mass", "charge", "stiffness", "rest_length"})
    blocks[name] = values.of(sim::Vector(gradient.head(values.size())), *values.find(name));
  const sim::Index n3 = 3 * s.model.particles();
  blocks["positions"] = gradient.segment(s.position_offset(), n3);
  blocks["velocities"] = gradient.segment(s.velocity_offset(), n3);
  for (const auto& [name, got] : blocks) {
    INFO(name);
    const auto& rows = want.at(name);
    sim::Vector expected;
    if (rows[0].is_array()) {
      const sim::Points p = points_of(rows);
      expected = sim::flat(p);
    } else {
      expected = vector_of(rows);
    }
    const double largest = expected.cwiseAbs().maxCoeff();
    REQUIRE(largest > 0);
    if (name == "velocities")
      for (const auto& held : s.model.topology().held) {
        CHECK(got.segment(3 * held.particle, 3).isZero(0));
        expected.segment(3 * held.particle, 3).setZero();
      }
    CHECK((got - expected).cwiseAbs().maxCoeff() < 1e-8 * largest);
  }
}

}  // namespace

TEST_CASE("rollouts: adjoint and tangent agree with every loss gradient of the 50-digit reference",
          "[diff][reference]") {
  const auto names = diff::differentiable_integrators();
  std::set<std::string> covered;
  for (const auto& c : reference().at("cases")) {
    const std::string name = c.at("integrator");
    if (!c.contains("loss_gradient") || std::find(names.begin(), names.end(), name) == names.end()) continue;
    covered.insert(name);
    for (const std::string solver : {"auto", "prefactored_cg", "cholesky"}) {
      INFO(name << " pinned " << c.at("pinned") << " solver " << solver);
      diff::Scenario s{.name = "reference",
                       .model = reference_model(c.at("pinned")),
                       .initial = reference_state(),
                       .integrator = name,
                       .time_step = c.at("time_step"),
                       .steps = c.at("steps"),
                       .stage = {}};
      s.stage.tolerance = 1e-13;
      s.stage.linear_solver = solver;
      const ReferenceLoss loss{s.initial.x, 1.0 / (5 * s.steps)};

      for (const double budget_mb : {100.0, 0.004}) {  // all tapes; a few steps at a time
        diff::AdjointRollout rollout(s, budget_mb);
        double value = 0;
        REQUIRE(rollout.forward([&](sim::Index n, const sim::State& state) { value += loss.at(n, state); }).ok());
        CHECK(value == Approx(c.at("loss").get<double>()).epsilon(1e-10));
        check_gradient(s, rollout.backward([&](sim::Index n, const sim::State& state, sim::Points& gx, sim::Points&) {
          gx += loss.gradient(n, state);
        }),
                       c.at("loss_gradient"));
      }

      sim::Vector gradient = sim::Vector::Zero(s.size());
      const Eigen::MatrixXd all = Eigen::MatrixXd::Identity(s.size(), s.size());
      REQUIRE(diff::run_tangent(
                  s, all,
                  [&](sim::Index n, const sim::State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd&) {
                    const sim::Points g = loss.gradient(n, state);
                    gradient += dx.transpose() * sim::flat(g);
                  })
                  .ok());
      check_gradient(s, gradient, c.at("loss_gradient"));
    }
  }
  for (const char* name : {"imex_euler", "imex_midpoint", "imex_bdf2", "velocity_verlet", "symplectic_euler"})
    CHECK(covered.count(name) == 1);
}

// For integrators other than imex_euler the file differentiates by the velocity of a *pinned* particle as if it
// drifted, x_0 + v_0 t, at v_0 = 0. Our pinned particle does not move whatever its velocity; a driven one does, and
// gives the file's numbers.
TEST_CASE("rollouts: velocity rows of pinned particles in the reference are those of a drifting particle",
          "[diff][reference][fd]") {
  for (const auto& c : reference().at("cases")) {
    const std::string name = c.at("integrator");
    const auto names = diff::differentiable_integrators();
    if (!c.contains("loss_gradient") || c.at("pinned").empty() || name == "imex_euler" ||
        std::find(names.begin(), names.end(), name) == names.end())
      continue;
    INFO(name);
    const sim::Model pinned = reference_model(c.at("pinned"));
    const sim::Index i = pinned.topology().held[0].particle;
    for (int a = 0; a < 3; ++a) {
      const auto loss_with_drift = [&](double speed) {
        sim::Topology topology = pinned.topology();
        const sim::Vec3 x0 = reference_state().x.col(i), far = 10 * speed * sim::Vec3::Unit(a);
        topology.held[0].path = sim::Path({-10, 10}, {x0 - far, x0 + far});
        diff::Scenario s{.name = "drift",
                         .model = sim::Model(topology, pinned.mass(), pinned.charge(), pinned.terms()),
                         .initial = reference_state(),
                         .integrator = name,
                         .time_step = c.at("time_step"),
                         .steps = c.at("steps"),
                         .stage = {}};
        s.stage.tolerance = 1e-13;
        const ReferenceLoss loss{s.initial.x, 1.0 / (5 * s.steps)};
        double value = 0;
        REQUIRE(diff::run_forward(s, [&](sim::Index n, const sim::State& state) { value += loss.at(n, state); }).ok());
        return value;
      };
      const double step = 1e-4;  // central differences: truncation and rounding are both near 1e-9
      const double slope = (loss_with_drift(step) - loss_with_drift(-step)) / (2 * step);
      CHECK(slope == Approx(c.at("loss_gradient").at("velocities")[i][a].get<double>()).margin(1e-7));
    }
  }
}
