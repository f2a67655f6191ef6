#include "experiments/bench/recovery_bench.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <mutex>

#include "experiments/bench/fit_data.hpp"
#include "experiments/bench/stopwatch.hpp"
#include "optim/fit.hpp"
#include "optim/fit/identify.hpp"
#include "optim/fit/problem.hpp"
#include "sim/core/counter_noise.hpp"
#include "sim/core/error.hpp"
#include "sim/core/parallel_for.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

/// Streams of random numbers.
enum Purpose : std::uint64_t { TrueValues = 101, Velocities, Noise, Gaps };

/// Returns a torus with edges of 0.3 to 1.3 m, 0.1 kg, 10 N/m and 6 uC, as in the paper: vertices oscillate with
/// periods of about 0.3 s. A known charge exerts a force on each particle in proportion to its charge.
ExperimentDocument torus_document(const char* torus, const char* simulation) {
  return {parse_yaml(fmt::format(R"(
name: recovery
system:
  mesh: {{torus: {}}}
  mass: 0.1
  charge: 6 uC
  springs: {{stiffness: 10}}
forces:
  - coulomb
  - point_charge: {{charge: 200 uC, position: [3, 2, -8]}}
simulation: {}
)",
                                 torus, simulation),
                     "bench recovery"),
          std::filesystem::current_path()};
}

/// Returns the membrane of `bench fit` with charges. A known field pulls on them with a fifth of the weight. Neighbors
/// repel each other with a few percent of the force of a spring.
ExperimentDocument cloth_document() {
  ExperimentDocument document = membrane_document(2025);
  set_at(document.root, "system.charge", parse_yaml("20 nC", "bench"), "bench");
  set_at(document.root, "forces", parse_yaml("[coulomb, electric_field: {uniform: [0, 0, 1e6]}]", "bench"), "bench");
  set_at(document.root, "simulation.duration", parse_yaml("0.2", "bench"), "bench");
  return document;
}

/// Sets independent random velocities of 1 m/s for all vertices.
void shake(diff::Scenario& scenario) {
  const sim::CounterNoise motion(1, Velocities);
  for (Index k = 0; k < scenario.initial.v.size(); ++k) sim::flat(scenario.initial.v)[k] = motion.normal(0, k, 0);
}

/// A body with its values before they are scattered, and the settings of its initial velocities, recording and fit.
struct BodyRecipe {
  const char* name;
  ExperimentDocument (*document)();
  void (*set_in_motion)(diff::Scenario&);
  double rate;  ///< [1/s]
  const char* solver;
  double function_tolerance;
  int max_iterations;
};

constexpr BodyRecipe recipes[] = {
    {"small",
     [] {
       return torus_document("{major_radius: 1.2, minor_radius: 0.6, segments: [4, 3]}",
                             "{integrator: imex_midpoint, time_step: 5 ms, duration: 0.6}");
     },
     shake, 100, "levenberg_marquardt", 1e-6, 100},
    {"torus",
     [] {
       return torus_document("{major_radius: 4, minor_radius: 1.5, segments: [29, 5]}",
                             "{integrator: imex_midpoint, time_step: 4 ms, duration: 1.2}");
     },
     shake, 62.5, "levenberg_marquardt", 1e-6, 100},
    {"cloth", cloth_document, pluck, 250, "gauss_newton", 2e-2, 8},
};

/// Scatters each value with a known spread: value·e^{0.3 n}, n normal.
void scatter_values(const sim::CounterNoise& noise, std::uint64_t kind, Eigen::Ref<Vector> values) {
  for (Index k = 0; k < values.size(); ++k) values[k] *= std::exp(0.3 * noise.normal(kind, k, 0));
}

void spoil(const RecoveryCase& spoilt, double sigma, std::uint64_t seed, optim::Observation& o) {
  const sim::CounterNoise noise(seed, Noise), gaps(seed, Gaps);
  o.present.assign(o.times.size(), std::vector<bool>(o.markers.size(), true));
  for (std::size_t f = 0; f < o.times.size(); ++f)
    for (std::size_t m = 0; m < o.markers.size(); ++m) {
      o.present[f][m] = gaps.uniform(f, m) >= spoilt.missing;
      for (int a = 0; a < 3; ++a) o.positions[f](a, m) += sigma * noise.normal(f, m, a);
    }
}

optim::Parameter each_own(const std::string& value, std::vector<Index> selected) {
  optim::Parameter p;
  p.value = value;
  p.entries.selected = std::move(selected);
  p.entries.sharing = optim::EntrySharing::None;
  p.range.transform = optim::Transform::Kind::Log;
  return p;
}

}  // namespace

const std::vector<std::string>& recovery_bodies() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const BodyRecipe& recipe : recipes) all.emplace_back(recipe.name);
    return all;
  }();
  return names;
}

