#include "experiments/bench/recovery_bench.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "experiments/bench/stopwatch.hpp"
#include "experiments/run/counter_noise.hpp"
#include "experiments/run/recording_run.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {
namespace {

/// Charges and stiffnesses of a body, given by its mesh, and how long it is filmed.
struct BodyText {
  const char* name;
  const char* text;
  double rate;  ///< [1/s]
};

/// Edges of 0.3 to 1.3 m, 0.1 kg, 10 N/m and 6 uC, as in the paper: periods of a vertex of about 0.3 s. A known
/// charge pulls on each particle by its own charge.
constexpr const char* common_text = R"(
  mass: 0.1
  charge: 6 uC
  springs: {stiffness: 10}
forces:
  - coulomb
  - point_charge: {charge: 200 uC, position: [3, 2, -8]}
)";

constexpr BodyText body_texts[] = {
    {"small", R"(
name: recovery-small
system:
  mesh: {{torus: {{major_radius: 1.2, minor_radius: 0.6, segments: [4, 3]}}}}{}
simulation: {{integrator: imex_midpoint, time_step: 5 ms, duration: 0.6}}
)",
     100},
    {"torus", R"(
name: recovery-torus
system:
  mesh: {{torus: {{major_radius: 4, minor_radius: 1.5, segments: [29, 5]}}}}{}
simulation: {{integrator: imex_midpoint, time_step: 4 ms, duration: 1.2}}
)",
     62.5},
};

enum Purpose : std::uint64_t { TrueValues = 101, Velocities, Noise, Gaps };

/// One of a known spread about each given value: value·e^{0.3 n}, n normal.
void scatter_values(const CounterNoise& noise, std::uint64_t kind, Eigen::Ref<Vector> values) {
  for (Index k = 0; k < values.size(); ++k)
    values[k] *= std::exp(0.3 * noise.normal(kind, static_cast<std::uint64_t>(k), 0));
}

optim::Observation observe(const datasets::Capture& capture, double sigma) {
  optim::Observation o;
  for (std::size_t i = 0; i < capture.markers.size(); ++i)
    o.markers.push_back({capture.markers[i], {{static_cast<Index>(i), 1.0}}});
  o.times.assign(capture.time.begin(), capture.time.end());
  o.positions = capture.positions;
  o.sigma = Vector::Constant(static_cast<Index>(capture.markers.size()), sigma);
  return o;
}

void spoil(const RecoveryCase& spoilt, double sigma, std::uint64_t seed, optim::Observation& o) {
  const CounterNoise noise(seed, Noise), gaps(seed, Gaps);
  o.present.assign(o.times.size(), std::vector<bool>(o.markers.size(), true));
  for (std::size_t f = 0; f < o.times.size(); ++f)
    for (std::size_t m = 0; m < o.markers.size(); ++m) {
      o.present[f][m] = gaps.uniform(f, m) >= spoilt.missing;
      for (int a = 0; a < 3; ++a)
        o.positions[f](a, static_cast<Index>(m)) += sigma * noise.normal(f, m, static_cast<std::uint64_t>(a));
    }
}

optim::Parameter each_own(const std::string& value, double initial) {
  optim::Parameter p;
  p.value = value;
  p.entries = optim::EntrySharing::None;
  p.initial = initial;
  p.transform = optim::Transform::Kind::Log;
  return p;
}

}  // namespace

const std::vector<std::string>& recovery_bodies() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const BodyText& body : body_texts) all.emplace_back(body.name);
    return all;
  }();
  return names;
}

RecoveryBody make_recovery_body(const std::string& name) {
  for (const BodyText& body : body_texts) {
    if (name != body.name) continue;
    const std::string text = fmt::format(fmt::runtime(body.text), common_text);
    RecoveryBody made{name, read_experiment({parse_yaml(text, "bench recovery"), std::filesystem::current_path()}),
                      body.rate, 0};
    diff::Scenario& scenario = made.experiment.scenario;
    const auto& springs = scenario.model.springs();
    for (const sim::Spring& spring : springs)
      made.mean_edge += (scenario.initial.x.col(spring.i) - scenario.initial.x.col(spring.j)).norm() /
                        static_cast<double>(springs.size());
    Vector values = scenario.physical_values();
    const CounterNoise truth(1, TrueValues), motion(1, Velocities);
    const sim::Values& layout = scenario.model.values();
    std::uint64_t kind = 0;
    for (const char* value : {"charge", "stiffness"}) {
      const sim::ValueBlock& block = layout.block(*layout.find(value));
      scatter_values(truth, kind++, values.segment(block.offset, block.size));
    }
    for (Index k = 0; k < 3 * scenario.model.particles(); ++k)
      values[scenario.velocity_offset() + k] = motion.normal(0, static_cast<std::uint64_t>(k), 0);  // 1 m/s
    scenario = scenario.with_physical_values(values);
    return made;
  }
  throw InvalidArgument({"", "body", "must be small or torus", "'" + name + "'", ""});
}

