// Nothing in a run may be measured against a step: shorter ones err less by the integrator's order, down to rounding,
// and no more from there on than rounding adds up.
#include "sim/check/observed_order.hpp"
#include "tests/support/motions.hpp"
#include "tests/support/net.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double rounding_in_a_step = 10;  // of the largest coordinate or velocity

/// Kicks do not become smaller with the step.
bool kicks(const Model& model) {
  for (const auto& term : model.terms())
    if (term->as<Kick>()) return true;
  return false;
}

/// The exponents of h with which the errors of a fixed number of steps fall. One step errs by one order more than all
/// steps over a given time; but the few first ones of a multi-step integrator may be of lower order, and velocities of
/// another time (leapfrog) are off by so much at once.
struct Exponents {
  int x, v;
};
Exponents exponents(const IntegratorInfo& info) {
  if (info.startup_steps > 0) return {info.position_order, info.velocity_order};
  const bool other_time = info.velocity_order < info.position_order;
  return {info.position_order + 1, info.velocity_order + (other_time ? 0 : 1)};
}

/// Errors in positions and velocities at each step length, and the largest coordinate and velocity there.
struct Errors {
  double x, v, size_x, size_v;
};

/// The worst of the errors' ratios to what they may be: where the first two steps lengths put the leading term (times
/// 3, for the next one), and rounding.
double excess(const std::vector<Errors>& errors, const Exponents& p, double first_step, double ratio, Index steps,
              std::size_t shown) {
  double of_x = 0, of_v = 0, worst = 0;
  for (std::size_t k = 0; k < errors.size(); ++k) {
    const double h = first_step * std::pow(ratio, -static_cast<double>(k)), n = static_cast<double>(steps);
    const double least_x = rounding_in_a_step * epsilon * n * errors[k].size_x,
                 least_v = rounding_in_a_step * epsilon * n * errors[k].size_v;
    if (k < shown) {
      of_x = std::max(of_x, errors[k].x / std::pow(h, p.x));
      of_v = std::max(of_v, errors[k].v / std::pow(h, p.v));
      continue;
    }
    worst = std::max({worst, errors[k].x / (3 * of_x * std::pow(h, p.x) + least_x),
                      errors[k].v / (3 * of_v * std::pow(h, p.v) + least_v)});
    if (!std::isfinite(errors[k].x + errors[k].v)) return std::numeric_limits<double>::infinity();
  }
  return worst;
}

}  // namespace

TEST_CASE("net: over six decades of the step the error falls with the integrator's order, and then does not grow",
          "[sim][net]") {
  constexpr double first_step = 1.0 / 256, ratio = 10;
  constexpr std::size_t decades = 6, shown = 2;
  constexpr Index steps = 16;
  const net::Bodies bodies;
  std::map<std::string, std::vector<State>> solutions;  // by force and hold, at each step length
  long runs = 0;
  double worst = 0;
  for (const net::Case& one : net::all_cases(bodies)) {
    if (!one.constraints.empty() || one.forces.size() != 1 || one.key_frames) continue;
    const net::Body body = bodies.make(one);
    if (kicks(body.model)) continue;
    const std::string key = std::to_string(one.forces.front()) + (one.hold == net::Hold::None ? "" : " held");
    std::vector<State>& wanted = solutions[key];
    if (wanted.empty())
      for (std::size_t k = 0; k <= decades; ++k) {
        const double h = first_step * std::pow(ratio, -static_cast<double>(k));
        const Motion motion{one.name, body.model, body.state, 1, {}};
        wanted.push_back(fine_state(motion, body.state.t + steps * h, k < 2 ? h / 32 : h));
      }
    const IntegratorChoice integrator = uncontrolled(one.integrator);
    std::vector<Errors> errors;
    std::string text;
    for (std::size_t k = 0; k <= decades; ++k) {
      const double h = first_step * std::pow(ratio, -static_cast<double>(k));
      const net::Outcome got = net::run(bodies, one, integrator, h, steps);
      ++runs;
      if (got.status != "ok") {
        errors.push_back({INFINITY, INFINITY, 1, 1});
        text += " " + got.status + got.why;
        continue;
      }
      errors.push_back({(got.end.x - wanted[k].x).cwiseAbs().maxCoeff(),
                        (got.end.v - wanted[k].v).cwiseAbs().maxCoeff(), wanted[k].x.cwiseAbs().maxCoeff(),
                        wanted[k].v.cwiseAbs().maxCoeff()});
      std::ostringstream out;
      out.precision(2);
      out << " " << errors.back().x << "/" << errors.back().v;
      text += out.str();
    }
    const double part = excess(errors, exponents(integrator.info()), first_step, ratio, steps, shown);
    worst = std::max(worst, part);
    if (!(part <= 1)) FAIL_CHECK(one.name << ": " << part << " times what it may be; errors (x/v)" << text);
  }
  WARN(runs << " runs, worst " << worst << " of the bound");
}
