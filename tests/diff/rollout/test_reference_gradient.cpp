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
  sim::Points residual(sim::Index n, const sim::State& s) const { return s.x - x0 * (1 + static_cast<double>(n) / 100); }
  double at(sim::Index n, const sim::State& s) const { return n == 0 ? 0 : scale * residual(n, s).squaredNorm(); }
  sim::Points gradient(sim::Index n, const sim::State& s) const {
    return n == 0 ? sim::Points::Zero(3, x0.cols()) : sim::Points(2 * scale * residual(n, s));
  }
};

/// Compares each block with the file to 1e-7 of the block's largest entry; requires the block not to vanish.
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
    CHECK((got - expected).cwiseAbs().maxCoeff() < 1e-8 * largest);
  }
}

}  // namespace

TEST_CASE("rollouts: adjoint and tangent agree with every loss gradient of the 50-digit reference", "[diff][reference]") {
  const auto names = diff::differentiable_integrators();
  std::set<std::string> covered;
  for (const auto& c : reference().at("cases")) {
    const std::string name = c.at("integrator");
    if (!c.contains("loss_gradient") || std::find(names.begin(), names.end(), name) == names.end()) continue;
    covered.insert(name);
    for (const std::string solver : {"auto", "prefactored_cg", "cholesky"}) {
      INFO(name << " pinned " << c.at("pinned") << " solver " << solver);
      diff::Scenario s{.name = "reference", .model = reference_model(c.at("pinned")), .initial = reference_state(), .integrator = name,
                       .time_step = c.at("time_step"), .steps = c.at("steps"), .stage = {}};
      s.stage.tolerance = 1e-13;
      s.stage.linear_solver = solver;
      const ReferenceLoss loss{s.initial.x, 1.0 / static_cast<double>(5 * s.steps)};

      for (const double budget_mb : {100.0, 0.004}) {  // all tapes; a few steps at a time
        diff::AdjointRollout rollout(s, budget_mb);
        double value = 0;
        REQUIRE(rollout.forward([&](sim::Index n, const sim::State& state) { value += loss.at(n, state); }).ok());
        CHECK(value == Approx(c.at("loss").get<double>()).epsilon(1e-10));
        check_gradient(s, rollout.backward([&](sim::Index n, const sim::State& state, sim::Points& gx, sim::Points&) { gx += loss.gradient(n, state); }),
                       c.at("loss_gradient"));
      }

      sim::Vector gradient = sim::Vector::Zero(s.size());
      const Eigen::MatrixXd all = Eigen::MatrixXd::Identity(s.size(), s.size());
      REQUIRE(diff::run_tangent(s, all, [&](sim::Index n, const sim::State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd&) {
                const sim::Points g = loss.gradient(n, state);
                gradient += dx.transpose() * sim::flat(g);
              }).ok());
      check_gradient(s, gradient, c.at("loss_gradient"));
    }
  }
  CHECK(covered.size() == names.size());
}
