#include "experiments/bench/coverage_bench.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <mutex>

#include "app/base/new_file.hpp"
#include "app/experiment/experiment.hpp"
#include "app/experiment/fit_spec.hpp"
#include "app/run/fit_screening.hpp"
#include "app/run/recording_run.hpp"
#include "datasets/capture/capture_reader.hpp"
#include "optim/fit.hpp"
#include "optim/verdict/fit_verdict.hpp"
#include "sim/core/counter_noise.hpp"
#include "sim/core/error.hpp"
#include "sim/core/parallel_for.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

/// Streams of random numbers of one seed.
enum SpoiltBy : std::uint64_t { OwnNoise = 201, CommonNoise, Jumps, JumpSizes, DifferingBody };

/// [m] in each coordinate.
constexpr double jump_size = 50e-3;

/// A value to be estimated.
struct WantedValue {
  const char* name;
  double truth, start;
};

/// A body as YAML, with a placeholder for each wanted value, in the order of `wanted`.
struct CoverageBody {
  const char* name;
  const char* system;
  std::vector<WantedValue> wanted;
  double duration;  ///< [s]
};

const CoverageBody bodies[] = {
    {"chain",
     R"(
system:
  mesh: {{chain: {{length: 0.6, segments: 3, axis: [1, 0, -1]}}}}
  mass: 0.05
  pinned: [top]
  springs: {{stiffness: {}, damping: 0.05}}
forces:
  - gravity: [0, 0, -9.81]
  - drag: {{linear: {}}}
)",
     {{"stiffness", 40, 30}, {"linear_drag", 0.02, 0.01}},
     2},
    {"net",
     R"(
system:
  mesh: {{grid: {{size: [0.4, 0.4], segments: [2, 2], bend: false}}, rotate: {{axis: [1, 0, 0], angle: 60 degrees}}}}
  mass: 0.02
  pinned: [top]
  springs: {{stiffness: {}, damping: 0.05}}
forces:
  - gravity: [0, 0, -9.81]
  - drag: {{linear: {}}}
)",
     {{"stiffness", 40, 30}, {"linear_drag", 0.01, 0.02}},
     1},
    {"charges",
     R"(
system:
  mesh: {{chain: {{length: 0.4, segments: 2, axis: [1, 0, 0]}}}}
  mass: 0.02
  pinned: [0]
  springs: {{stiffness: {}, damping: 0.02}}
  charge: {}
forces:
  - gravity: [0, 0, -9.81]
  - coulomb
  - point_charge: {{charge: 2 uC, position: [0.2, 0.1, -0.6]}}
)",
     {{"stiffness", 25, 20}, {"charge", 0.2e-6, 0.1e-6}},
     1},
    {"charged chain",
     R"(
system:
  mesh: {{chain: {{length: 0.6, segments: 3, axis: [1, 0, -1]}}}}
  mass: 0.05
  pinned: [top]
  springs: {{stiffness: {}, damping: 0.05}}
  charge: {}
forces:
  - gravity: [0, 0, -9.81]
  - drag: {{linear: {}}}
  - coulomb
  - point_charge: {{charge: 4 uC, position: [0.1, 0.1, -0.9]}}
)",
     {{"stiffness", 40, 30}, {"charge", 0.4e-6, 0.2e-6}, {"linear_drag", 0.02, 0.01}},
     2},
};

/// Returns the body with its true values, or with the initial values of a fit.
std::string system_text(const CoverageBody& body, double WantedValue::*value) {
  fmt::dynamic_format_arg_store<fmt::format_context> values;
  for (const WantedValue& wanted : body.wanted) values.push_back(wanted.*value);
  return fmt::vformat(body.system, values);
}