RecoveryBody make_recovery_body(const std::string& name) {
  for (const BodyRecipe& recipe : recipes) {
    if (name != recipe.name) continue;
    RecoveryBody made{.name = name,
                      .experiment = read_experiment(recipe.document()),
                      .rate = recipe.rate,
                      .solver = recipe.solver,
                      .function_tolerance = recipe.function_tolerance,
                      .max_iterations = recipe.max_iterations};
    diff::Scenario& scenario = made.experiment.scenario;
    recipe.set_in_motion(scenario);
    const auto& springs = scenario.model.springs();
    for (const sim::Spring& spring : springs)
      made.mean_edge += (scenario.initial.x.col(spring.i) - scenario.initial.x.col(spring.j)).norm() / springs.size();
    made.truth = scenario.model.values().data();
    const sim::CounterNoise scatter(1, TrueValues);
    const sim::Values& layout = scenario.model.values();
    std::uint64_t kind = 0;
    for (const char* value : {"charge", "stiffness"}) {
      const sim::ValueBlock& block = layout.block(*layout.find(value));
      scatter_values(scatter, kind++, made.truth.segment(block.offset, block.size));
    }
    return made;
  }
  throw InvalidArgument(
      {"", "body", fmt::format("must be one of {}", fmt::join(recovery_bodies(), ", ")), "'" + name + "'", ""});
}

namespace {

/// The free parameters in a fit of a body, and their true values.
struct FreeValues {
  std::vector<Index> charges, springs;
  Vector truth;  ///< charges, then stiffnesses
};

FreeValues free_values(const RecoveryBody& body) {
  const sim::Model& model = body.experiment.scenario.model;
  FreeValues free;
  for (Index i = 0; i < model.particles(); ++i)
    if (!model.is_held(i)) free.charges.push_back(i);
  free.springs = moving_springs(model.topology());
  free.truth.resize(free.charges.size() + free.springs.size());
  const auto true_values = [&](const char* value) {
    const sim::ValueBlock& block = model.values().block(*model.values().find(value));
    return body.truth.segment(block.offset, block.size);
  };
  free.truth << true_values("charge")(free.charges), true_values("stiffness")(free.springs);
  return free;
}

optim::FitProblem recovery_problem(const RecoveryBody& body, const FreeValues& free, const optim::Observation& clean) {
  optim::FitProblem problem;
  problem.scenarios = {body.experiment.scenario};
  problem.parameters = {each_own("charge", free.charges), each_own("stiffness", free.springs)};
  problem.search.solver = body.solver;
  problem.uncertainty.full_limit = 1000;
  problem.search.minimizer.function_tolerance = body.function_tolerance;
  problem.search.minimizer.max_iterations = body.max_iterations;
  problem.observations = {clean};
  optim::check(problem);  // reports errors before any fit
  return problem;
}

double pooled_median(const std::vector<std::vector<double>>& errors) {
  std::vector<double> all;
  for (const std::vector<double>& some : errors) all.insert(all.end(), some.begin(), some.end());
  return upper_median(std::move(all));
}

/// Returns which values a recording determines, as predicted at the true values: a choice based on estimates would
/// exclude values whose errors have one sign. Returns all values if there are too many for a prediction.
std::vector<bool> find_identifiable(const FreeValues& free, const optim::FitProblem& problem) {
  std::vector<bool> identifiable(free.truth.size(), true);
  if (free.truth.size() > problem.uncertainty.full_limit) return identifiable;
  const optim::ResolvedFit fit(problem);
  Vector theta(free.truth.size());
  for (Index k = 0; k < theta.size(); ++k) theta[k] = fit.map().info()[k].transform.theta(free.truth[k]);
  const optim::IdentifyReport report = optim::identify(fit, theta);
  for (std::size_t k = 0; k < identifiable.size(); ++k)
    identifiable[k] = report.ok() && report.parameters[k].determination == optim::Determination::Determined;
  return identifiable;
}

/// Accumulates the results of fits.
class Tally {
 public:
  /// `counted`: whether the interval of each value counts.
  Tally(const FreeValues& free, std::vector<bool> counted, int repetitions)
      : free_(free), counted_(std::move(counted)), charge_errors_(repetitions), stiffness_errors_(charge_errors_) {
    figures_.repetitions = repetitions;
    figures_.parameters = free.truth.size();
  }

  void add(std::size_t repetition, const optim::FitReport& report);
  int done() const { return seconds_.size(); }
  RecoveryFigures figures() const;

