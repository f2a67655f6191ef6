// Nothing in a run may be measured from the origin: a body far from it moves alike, to the rounding of coordinates.
#include "sim/integrator/xpbd.hpp"
#include "tests/support/net.hpp"

using namespace pithball;
using namespace pithball::sim;
using namespace pithball::tests;

namespace {

constexpr Index steps_far_away = 16;
constexpr double step_far_away = 1.0 / 4096;

/// The body's extent is about 2 m; this is 2^20 of them.
Scale far_away() { return {.origin = Vec3(0x1p21, -0x1p20, 0x1p20)}; }

/// How long a velocity that is off moves a body before that is mended [s]: a rigid row takes what its coordinates are
/// off by rounding out of them within a substep.
double seconds_of(const net::Case& c) { return c.constraints.empty() ? 1 : step_far_away / (Xpbd::Options{}.substeps); }

/// How often a step rounds a coordinate: in it and in its forces' arguments; a projection also in every row that moves
/// it; and a stage may leave 16 roundings of what acts in it (`StageLimits`), which is all forces, or in the IMEX
/// integrators the implicit ones, besides what the step rounds.
double roundings_in_a_step(const net::Bodies& bodies, const net::Case& c) {
  constexpr double in_step = 4, in_stage = 16;
  if (!c.constraints.empty()) return 8;
  if (c.integrator == "theta" || c.integrator == "implicit_euler") return in_stage;
  const bool has_stage = c.integrator.starts_with("imex") && std::ranges::any_of(c.forces, [&](std::size_t f) {
                           return std::ranges::any_of(bodies.forces()[f].model.terms(),
                                                      [](const auto& term) { return is_implicit(*term); });
                         });
  return has_stage ? in_step + in_stage : in_step;
}

/// By how much more a motion ends off than its positions were off at the start, in positions [m] or velocities [m/s];
/// at least 1. The nudges are of different sizes, as what comes into contact earlier or later goes elsewhere.
double condition(const net::Bodies& plain, const net::Case& c, const net::Outcome& end) {
  double worst = 1;
  for (const double nudge : {0x1p-30, 0x1p-22})
    for (const int sense : {-1, 1}) {
      const net::Body body = plain.make(c);
      State start = body.state;
      for (Index k = 0; k < start.x.size(); ++k) start.x.data()[k] += (k * 7919 % 13 < 6 ? -sense : sense) * nudge;
      Stepper stepper(body.model, start, c.integrator, {}, step_far_away);
      while (stepper.n() < steps_far_away)
        if (stepper.advance().status != StepStatus::Ok) return std::numeric_limits<double>::infinity();
      const double x = (stepper.state().x - end.end.x).cwiseAbs().maxCoeff(),
                   v = (stepper.state().v - end.end.v).cwiseAbs().maxCoeff();
      worst = std::max({worst, x / nudge, seconds_of(c) * v / nudge});
    }
  return worst;
}

/// Looks at one in `stride` of all cases.
void check_far_away(std::size_t stride) {
  const net::Bodies plain, far(far_away());
  const double rounding = std::numeric_limits<double>::epsilon() * far_away().origin.cwiseAbs().maxCoeff();
  double worst = 0;
  long runs = 0, rejected = 0;
  const std::vector<net::Case> cases = net::all_cases(plain);
  net::Reach all, seen;
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const net::Case& one = cases[c];
    if (net::rounding_decides(one)) continue;
    all.add(one);
    if (c % stride != 0) continue;
    seen.add(one);
    const net::Outcome want = net::run(plain, one, one.integrator, step_far_away, steps_far_away);
    const net::Outcome got = net::run(far, one, one.integrator, step_far_away, steps_far_away);
    ++runs;
    rejected += want.status == "rejected";
    if (want.status != got.status) {
      FAIL_CHECK(one.name << ": " << want.status << " -> " << got.status << " " << got.why);
      continue;
    }
    if (want.status != "ok") continue;
    const double off = std::max((got.end.x - want.end.x).cwiseAbs().maxCoeff(),
                                seconds_of(one) * (got.end.v - want.end.v).cwiseAbs().maxCoeff());
    const double part = off / (steps_far_away * rounding * condition(plain, one, want));
    worst = std::max(worst, std::isnan(part) ? std::numeric_limits<double>::infinity() : part);
    if (!(part <= roundings_in_a_step(plain, one)))
      FAIL_CHECK(one.name << ": off by " << (got.end.x - want.end.x).cwiseAbs().maxCoeff() << " m and "
                          << (got.end.v - want.end.v).cwiseAbs().maxCoeff() << " m/s, " << part
                          << " roundings in each step");
  }
  REQUIRE(seen == all);
  WARN(runs << " bodies, " << rejected << " rejected at either place, worst " << worst
            << " roundings of a coordinate in each step, times the motion's own condition");
}

}  // namespace

TEST_CASE("net: a body 2^20 extents from the origin moves alike, to the rounding of coordinates", "[sim][net][slow]") {
  check_far_away(1);
}

TEST_CASE("net: a few bodies of every force and integrator move alike far from the origin", "[sim][net]") {
  check_far_away(11);
}