std::string wanted_names(const CoverageBody& body) {
  std::vector<std::string> names;
  for (const WantedValue& wanted : body.wanted) names.emplace_back(wanted.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

const CoverageBody& body_of(const std::string& name) {
  for (const CoverageBody& body : bodies)
    if (name == body.name) return body;
  throw InvalidArgument(
      {"", "body", fmt::format("must be one of {}", fmt::join(coverage_bodies(), ", ")), "'" + name + "'", ""});
}

ExperimentDocument document_of(const std::string& text, const std::filesystem::path& folder) {
  return {parse_yaml(text, "bench coverage"), folder};
}

/// Returns the body with its first wanted value multiplied by `factor`.
CoverageBody with_factor(CoverageBody body, double factor) {
  body.wanted[0].truth *= factor;
  return body;
}

/// Returns the true body, with a time step whose error is negligible compared to the noise.
std::string truth_text(const CoverageBody& body) {
  return fmt::format("name: truth{}simulation: {{integrator: velocity_verlet, time_step: 0.2 ms, duration: {}}}\n",
                     system_text(body, &WantedValue::truth), body.duration);
}

/// Returns readings of an instrument without noise.
datasets::Capture read_exactly(const CoverageBody& body, const CoverageCase& wanted) {
  const std::string text = fmt::format(
      "{}fit:\n  recordings: [{{name: planned, planned: {{rate: {}, duration: {}}}, {}}}]\n  parameters: [{}]\n",
      truth_text(body), wanted.filming.rate, body.duration, wanted.measurement, body.wanted[0].name);
  const FitSpec spec = read_fit(document_of(text, "."), FitPurpose::Prediction);
  MadeRecording made = record_planned(spec, {.recording = "planned", .noise = 0}, "bench coverage");
  if (!made.explanation.empty())
    throw InvalidArgument({"bench coverage", "the recording", "must be a run that ends", made.explanation, ""});
  return std::move(made.capture);
}

/// Returns positions recorded without noise.
datasets::Capture record_exactly(const CoverageBody& body, const Filming& filming) {
  const std::string text = truth_text(body);
  const Experiment experiment = read_experiment(document_of(text, "."));
  RecordingSettings settings{.particles = {}, .rate = filming.rate};
  for (Index i = 0; i < experiment.scenario.model.particles(); ++i) settings.particles.push_back(i);
  MadeRecording made = record_motion(experiment, settings, "bench coverage");
  if (!made.explanation.empty())
    throw InvalidArgument({"bench coverage", "the recording", "must be a run that ends", made.explanation, ""});
  datasets::Capture& seen = made.capture;
  if (filming.frames > 0 && filming.frames < seen.frames()) {
    seen.time = seen.time.head(filming.frames).eval();
    seen.positions.resize(filming.frames);
    if (!seen.present.empty()) seen.present.resize(filming.frames);
    if (!seen.frame_numbers.empty()) seen.frame_numbers.resize(filming.frames);
  }
  return std::move(seen);
}

std::string fit_text(const CoverageCase& wanted, const std::vector<std::string>& files) {
  const CoverageBody& body = body_of(wanted.body);
  std::string recordings;
  for (const std::string& file : files)
    recordings += fmt::format("{}{{file: {}{}{}}}", recordings.empty() ? "" : ", ", file,
                              wanted.recording.empty() ? "" : ", ", wanted.recording);
  return fmt::format(R"(
name: coverage{}
simulation: {{integrator: imex_midpoint, time_step: 2 ms}}
fit:
  recordings: [{}]
  parameters: [{}]
  residual: {{loss: {}}}
)",
                     system_text(body, &WantedValue::start), recordings, wanted_names(body), wanted.loss);
}

void spoil(const RecordingNoise& noise, std::uint64_t seed, datasets::Capture& capture) {
  const sim::CounterNoise own(seed, OwnNoise), common(seed, CommonNoise), jumps(seed, Jumps), sizes(seed, JumpSizes);
  const double rho = noise.persistence, fresh = std::sqrt(1 - rho * rho);
  const Index markers = capture.markers.size();
  Points error = Points::Zero(3, markers);
  for (Index f = 0; f < capture.frames(); ++f)
    for (Index m = 0; m < markers; ++m) {
      const bool jumps_now = jumps.uniform(f, m) < noise.outliers;
      for (int a = 0; a < 3; ++a) {
        const double drawn = noise.own * own.normal(f, m, a) + noise.common * common.normal(f, 0, a);
        error(a, m) = f == 0 ? drawn : rho * error(a, m) + fresh * drawn;
        capture.positions[f](a, m) += error(a, m) + (jumps_now ? jump_size * sizes.normal(f, m, a) : 0);
      }
    }
}

/// Accumulates the results of fits.
class CoverageTally {
 public:
  CoverageTally(const CoverageCase& wanted, const CoverageBody& body, int recordings)
      : body_(body), alarm_of_(recordings) {
    if (wanted.fault) said_ = wanted.fault->said;
    if (wanted.filming.differing > 0) said_ = {"contradict each other"};
    figures_.recordings = recordings;
    for (const WantedValue& value : body.wanted) figures_.parameters.push_back(value.name);
    figures_.held.assign(figures_.parameters.size(), 0);
  }

  void add(Index recording, const FitSpec& spec, const optim::FitReport& report) {
    ++done_;
    optim::RunVerdict verdict = report.verdict;
    judge_findings(screen_fit(spec).findings, verdict);
    figures_.converged += report.search.status == optim::MinimizerStatus::Converged;
    ++figures_.statuses[to_string(verdict.status)];
    std::string alarm = verdict.grade() == optim::Grade::Good ? "" : to_string(verdict.status) + ": " + verdict.why;
    for (const std::vector<std::string>& said : {spec.doubts, report.notes})
      if (alarm.empty() && !said.empty()) alarm = said.front();
    figures_.alarmed += !alarm.empty();
    figures_.named += names_fault(verdict, report.notes);
    alarm_of_[recording] = alarm;
    for (std::size_t k = 0; k < figures_.held.size(); ++k) {
      const optim::FittedParameter& p = report.estimates.parameters[k];  // the wanted parameters come first
      const double truth = body_.wanted[k].truth;
      figures_.held[k] += p.interval.lower <= truth && truth <= p.interval.upper;
    }
  }
  double share_done() const { return static_cast<double>(done_) / figures_.recordings; }
  CoverageFigures figures() const {
    CoverageFigures figures = figures_;
    const auto first = std::ranges::find_if(alarm_of_, [](const std::string& alarm) { return !alarm.empty(); });
    if (first != alarm_of_.end()) figures.first_alarm = *first;
    return figures;
  }

 private:
  bool names_fault(const optim::RunVerdict& verdict, const std::vector<std::string>& notes) const {
    const auto is_in = [&](const std::string& text) {
      return std::ranges::any_of(said_, [&](const std::string& one) { return text.find(one) != std::string::npos; });
    };
    return is_in(verdict.why) || std::ranges::any_of(notes, is_in);
  }

  const CoverageBody& body_;
  std::vector<std::string> said_;  ///< words that name the fault
  CoverageFigures figures_;
  int done_ = 0;
  std::vector<std::string> alarm_of_;  // by recording, so that the first alarm does not depend on threads
};

}  // namespace

