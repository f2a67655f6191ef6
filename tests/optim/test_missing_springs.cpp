// Springs that a fitted body lacks, of simulated recordings whose truth is known.

#include "optim/diagnosis/model_candidates.hpp"

#include <algorithm>

#include "optim/diagnosis/misfit_diagnosis.hpp"
#include "optim/fit.hpp"
#include "optim/fit/problem.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::optim;
using namespace pithball::test;
namespace sim = pithball::sim;
namespace diff = pithball::diff;

namespace {

constexpr double spacing = 0.1;  // [m]

struct NetOptions {
  Index columns = 3, rows = 3;
  double slack = 1;                                  ///< rest length over distance in the net
  std::optional<std::pair<Index, Index>> lost = {};  ///< a spring that it does not have
  std::optional<std::pair<Index, Index>> weak = {};  ///< a spring of a twentieth of the others' stiffness
};

/// A net that hangs from its first row of particles and swings.
diff::Scenario make_net(const NetOptions& o = {}) {
  sim::Topology topology;
  topology.particles = o.columns * o.rows;
  sim::State state;
  state.x.resize(3, topology.particles);
  state.v = sim::Points::Zero(3, topology.particles);
  for (Index i = 0; i < topology.particles; ++i) {
    const auto column = static_cast<double>(i % o.columns), row = static_cast<double>(i / o.columns);
    state.x.col(i) = spacing * sim::Vec3(column, 0.1 * row * row, -row);
    if (row > 0) state.v.col(i) = 0.3 * sim::Vec3(1 - 0.4 * column, 0.5 * column, 0.2 * row);
  }
  std::vector<double> lengths, strengths;
  const auto join = [&](Index i, Index j) {
    if (o.lost == std::pair(i, j)) return;
    topology.springs.push_back({i, j});
    strengths.push_back(o.weak == std::pair(i, j) ? 0.3 : 6);
    lengths.push_back(o.slack * (state.x.col(i) - state.x.col(j)).norm());
  };
  for (Index i = 0; i < topology.particles; ++i) {
    if (i % o.columns + 1 < o.columns) join(i, i + 1);
    if (i + o.columns < topology.particles) join(i, i + o.columns);
  }
  for (Index i = 0; i < o.columns; ++i) topology.held.push_back({i, {}});
  const auto vector_of = [](const std::vector<double>& numbers) {
    return sim::Vector(Eigen::Map<const sim::Vector>(numbers.data(), static_cast<Index>(numbers.size())));
  };
  const sim::Vector rest = vector_of(lengths);
  const Index n = topology.particles;
  sim::Model model(topology, sim::Vector::Constant(n, 5e-3), sim::Vector::Zero(n),
                   {std::make_shared<sim::SpringForce>(vector_of(strengths), rest),
                    std::make_shared<sim::LinearDrag>(sim::Vector::Constant(n, 2e-3),
                                                      std::make_shared<sim::UniformField>(sim::Vec3::Zero())),
                    std::make_shared<sim::Gravity>(sim::Vec3(0, 0, -9.81))});
  return {.name = "net",
          .model = model,
          .initial = state,
          .integrator = "imex_midpoint",
          .time_step = 0.01,
          .steps = 120,
          .stage = {}};
}

/// The fit of stiffness and drag by a net to a recording of another one with 1 mm of noise.
FitProblem net_fit(const diff::Scenario& model, const diff::Scenario& truth, unsigned seed, Index stride = 3) {
  FitProblem problem;
  problem.scenarios = {model};
  problem.observations = {record(truth, stride, 1e-3, seed)};
  problem.observations[0].noise.origin = SigmaOrigin::Written;
  problem.parameters = {shared("stiffness"), shared("linear_drag")};
  return problem;
}

Diagnosis diagnose_fit(const FitProblem& problem) {
  const ResolvedFit resolved(problem);
  const FitReport report = fit(resolved);
  REQUIRE(report.search.status == MinimizerStatus::Converged);
  return diagnose(resolved, resolved, report.theta, report.scales);
}

const NetOptions torn{.lost = std::pair<Index, Index>(4, 5)};

}  // namespace

TEST_CASE("missing springs: every pair of a small body that no spring joins, at the length of its net",
          "[optim][diagnosis]") {
  const NetOptions tight{.slack = 0.9, .lost = torn.lost};
  const diff::Scenario net = make_net(tight);
  const MissingSprings found = find_missing_springs({net}, 41);
  CHECK(found.value == "stiffness");
  CHECK(found.first == 11);
  CHECK(found.count() == 36 - 3 - 11 + 2);  // without three pairs of held particles, two of which a spring joins
  for (const MissingSpring& one : found.springs) {
    CHECK(one.ends.i < one.ends.j);
    CHECK(one.rest_length ==
          Approx(0.9 * (net.initial.x.col(one.ends.i) - net.initial.x.col(one.ends.j)).norm()).epsilon(1e-12));
    for (const sim::Spring& spring : net.model.springs())
      CHECK_FALSE((spring.i == one.ends.i && spring.j == one.ends.j));
  }
}

TEST_CASE("missing springs: of a large body near pairs, and none where recordings are of other bodies",
          "[optim][diagnosis]") {
  const diff::Scenario net = make_net({.columns = 12, .rows = 8});
  const MissingSprings near = find_missing_springs({net}, 41);
  CHECK(near.count() > 100);
  CHECK(near.count() < 8 * 96 / 2);
  bool has_diagonal = false;
  for (const MissingSpring& one : near.springs) {
    const double distance = (net.initial.x.col(one.ends.i) - net.initial.x.col(one.ends.j)).norm();
    CHECK(distance < 2.2 * spacing);  // two springs of a row, and a little more
    has_diagonal = has_diagonal || one.ends.j - one.ends.i == 13;
  }
  CHECK(has_diagonal);
  CHECK(find_missing_springs({net, make_net()}, 41).count() == 0);
  CHECK(find_missing_springs({make_net(), make_net(torn)}, 41).count() == 0);
}

