// Derivatives of every differentiable force in every differentiable integrator, with particles free, pinned and driven,
// and with values that are constant or change with time.
#include "diff/check/gradient_check.hpp"
#include "diff/step/step_derivative.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/net.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

/// Every combination; the force whose lists of neighbors, kinks or kicks have no derivative are not among them.
std::vector<net::Case> differentiable_cases(const net::Bodies& bodies) {
  std::vector<net::Case> cases;
  for (std::size_t f = 0; f < bodies.forces().size(); ++f) {
    const auto& terms = bodies.forces()[f].model.terms();
    if (!std::all_of(terms.begin(), terms.end(), [](const auto& t) { return t->traits().differentiable; })) continue;
    for (const std::string& integrator : diff::differentiable_integrators())
      for (const net::Hold hold : {net::Hold::None, net::Hold::Pinned, net::Hold::Driven})
        for (const bool key_frames : {false, true}) {
          cases.push_back(
              {.forces = {f}, .constraints = {}, .integrator = integrator, .hold = hold, .key_frames = key_frames});
          cases.back().name = net::name_of(bodies, cases.back());
        }
  }
  return cases;
}

/// A run of few steps through both key times, with springs that tie the body together.
diff::Scenario scenario_of(const net::Bodies& bodies, const net::Case& one) {
  net::Body body = bodies.make(one);
  return {.name = one.name,
          .model = body.model,
          .initial = body.state,
          .integrator = few_substeps(one.integrator),
          .time_step = 1.0 / 32,
          .steps = 3,
          .stage = {}};
}

/// Whether a force has a kink (a contact that opens, a cut-off), across which differences tell nothing.
bool has_kinks(const net::Case& one) {
  for (const char* force : {"contact_penalty", "_penalty#", "lennard_jones", "pair_potential"})
    if (one.name.find(force) != std::string::npos) return true;
  return false;
}

void check_cases(const net::Bodies& bodies, const std::vector<net::Case>& cases) {
  constexpr double tangent_tolerance = 1e-10;  // of the block's largest entry: both are exact but for their solves
  double worst_tangent = 0, worst_difference = 0;
  long blocks = 0, across_kinks = 0, hidden = 0;
  for (const net::Case& one : cases) {
    const diff::Scenario s = scenario_of(bodies, one);
    const auto check =
        diff::check_gradient(s, diff::ProbeLoss(s), {.tangent_tolerance = tangent_tolerance, .entries = 1});
    if (!check.status.ok()) {
      FAIL_CHECK(one.name << ": " << to_string(check.status.status) << " at step " << check.status.step);
      continue;
    }
    for (const auto& block : check.blocks) {
      ++blocks;
      if (block.verdict == diff::BlockVerdict::NotResolved) {  // of no effect but rounding: mass in free fall
        ++hidden;
        continue;
      }
      worst_tangent = std::max(worst_tangent, block.adjoint_vs_tangent);
      worst_difference = std::max(worst_difference, block.adjoint_vs_difference);
      if (block.adjoint_vs_tangent > tangent_tolerance || (!block.passed && !has_kinks(one)))
        FAIL_CHECK(one.name << ": " << block.name << " off by " << block.adjoint_vs_tangent << " and "
                            << block.adjoint_vs_difference << " (differences know of " << block.difference_error
                            << "); " << block.worst);
      else if (!block.passed)
        ++across_kinks;
    }
  }
  CHECK(across_kinks < 0.01 * static_cast<double>(blocks));
  WARN(cases.size() << " combinations, " << across_kinks << " of " << blocks << " blocks across a kink, " << hidden
                    << " hidden by rounding, adjoint against tangent at worst " << worst_tangent
                    << ", against differences " << worst_difference);
}

}  // namespace

TEST_CASE("net: adjoint, tangent and differences agree for every force, integrator, hold and key frame",
          "[diff][fd][net][slow]") {
  const net::Bodies bodies;
  check_cases(bodies, differentiable_cases(bodies));
}

TEST_CASE("net: each force's derivatives agree in one or two integrators, holds and kinds of values in turn",
          "[diff][fd][net]") {
  const net::Bodies bodies;
  std::vector<net::Case> cases;
  const auto all = differentiable_cases(bodies);
  net::Reach whole, seen;
  for (std::size_t c = 0; c < all.size(); ++c) {
    whole.add(all[c]);
    if (c % 53 != 0) continue;  // a prime below the number of cases of one force
    cases.push_back(all[c]);
    seen.add(all[c]);
  }
  REQUIRE(seen == whole);
  REQUIRE(seen.integrators.size() == diff::differentiable_integrators().size());
  check_cases(bodies, cases);
}
