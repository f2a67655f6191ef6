#include "diff/rollout/segmented_rollout.hpp"

#include "diff/step/step_derivative.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/rich_system.hpp"
#include "tests/support/some_directions.hpp"

using namespace pithball;
using namespace pithball::diff;
using pithball::tests::rich_scenario;
using pithball::tests::some_directions;

namespace {

/// Positions and velocities of all steps, one below the other, and their derivatives.
struct Track {
  sim::Vector states;
  Eigen::MatrixXd tangents;

  Track(const Scenario& s, Index directions)
      : states((s.steps + 1) * 6 * s.model.particles()), tangents(states.size(), directions) {}
  void note(Index n, const State& state) {
    const Index n3 = state.x.size();
    states.segment(2 * n3 * n, n3) = sim::flat(state.x);
    states.segment(2 * n3 * n + n3, n3) = sim::flat(state.v);
  }
  void note(Index n, const State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
    note(n, state);
    tangents.middleRows(2 * n * dx.rows(), dx.rows()) = dx;
    tangents.middleRows((2 * n + 1) * dx.rows(), dx.rows()) = dv;
  }
};

/// The states of a run at the beginnings of its segments.
Segments cut(const Scenario& s, Index count) {
  Segments segments{even_segments(s.steps, count), {}};
  run_forward(s, [&](Index n, const State& state) {
    if (std::find(segments.begin.begin(), segments.begin.end(), n) != segments.begin.end())
      segments.states.push_back(state);
  });
  return segments;
}

/// Derivatives in P directions and, of segment k > 0, its own first state, among those in all first states.
Eigen::MatrixXd among_all(const Eigen::MatrixXd& narrow, Index k, Index P, Index own, Index states) {
  Eigen::MatrixXd wide = Eigen::MatrixXd::Zero(narrow.rows(), P + states * own);
  wide.leftCols(P) = narrow.leftCols(P);
  if (k > 0) wide.middleCols(P + (k - 1) * own, own) = narrow.rightCols(own);
  return wide;
}

void check_joined(Index steps, Index count) {
  for (const std::string& integrator : differentiable_integrators()) {
    const Scenario s = rich_scenario(integrator, 0.02, steps);
    if (s.integrator.info().startup_steps > 0) continue;  // it starts anew in every segment
    INFO(integrator);
    const Segments segments = cut(s, count);
    const Index later = count - 1;
    REQUIRE(static_cast<Index>(segments.states.size()) == later);
    const Index own = 2 * static_cast<Index>(free_coordinates(s.model).size()), P = 3;
    REQUIRE(own == 6 * 5);
    const Eigen::MatrixXd directions = some_directions(s, 3);
    Track whole(s, P), pieces(s, P + later * own), forward(s, 0);
    run_tangent(s, directions, [&](Index n, const State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
      whole.note(n, state, dx, dv);
    });
    GapTangents between;
    auto& [gaps, gap_tangents] = between;
    REQUIRE(run_segments_tangent(
                s, segments, directions,
                [&](Index k, Index n, const State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
                  pieces.note(n, state, among_all(dx, k, P, own, later), among_all(dv, k, P, own, later));
                },
                between)
                .ok());
    // What a new start changes: sums of time, and where an iterative solver or a choice of substeps begins.
    const double solves = s.integrator.info().adaptive ? 1e-5 : 1e-10;
    CHECK((pieces.states - whole.states).norm() <= solves * whole.states.norm());
    REQUIRE(run_segments(
                s, segments, [&](Index n, const State& state) { forward.note(n, state); }, gaps)
                .ok());
    CHECK((forward.states - pieces.states).norm() <= 1e-14 * whole.states.norm());
    for (const State& gap : gaps) CHECK(gap.x.norm() + gap.v.norm() <= solves * whole.states.norm());

    // The states' changes that keep all gaps closed, one after the other.
    Eigen::MatrixXd change = Eigen::MatrixXd::Zero(P + later * own, P);
    change.topRows(P).setIdentity();
    for (std::size_t k = 0; k < segments.states.size(); ++k) {
      const Index segment = k;
      const Eigen::MatrixXd dx = among_all(gap_tangents[k].dx, segment, P, own, later) * change,
                            dv = among_all(gap_tangents[k].dv, segment, P, own, later) * change;
      Index row = P + static_cast<Index>(k) * own;
      for (const Eigen::MatrixXd* end : {&dx, &dv})
        for (const Index a : free_coordinates(s.model)) change.row(row++) = end->row(a);
    }
    CHECK((pieces.tangents * change - whole.tangents).norm() <= 10 * solves * whole.tangents.norm());
  }
}

}  // namespace