TEST_CASE("missing springs: derivatives by strengths at 0 are those of the residuals, as differences show them",
          "[optim][diagnosis][fd]") {
  const diff::Scenario net = make_net(torn);
  const MissingSprings missing = find_missing_springs({net}, 41);
  std::vector<Parameter> declarations;
  missing.declare(declarations);
  const std::vector<Observation> observations{record(make_net(), 3, 1e-3, 1)};
  const TrajectoryResidual residual(ParameterMap(missing.added_to({net}), declarations), observations);
  REQUIRE(residual.parameters() == missing.count());
  const Vector at = residual.map().initial();
  CHECK(at.isZero(0));
  Vector r, without;
  Eigen::MatrixXd J;
  REQUIRE(residual.evaluate(at, r, &J).ok());
  const TrajectoryResidual plain(ParameterMap({net}, {}), observations);
  REQUIRE(plain.evaluate(Vector(), without, nullptr).ok());
  CHECK((r - without).norm() < 1e-8 * r.norm());  // the tolerance of the steps' solves
  for (Index k = 0; k < missing.count(); ++k) {
    INFO(k);
    REQUIRE(J.col(k).norm() > 0);
    // No strength is negative: a one-sided difference of second order.
    const double step = 1e-4 * 6;
    Vector one, two;
    REQUIRE(residual.evaluate(at + step * Vector::Unit(at.size(), k), one, nullptr).ok());
    REQUIRE(residual.evaluate(at + 2 * step * Vector::Unit(at.size(), k), two, nullptr).ok());
    const Vector difference = (4 * one - two - 3 * r) / (2 * step);
    CHECK((J.col(k) - difference).norm() < 1e-4 * J.col(k).norm());
  }
}

TEST_CASE("missing springs: a spring that the model lacks is named first, with the key that adds it",
          "[optim][diagnosis]") {
  const std::pair<Index, Index> lost(3, 6);
  const FitProblem problem = net_fit(make_net({.lost = lost}), make_net({.weak = lost}), 2);
  const Diagnosis diagnosis = diagnose_fit(problem);
  REQUIRE(diagnosis.ok());
  REQUIRE(!diagnosis.lacking().empty());
  const TestedCandidate& first = *diagnosis.lacking().front();
  INFO(first.candidate.name);
  REQUIRE(first.candidate.missing);
  CHECK(first.candidate.missing->ends.i == lost.first);
  CHECK(first.candidate.missing->ends.j == lost.second);
  CHECK(first.candidate.one_sided);
  CHECK(first.candidate.item == -1);
  const std::string between = std::to_string(lost.first) + ", " + std::to_string(lost.second);
  CHECK(first.candidate.key.starts_with("system.springs.added: [{between: [" + between + "], stiffness: "));
}

TEST_CASE("missing springs: of a fit that does not fit, an early part of the recording names the cause",
          "[optim][diagnosis]") {
  const ResolvedFit resolved(net_fit(make_net({.lost = std::pair<Index, Index>(3, 6)}), make_net(), 2, 1));
  const FitReport report = fit(resolved);
  REQUIRE(report.verdict.status == RunStatus::DoesNotFit);
  const std::optional<Diagnosis> early = diagnose_early(resolved, resolved, report.theta);
  REQUIRE(early);
  REQUIRE(!early->lacking().empty());
  CHECK(early->lacking().front()->candidate.name == "spring between 3 and 6");
  CHECK(early->lacking().front()->candidate.key.starts_with("system.springs.added: [{between: [3, 6], stiffness: "));
  CHECK(early->horizon > 0);
  CHECK(early->horizon <
        resolved.problem().observations[0].simulated_time(resolved.problem().observations[0].times.size() - 1));
  CHECK(early->evaluations.tangent > 2);
}

TEST_CASE("missing springs: no part of a recording that fits is looked at alone", "[optim][diagnosis]") {
  const ResolvedFit resolved(net_fit(make_net(), make_net(), 3));
  const FitReport report = fit(resolved);
  REQUIRE(report.goodness.quality.fits());
  CHECK_FALSE(diagnose_early(resolved, resolved, report.theta));
}

TEST_CASE("missing springs: a complete net lacks none, and is told from one with another fault", "[optim][diagnosis]") {
  const auto lacks_spring = [](const Diagnosis& diagnosis) {
    REQUIRE(diagnosis.ok());
    return std::ranges::any_of(diagnosis.lacking(), [](const auto* found) { return bool(found->candidate.missing); });
  };
  CHECK_FALSE(lacks_spring(diagnose_fit(net_fit(make_net(), make_net(), 3))));
  diff::Scenario heavy = make_net();
  Vector data = heavy.model.values().data();
  data[heavy.model.values().block(sim::Model::mass_block).offset + 4] *= 1.3;
  heavy.model = heavy.model.with_values(data);
  const Diagnosis diagnosis = diagnose_fit(net_fit(make_net(), heavy, 4));
  REQUIRE(!diagnosis.lacking().empty());
  CHECK(diagnosis.lacking().front()->candidate.name == "mass[4]");
}

TEST_CASE("missing springs: in 40 recordings of a complete net, alarms are as rare as the level says",
          "[optim][diagnosis][slow]") {
  int alarms = 0;
  for (unsigned seed = 100; seed < 140; ++seed)
    alarms += diagnose_fit(net_fit(make_net(), make_net(), seed)).significant() > 0;
  CHECK(alarms <= 3);  // at 1 %, four or more have a probability of 1e-3
}
