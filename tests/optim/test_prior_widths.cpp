// Widths of smooth priors that the recordings find.

#include <Eigen/Cholesky>
#include <cmath>

#include "optim/fit.hpp"
#include "optim/fit/fit_prior.hpp"
#include "optim/fit/identify.hpp"
#include "optim/fit/problem.hpp"
#include "sim/core/counter_noise.hpp"
#include "sim/force/gravity.hpp"
#include "sim/force/spring_damper.hpp"
#include "sim/force/spring_force.hpp"
#include "tests/optim/charged_system.hpp"
#include "tests/optim/complaint.hpp"
#include "tests/support/catch.hpp"

using namespace pithball;
using namespace pithball::optim;

namespace {

constexpr Index links = 10;
constexpr double middle = 12, first_guess = 20;  // [N/m]

/// A chain that hangs from its first particle and swings; stiffnesses by spring.
diff::Scenario make_chain(const Vector& stiffness) {
  using namespace sim;
  const Index n = links + 1;
  State state{0, Points::Zero(3, n), Points::Zero(3, n)};
  Topology topology;
  topology.particles = n;
  for (Index i = 0; i < n; ++i) {
    state.x.col(i) << 0.04 * i, 0.01 * (i % 2), -0.09 * i;
    if (i > 0) topology.springs.push_back({i - 1, i});
  }
  topology.held.push_back({0, {}});
  const std::vector<std::shared_ptr<ForceTerm>> terms = {
      std::make_shared<SpringForce>(stiffness, Vector::Constant(links, 0.1)),
      std::make_shared<SpringDamper>(Vector::Constant(links, 0.02)), std::make_shared<Gravity>(Vec3(0, 0, -9.81))};
  return {.name = "chain",
          .model = Model(topology, Vector::Constant(n, 0.01), Vector::Zero(n), terms),
          .initial = state,
          .integrator = "imex_midpoint",
          .time_step = 0.01,
          .steps = 100,
          .stage = {}};
}

/// Its recording by 50 frames a second, to be fitted from equal stiffnesses, with a prior without a width.
FitProblem chain_problem(const Vector& stiffness, double noise, unsigned seed) {
  FitProblem problem;
  problem.observations = {test::record(make_chain(stiffness), 2, noise, seed)};
  problem.scenarios = {make_chain(Vector::Constant(links, first_guess))};
  Parameter each;
  each.value = "stiffness";
  each.entries.sharing = EntrySharing::None;
  each.priors = {SmoothPrior{.open = true}};
  problem.parameters = {std::move(each)};
  return problem;
}

/// Stiffnesses of which neighbors differ by this standard deviation of their logarithms.
Vector drawn_stiffnesses(double width, std::uint64_t seed) {
  const sim::CounterNoise noise(seed, 301);
  Vector k(links);
  double level = std::log(middle);
  for (Index e = 0; e < links; ++e) k[e] = std::exp(e == 0 ? level : level += width * noise.normal(e, 0, 0));
  return k;
}

/// How many intervals hold the true values.
Index count_held(const FitReport& report, const Vector& truth) {
  Index held = 0;
  for (Index e = 0; e < links; ++e) {
    const ConfidenceInterval& interval = report.estimates.parameters[e].interval;
    held += interval.lower <= truth[e] && truth[e] <= interval.upper;
  }
  return held;
}

}  // namespace

TEST_CASE("prior widths: the likelihood of a chain of measured values is that of their differences", "[optim][prior]") {
  // Values z measured with deviation σ, neighbors in a row: the differences are Gaussian with the covariance S = w² 1 +
  // σ² (2 on the diagonal, −1 beside it), and the common level is free.
  const double sigma = 0.3;
  const Vector z = (Vector(4) << 1, 1.7, 0.9, 1.2).finished();
  Eigen::MatrixXd D = Eigen::MatrixXd::Zero(3, 4);
  for (Index k = 0; k < 3; ++k) D.row(k).segment(k, 2) << 1, -1;
  Quadratic data{Vector::Zero(4), Eigen::MatrixXd::Zero(4, 4)};
  data.add((Vector::Zero(4) - z) / sigma, Eigen::MatrixXd::Identity(4, 4) / sigma, 1);  // at values 0
  const WidthLikelihood likelihood(data, Vector::Zero(3), D);
  const auto exact = [&](double w) {
    const Eigen::MatrixXd S = w * w * Eigen::MatrixXd::Identity(3, 3) + sigma * sigma * D * D.transpose();
    const Vector differences = D * z;
    return -differences.dot(S.llt().solve(differences)) / 2 - std::log(S.determinant()) / 2 + std::log(w);
  };
  const double offset = likelihood(0.5) - exact(0.5);
  for (const double w : {1e-3, 0.05, 0.2, 1.0, 20.0}) CHECK(likelihood(w) - exact(w) == Approx(offset).epsilon(1e-6));
}