 private:
  const FreeValues& free_;
  std::vector<bool> counted_;
  RecoveryFigures figures_;
  std::vector<std::vector<double>> charge_errors_, stiffness_errors_;  // by repetition
  std::vector<double> seconds_;
  long intervals_ = 0, hits_ = 0;
};

void Tally::add(std::size_t repetition, const optim::FitReport& report) {
  figures_.converged += report.search.status == optim::MinimizerStatus::Converged;
  figures_.evaluations.forward += report.search.evaluations.forward;
  figures_.evaluations.tangent += report.search.evaluations.tangent;
  figures_.evaluations.adjoint += report.search.evaluations.adjoint;
  seconds_.push_back(report.seconds);
  // If a fit's value is NaN, so is the mean.
  figures_.error_seconds += report.estimates.uncertainty.seconds / figures_.repetitions;
  figures_.error_share += report.estimates.uncertainty.seconds / report.seconds / figures_.repetitions;
  figures_.error_products += static_cast<double>(report.estimates.uncertainty.products) / figures_.repetitions;
  for (std::size_t k = 0; k < report.estimates.parameters.size(); ++k) {
    const optim::FittedParameter& p = report.estimates.parameters[k];
    const double exact = free_.truth[k];
    (k < free_.charges.size() ? charge_errors_ : stiffness_errors_)[repetition].push_back(std::abs(p.estimate - exact) /
                                                                                          exact);
    if (!counted_[k] || std::isnan(p.standard_error)) continue;
    ++intervals_;
    hits_ += p.interval.lower <= exact && exact <= p.interval.upper;
  }
}

RecoveryFigures Tally::figures() const {
  RecoveryFigures figures = figures_;
  figures.charge_error = pooled_median(charge_errors_);
  figures.stiffness_error = pooled_median(stiffness_errors_);
  figures.seconds = upper_median(seconds_);
  figures.identifiable_share = static_cast<double>(intervals_) /
                               (static_cast<double>(figures.repetitions) * static_cast<double>(free_.truth.size()));
  figures.coverage = intervals_ > 0 ? static_cast<double>(hits_) / static_cast<double>(intervals_)
                                    : std::numeric_limits<double>::quiet_NaN();
  return figures;
}

}  // namespace

RecoveryFigures measure_recovery(const RecoveryBody& body, const RecoveryCase& spoilt, int repetitions,
                                 std::uint64_t seed, const std::function<void(double)>& progress) {
  // Noise of 0 has no sigma: any value will do, and the errors are then those of the time step.
  const double sigma = (spoilt.noise > 0 ? spoilt.noise : 1e-3) * body.mean_edge;
  Experiment true_experiment = body.experiment;
  true_experiment.scenario.model = body.experiment.scenario.model.with_values(body.truth);
  const optim::Observation clean =
      record_finely(true_experiment, 10, {.particles = {}, .rate = body.rate}, sigma, "bench recovery");
  const FreeValues free = free_values(body);
  const optim::FitProblem problem = recovery_problem(body, free, clean);
  std::vector<bool> counted(free.truth.size(), false);
  if (spoilt.noise > 0) {
    optim::FitProblem first = problem;
    spoil(spoilt, spoilt.noise * body.mean_edge, seed, first.observations[0]);
    counted = find_identifiable(free, first);
  }
  Tally tally(free, std::move(counted), repetitions);
  std::mutex adding;
  constexpr double much = std::numeric_limits<double>::infinity();  // amount of work: a fit takes seconds
  sim::parallel_for(repetitions, much, [&](Index repetition) {
    const std::size_t r = repetition;
    optim::FitProblem mine = problem;
    spoil(spoilt, spoilt.noise * body.mean_edge, seed + r, mine.observations[0]);
    const optim::FitReport report = optim::fit(mine);
    const std::lock_guard lock(adding);
    tally.add(r, report);
    progress(static_cast<double>(tally.done()) / repetitions);
  });
  return tally.figures();
}

std::vector<Claim> recovery_claims(const RecoveryCase& spoilt, const RecoveryFigures& figures) {
  constexpr int fewest_recordings = 10;  // with fewer, nearly any share is within its scatter
  const std::string name = fmt::format("noise {:.3g} %, missing {:.3g} %: ", 100 * spoilt.noise, 100 * spoilt.missing);
  Claim converged =
      claim_at_least(name + "fits that converged", figures.converged, figures.repetitions, "", "all of them");
  if (spoilt.noise == 0) return {converged};  // without noise, no particular size of the errors is expected

  // The intervals of one fit may all miss together, but recordings are independent.
  const double scatter = std::sqrt(0.95 * 0.05 / figures.repetitions);
  Claim coverage =
      claim_within(name + "intervals (95 %) that hold the truth", figures.coverage, 0.95, 2 * scatter, "",
                   fmt::format("two standard errors of a fraction of {} simulated recordings", figures.repetitions));
  if (figures.repetitions < fewest_recordings)
    coverage.skipped = fmt::format("{} simulated recordings are too few to decide", figures.repetitions);
  else if (figures.identifiable_share == 0)
    coverage.skipped = "no parameter is identifiable";
  return {converged, coverage};
}

}  // namespace pithball::experiments