RecoveryFigures measure_recovery(const RecoveryBody& body, const RecoveryCase& spoilt, int repetitions,
                                 std::uint64_t seed, const std::function<void(double)>& progress) {
  Experiment fine = body.experiment;
  fine.scenario.integrator = "velocity_verlet";
  fine.scenario.time_step /= 10;
  fine.scenario.steps *= 10;
  Filming filming;
  for (Index i = 0; i < fine.scenario.model.particles(); ++i) filming.particles.push_back(i);
  filming.rate = body.rate;
  const Film film_of_truth = film(fine, filming, body.name, false);
  if (!film_of_truth.explanation.empty())
    throw InvalidArgument({"", body.name, "must be simulated", film_of_truth.explanation, ""});
  // Noise of 0 has no sigma: any will do, and the errors are then those of the step.
  const double sigma = (spoilt.noise > 0 ? spoilt.noise : 1e-3) * body.mean_edge;
  const optim::Observation clean = observe(film_of_truth.capture, sigma);

  optim::FitProblem problem;
  problem.scenarios = {body.experiment.scenario};
  problem.parameters = {each_own("charge", 6e-6), each_own("stiffness", 10)};
  problem.uncertainty_limit = 1000;
  problem.minimizer.function_tolerance = 1e-6;
  const sim::Model& model = body.experiment.scenario.model;
  const sim::ValueBlock& stiffness = model.values().block(*model.values().find("stiffness"));
  Vector truth(model.particles() + stiffness.size);
  truth << model.charge(), model.values().data().segment(stiffness.offset, stiffness.size);

  problem.observations = {clean};
  optim::check(problem);  // what is wrong is told here: nothing may be thrown out of the loop

  RecoveryFigures figures;
  figures.repetitions = repetitions;
  figures.parameters = truth.size();
  std::vector<std::vector<double>> charge_errors(static_cast<std::size_t>(repetitions)),
      stiffness_errors = charge_errors;
  std::vector<double> seconds;
  long intervals = 0, hits = 0;
  int done = 0;
#pragma omp parallel for schedule(dynamic, 1)
  for (int r = 0; r < repetitions; ++r) {
    optim::FitProblem mine = problem;
    mine.observations = {clean};
    spoil(spoilt, spoilt.noise * body.mean_edge, seed + static_cast<std::uint64_t>(r), mine.observations[0]);
    const optim::FitReport report = optim::fit(mine);
#pragma omp critical
    {
      figures.converged += report.status == optim::MinimizerStatus::Converged;
      figures.evaluations.forward += report.evaluations.forward;
      figures.evaluations.tangent += report.evaluations.tangent;
      figures.evaluations.adjoint += report.evaluations.adjoint;
      seconds.push_back(report.seconds);
      for (std::size_t k = 0; k < report.parameters.size(); ++k) {
        const optim::FittedParameter& p = report.parameters[k];
        const double exact = truth[static_cast<Index>(k)];
        (static_cast<Index>(k) < model.particles() ? charge_errors : stiffness_errors)[static_cast<std::size_t>(r)]
            .push_back(std::abs(p.estimate - exact) / exact);
        if (!(spoilt.noise > 0 && p.standard_error <= determined * p.estimate)) continue;
        ++intervals;
        hits += p.interval_lower <= exact && exact <= p.interval_upper;
      }
      progress(static_cast<double>(++done) / repetitions);
    }
  }
  const auto pooled = [](const std::vector<std::vector<double>>& errors) {
    std::vector<double> all;
    for (const std::vector<double>& some : errors) all.insert(all.end(), some.begin(), some.end());
    return median(std::move(all));
  };
  figures.charge_error = pooled(charge_errors);
  figures.stiffness_error = pooled(stiffness_errors);
  figures.seconds = median(seconds);
  figures.determined_share =
      static_cast<double>(intervals) / (static_cast<double>(repetitions) * static_cast<double>(truth.size()));
  figures.coverage = intervals > 0 ? static_cast<double>(hits) / static_cast<double>(intervals)
                                   : std::numeric_limits<double>::quiet_NaN();
  return figures;
}

}  // namespace pithball::experiments