const std::vector<std::string>& coverage_bodies() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const CoverageBody& body : bodies) all.emplace_back(body.name);
    return all;
  }();
  return names;
}

double CoverageFigures::coverage(std::size_t parameter) const {
  return static_cast<double>(held[parameter]) / recordings;
}

int CoverageFigures::count(const std::string& status) const {
  const auto found = statuses.find(status);
  return found == statuses.end() ? 0 : found->second;
}

CoverageFigures measure_coverage(const CoverageCase& wanted, int recordings, std::uint64_t seed,
                                 const std::function<void(double)>& progress) {
  const CoverageBody& body = body_of(wanted.body);
  const Filming& filming = wanted.filming;
  const datasets::Capture exact =
      wanted.measurement.empty() ? record_exactly(body, filming) : read_exactly(body, wanted);
  const TemporaryFolder folder("bench-coverage");
  CoverageTally tally(wanted, body, recordings);
  std::mutex adding;
  constexpr double much = std::numeric_limits<double>::infinity();  // amount of work: a fit takes most of a second
  sim::parallel_for(recordings, much, [&](Index r) {
    std::vector<std::string> files;
    for (int g = 0; g < filming.recordings; ++g) {
      const std::uint64_t own = (seed + r) * filming.recordings + g;
      datasets::Capture spoilt = exact;
      if (filming.differing > 0) {
        const double factor = 1 + filming.differing * sim::CounterNoise(own, DifferingBody).normal(0, 0, 0);
        spoilt = record_exactly(with_factor(body, factor), filming);
      }
      spoil(wanted.noise, own, spoilt);
      if (wanted.fault) wanted.fault->spoil(spoilt, own);
      files.push_back(fmt::format("{}-{}.csv", r, g));
      datasets::write_capture_csv(spoilt, (folder.path() / files.back()).string(), "");
    }
    const FitSpec spec = read_fit(document_of(fit_text(wanted, files), folder.path()));
    const optim::FitReport report = optim::fit(*spec.fit);
    const std::lock_guard lock(adding);
    tally.add(r, spec, report);
    progress(tally.share_done());
  });
  return tally.figures();
}