TEST_CASE("segments: as even as can be, never empty", "[diff][segments]") {
  CHECK(even_segments(10, 1).empty());
  CHECK(even_segments(10, 2) == std::vector<Index>{5});
  CHECK(even_segments(10, 3) == std::vector<Index>{3, 6});
  CHECK(even_segments(3, 10) == std::vector<Index>{1, 2});
  CHECK(even_segments(0, 4).empty());
}

TEST_CASE("segments: joined, they are the run in one piece, and their chain of derivatives is its derivative",
          "[diff][segments][slow]") {
  check_joined(12, 4);
}

TEST_CASE("segments: two of two steps each are the run of four, and so are their derivatives", "[diff][segments]") {
  check_joined(4, 2);
}

TEST_CASE("segments: derivatives of states and gaps in values and in all first states", "[diff][segments][fd]") {
  for (const std::string& integrator : differentiable_integrators()) {
    const Scenario s = rich_scenario(integrator, 0.02, 12);
    if (s.integrator.info().adaptive) continue;  // the lengths of substeps jump
    INFO(integrator);
    Segments segments = cut(s, 4);
    const Index own = 2 * static_cast<Index>(free_coordinates(s.model).size()), P = 3;
    const Eigen::MatrixXd directions = some_directions(s, 3);
    const Vector along = Vector::NullaryExpr(P + 3 * own, [](Index k) { return std::sin(5.0 * k + 1); });
    const auto moved = [&](double part) {
      Segments there = segments;
      Index k = P;
      for (State& state : there.states)
        for (Points* points : {&state.x, &state.v})
          for (const Index a : free_coordinates(s.model)) sim::flat(*points)[a] += part * along[k++];
      return there;
    };
    segments = moved(0.05);  // gaps of some centimeters
    Track at(s, along.size());
    GapTangents between;
    auto& [gaps, gap_tangents] = between;
    REQUIRE(run_segments_tangent(
                s, segments, directions,
                [&](Index k, Index n, const State& state, const Eigen::MatrixXd& dx, const Eigen::MatrixXd& dv) {
                  at.note(n, state, among_all(dx, k, P, own, 3), among_all(dv, k, P, own, 3));
                },
                between)
                .ok());
    for (const State& gap : gaps) CHECK(gap.x.norm() > 0.01);
    constexpr double epsilon = 1e-4;
    const auto run = [&](double part, std::vector<State>& left) {
      const Scenario there = s.with_physical_values(s.physical_values() + part * directions * along.head(P));
      Track track(s, 0);
      REQUIRE(run_segments(
                  there, moved(part), [&](Index n, const State& state) { track.note(n, state); }, left)
                  .ok());
      return track.states;
    };
    std::vector<State> ahead, behind;
    const Vector difference = (run(epsilon, ahead) - run(-epsilon, behind)) / (2 * epsilon);
    const Vector slope = at.tangents * along;
    // Truncation, ε² times third derivatives, and the stages' tolerance over ε.
    CHECK((difference - slope).norm() <= 1e-6 * slope.norm());
    for (std::size_t k = 0; k < gaps.size(); ++k) {
      const Index segment = k, next = P + segment * own;
      Vector dx = among_all(gap_tangents[k].dx, segment, P, own, 3) * along,
             dv = among_all(gap_tangents[k].dv, segment, P, own, 3) * along;
      dx(free_coordinates(s.model)) -= along.segment(next, own / 2);  // a gap ends at the next state
      dv(free_coordinates(s.model)) -= along.segment(next + own / 2, own / 2);
      CHECK((sim::flat(ahead[k].x) - sim::flat(behind[k].x) - 2 * epsilon * dx).norm() <= 2e-6 * epsilon * dx.norm());
      CHECK((sim::flat(ahead[k].v) - sim::flat(behind[k].v) - 2 * epsilon * dv).norm() <= 2e-6 * epsilon * dv.norm());
    }
  }
}