TEST_CASE("prior widths: a likelihood is the same at any point of a linear problem", "[optim][prior]") {
  const Vector z = (Vector(3) << 1, 1.7, 0.9).finished(), at = (Vector(3) << 0.4, -2, 3).finished();
  const Eigen::MatrixXd one = Eigen::MatrixXd::Identity(3, 3),
                        D = (Eigen::MatrixXd(2, 3) << 1, -1, 0, 0, 1, -1).finished();
  Quadratic here{Vector::Zero(3), Eigen::MatrixXd::Zero(3, 3)}, there = here;
  here.add(-z, one, 1);
  there.add(at - z, one, 1);
  const WidthLikelihood a(here, Vector::Zero(2), D), b(there, D * at, D);
  for (const double w : {0.1, 1.0, 5.0}) CHECK(a(w) - a(2) == Approx(b(w) - b(2)).epsilon(1e-9));
}

TEST_CASE("prior widths: a fit finds how alike neighbors are, prints it, and says what the prior alone determines",
          "[optim][fit][prior]") {
  const Vector truth = drawn_stiffnesses(0.3, 4);
  FitProblem problem = chain_problem(truth, 2e-3, 7);
  const FitReport report = fit(problem);
  const PriorEffect& priors = report.estimates.uncertainty.priors;
  REQUIRE(priors.widths.size() == 1);
  CHECK(priors.widths[0].relative);
  CHECK(priors.widths[0].standard_deviation > 0.1);  // nine differences tell it within a factor of two or three
  CHECK(priors.widths[0].standard_deviation < 0.9);
  CHECK(std::ranges::any_of(report.notes, [](const std::string& note) {
    return note.find("smooth prior of stiffness: the recordings suggest a standard deviation between neighbors of ") ==
           0;
  }));
  CHECK(count_held(report, truth) >= links - 2);

  // With the width that it found, the same fit.
  problem = with_prior_widths(problem, priors.widths);
  const FitReport again = fit(problem);
  for (Index e = 0; e < links; ++e)
    CHECK(again.estimates.parameters[e].estimate ==
          Approx(report.estimates.parameters[e].estimate).margin(0.05 * report.estimates.parameters[e].standard_error));
}

TEST_CASE("prior widths: equal values are found alike, and values without data are the prior's",
          "[optim][fit][prior]") {
  FitProblem problem = chain_problem(Vector::Constant(links, middle), 1e-3, 3);
  Observation& seen = problem.observations[0];  // of the upper half only
  const std::size_t markers = links / 2;
  seen.markers.resize(markers);
  seen.noise.sigma.conservativeResize(markers);
  for (auto& frame : seen.positions) frame.conservativeResize(3, markers);
  const FitReport report = fit(problem);
  const PriorEffect& priors = report.estimates.uncertainty.priors;
  REQUIRE(priors.widths.size() == 1);
  CHECK(priors.widths[0].standard_deviation < 0.3);
  CHECK(priors.widths[0].standard_deviation > 0);
  CHECK(priors.determined_by_data < links);
  CHECK_FALSE(priors.by_priors_alone.empty());
}

TEST_CASE("prior widths: a fit whose errors come from samples needs a width", "[optim][fit][prior]") {
  FitProblem problem = chain_problem(Vector::Constant(links, middle), 1e-3, 1);
  problem.uncertainty.full_limit = links - 1;
  const std::string said = test::complaint([&] { check(problem); });
  CHECK(said.find("prior smooth of stiffness: must have a width") != std::string::npos);
}

namespace {

/// Which part of the intervals holds the truth, over recordings with 5 mm of noise. (Of 200: docs/search.md.)
template <class Truth>
double coverage_of(const Truth& truth_of) {
  constexpr unsigned recordings = 50;
  Index held = 0;
  for (unsigned seed = 1; seed <= recordings; ++seed) {
    const Vector truth = truth_of(seed);
    held += count_held(fit(chain_problem(truth, 5e-3, seed)), truth);
  }
  return static_cast<double>(held) / static_cast<double>(recordings * links);
}

}  // namespace

TEST_CASE("prior widths: intervals of values that are drawn from the prior hold them", "[optim][coverage][slow]") {
  const double coverage = coverage_of([](unsigned seed) { return drawn_stiffnesses(0.3, seed); });
  CAPTURE(coverage);
  CHECK(coverage > 0.91);  // 0.95 within three standard errors of 500 intervals that hang together in fives
  CHECK(coverage < 0.995);
}

TEST_CASE("prior widths: a step of 2:1, which is no draw from a prior of neighbors alike, is in most intervals",
          "[optim][coverage][slow]") {
  Vector step = Vector::Constant(links, middle);
  step.tail(links / 2) *= 2;
  const double coverage = coverage_of([&](unsigned) { return step; });
  CAPTURE(coverage);
  CHECK(coverage > 0.9);
}