namespace {

/// Claims for recordings with a fault that a fraction `least_held` of the intervals contains the truth, or that 95 % of
/// the fits name the fault.
Claim fault_claim(const std::string& what, double coverage, double named, double least_held, double widening) {
  constexpr double least_named = 0.95;
  const bool is_held = coverage >= least_held - widening;
  return claim_at_least(
      what + (is_held ? "intervals (95 %) that hold the truth" : "fits that name the fault"),
      is_held ? coverage : named, (is_held ? least_held : least_named) - widening, "",
      fmt::format("{:.0f} % of intervals hold the truth, or 95 % of fits name the fault", 100 * least_held));
}

}  // namespace

std::vector<Claim> coverage_claims(const CoverageCase& wanted, const CoverageFigures& figures) {
  // Chosen so that chance makes any of all claims fail in only one of a thousand runs.
  const auto chance = [](double share, double recordings) { return 4 * std::sqrt(share * (1 - share) / recordings); };
  constexpr double stated_for = 1000;  // recordings; with fewer, results scatter more
  const auto widening = [&](double share) {
    return std::max(0.0, chance(share, figures.recordings) - chance(share, stated_for));
  };
  const double least = wanted.least - widening(0.95);
  const double most = wanted.most + widening(0.95);  // if above 1, there is no limit
  const std::string name = wanted.name + ", " + wanted.body + ": ";
  const bool is_faulty = wanted.fault || wanted.filming.differing > 0;
  const auto at_most = [&](const char* what, int count, double share, const char* source) {
    return claim_at_most(name + what, count, std::ceil(figures.recordings * (share + widening(share))), "", source);
  };
  std::vector<Claim> claims;
  for (std::size_t k = 0; k < figures.parameters.size(); ++k)
    claims.push_back(is_faulty ? fault_claim(name + figures.parameters[k] + ": ", figures.coverage(k),
                                             static_cast<double>(figures.named) / figures.recordings, wanted.least,
                                             widening(0.95))
                               : claim_within(name + "intervals (95 %) that hold the truth, " + figures.parameters[k],
                                              figures.coverage(k), (least + most) / 2, (most - least) / 2, "",
                                              fmt::format("{:.1f} to {:.1f} %, wider for few recordings",
                                                          100 * wanted.least, 100 * wanted.most)));
  if (is_faulty) return claims;
  if (!wanted.is_flawless) {
    claims.push_back(at_most("doubtful fits", figures.count("doubtful"), 0.05,
                             "5 of 100 recordings whose noise the intervals account for, more by chance"));
    return claims;
  }
  claims.push_back(at_most("false alarms", figures.alarmed, 0.03,
                           "3 of 100 recordings with which nothing is wrong, more by chance"));
  claims.push_back(at_most("other grades than \"fits\"", figures.recordings - figures.count("converged"), 0.005,
                           "5 of 1,000 recordings with which nothing is wrong, more by chance"));
  return claims;
}

}  // namespace pithball::experiments
