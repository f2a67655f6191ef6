#include "app/run/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "app/base/interruption.hpp"
#include "sim/core/bytes.hpp"
#include "sim/run/energy_balance.hpp"

namespace pithball::app {
namespace {

void write_optional(BytesWriter& out, const std::optional<double>& value) {
  out.number(value.has_value());
  out.real(value.value_or(0));
}

std::optional<double> read_optional(BytesReader& in) {
  const bool has_value = in.number() != 0;
  const double value = in.real();
  return has_value ? std::make_optional(value) : std::nullopt;
}

void write(BytesWriter& out, const SampledRun& run) {
  out.number(static_cast<std::int64_t>(run.status.status));
  out.number(run.status.step);
  out.number(run.status.unreliable_step);
  out.text(run.status.cause);
  out.number(run.cost.force_evaluations);
  out.number(run.cost.linear_solves);
  out.number(run.cost.cg_iterations);
  out.number(run.cost.capped_substeps);
  out.number(run.coulomb.sums);
  out.number(run.coulomb.products);
  out.real(run.seconds);
  write_optional(out, run.compile_seconds);
}

SampledRun read_run(BytesReader& in) {
  SampledRun run;
  run.status.status = static_cast<sim::StepStatus>(in.number());
  run.status.step = in.number();
  run.status.unreliable_step = in.number();
  run.status.cause = in.text();
  run.cost.force_evaluations = in.number();
  run.cost.linear_solves = in.number();
  run.cost.cg_iterations = in.number();
  run.cost.capped_substeps = in.number();
  run.coulomb.sums = in.number();
  run.coulomb.products = in.number();
  run.seconds = in.real();
  run.compile_seconds = read_optional(in);
  return run;
}

constexpr double Deviation::*deviation_numbers[] = {&Deviation::energy_mean, &Deviation::energy_standard_deviation,
                                                    &Deviation::energy_max, &Deviation::position,
                                                    &Deviation::position_relative};

void write(BytesWriter& out, const Deviation& deviation) {
  out.list(deviation.time);
  out.list(deviation.energy_error);
  out.list(deviation.position_error);
  for (const auto number : deviation_numbers) out.real(deviation.*number);
}

Deviation read_deviation(BytesReader& in) {
  Deviation deviation;
  deviation.time = in.list();
  deviation.energy_error = in.list();
  deviation.position_error = in.list();
  for (const auto number : deviation_numbers) deviation.*number = in.real();
  return deviation;
}

void write(BytesWriter& out, const std::vector<Sample>& samples) {
  out.number(samples.size());
  for (const Sample& sample : samples) {
    out.real(sample.t);
    for (const double energy : {sample.energy.elastic, sample.energy.coulomb, sample.energy.interaction,
                                sample.energy.external, sample.energy.kinetic})
      out.real(energy);
    for (std::size_t k = 0; k < sim::loss_names.size(); ++k) out.real(sample.energy.losses[k]);
    out.number(sample.x.cols());
    out.reals(sample.x.data(), sample.x.size());
  }
}

std::vector<Sample> read_samples(BytesReader& in) {
  std::vector<Sample> samples(in.count(1));
  for (Sample& sample : samples) {
    sample.t = in.real();
    for (double* energy : {&sample.energy.elastic, &sample.energy.coulomb, &sample.energy.interaction,
                           &sample.energy.external, &sample.energy.kinetic})
      *energy = in.real();
    for (std::size_t k = 0; k < sim::loss_names.size(); ++k) sample.energy.losses[k] = in.real();
    sample.x.resize(3, in.count(3 * sizeof(double)));
    in.reals(sample.x.data(), sample.x.size());
  }
  return samples;
}

}  // namespace

void KeptRuns::reference(ComparedRun& run, std::vector<Sample>& samples, const std::function<void()>& make) {
  const std::string question = comparison_ + "\nreference";
  if (const std::optional<std::string> kept = ledger_.find(question)) {
    BytesReader in(*kept);
    run.run = read_run(in);
    samples = read_samples(in);
    return;
  }
  make();
  BytesWriter out;
  write(out, run.run);
  write(out, samples);
  ledger_.add(question, out.bytes());
}

void KeptRuns::run(std::size_t number, ComparedRun& run, const std::function<void()>& make) {
  const std::string question = comparison_ + "\n" + std::to_string(number);
  if (const std::optional<std::string> kept = ledger_.find(question)) {
    BytesReader in(*kept);
    run.run = read_run(in);
    run.deviation = read_deviation(in);
    return;
  }
  make();
  BytesWriter out;
  write(out, run.run);
  write(out, run.deviation);
  ledger_.add(question, out.bytes());
}

namespace {

constexpr double most_instants = 1000;  // per step; more would not be visible in a mean or a plot
constexpr double fine_enough = 0.1;     // largest change of a fine reference, relative to the smallest error
/// Rounding of one step, relative: that of the sums that it writes.
constexpr double rounding_of_step = std::numeric_limits<double>::epsilon();

double duration_of(const CompareSpec& spec) { return spec.base.scenario.time_step * spec.base.scenario.steps; }

double spacing_of(const CompareSpec& spec) {
  const double largest = std::ranges::max(spec.time_steps), available = std::floor(duration_of(spec) / largest + 1e-6);
  const double bytes = 3.0 * sizeof(double) * spec.base.scenario.model.particles() * spec.time_steps.size();
  const double most = std::clamp(1e6 * spec.base.memory_budget_mb / bytes, 1.0, most_instants);
  return largest * std::ceil(available / most);
}

/// Returns the instants [s since the start] at which runs with this step are compared: the end of the first step at or
/// after each multiple of the spacing.
std::vector<double> instants_of(const CompareSpec& spec, double step) {
  const double spacing = spacing_of(spec), duration = duration_of(spec);
  std::vector<double> instants;
  for (Index k = 1; k * spacing <= duration * (1 + 1e-9); ++k) {
    const double instant = step * steps_to(k * spacing, step);
    if (instant <= duration * (1 + 1e-9)) instants.push_back(instant);
  }
  return instants;
}

/// All instants for which the reference is sampled, and those of each step.
struct Instants {
  std::vector<double> all;
  std::map<double, std::vector<std::size_t>> of_step;

  explicit Instants(const CompareSpec& spec) {
    std::map<long long, double> sorted;  // in 1e-6 of the smallest step, since equal instants differ by rounding
    const double grain = 1e-6 * std::ranges::min(spec.time_steps);
    const auto key = [&](double instant) { return std::llround(instant / grain); };
    for (const double step : spec.time_steps)
      for (const double instant : instants_of(spec, step)) sorted.emplace(key(instant), instant);
    std::map<long long, std::size_t> number;
    for (const auto& [grains, instant] : sorted) {
      number[grains] = all.size();
      all.push_back(instant);
    }
    for (const double step : spec.time_steps)
      for (const double instant : instants_of(spec, step)) of_step[step].push_back(number.at(key(instant)));
  }
};

/// The running processes of other programs among the methods.
using Programs = std::map<const BackendInfo*, std::unique_ptr<Backend>>;

Programs start_programs(const std::vector<Method>& methods) {
  Programs programs;
  for (const Method& method : methods)
    if (method.backend && !programs.count(method.backend)) programs[method.backend] = method.backend->start();
  return programs;
}

/// A run that is to be compared.
struct WantedRun {
  std::size_t number;  // index in KeptRuns
  const Method* method;
  double time_step;
  std::vector<std::size_t> instants;  // indices in the list of all instants
};

/// Returns the run that checks the reference at all instants, followed by the other runs, method by method.
std::vector<WantedRun> wanted_runs(const CompareSpec& spec, const Instants& instants) {
  std::vector<std::size_t> everywhere(instants.all.size());
  std::iota(everywhere.begin(), everywhere.end(), std::size_t{0});
  std::vector<WantedRun> runs{{0, &spec.reference, spec.reference_step / 2, std::move(everywhere)}};
  for (const Method& method : spec.methods)
    for (const double step : spec.time_steps) runs.push_back({runs.size(), &method, step, instants.of_step.at(step)});
  return runs;
}

/// The run of the reference, and its samples at the start and at all instants that the run reached.
struct SampledReference {
  ComparedRun run;
  std::vector<Sample> samples;
};

SampledReference run_reference(const CompareSpec& spec, const Instants& instants, const StepVisitor& step_done,
                               KeptRuns* kept) {
  SampledReference reference{{spec.reference.label, spec.reference_step, {}, {}}, {}};
  const auto make = [&] {
    reference.run.run = sample_run(
        scenario_of(spec, spec.reference), spec.reference.integrator, spec.reference_step, instants.all,
        [&](std::size_t, const Sample& sample) { reference.samples.push_back(sample); }, step_done);
  };
  if (kept)
    kept->reference(reference.run, reference.samples, make);
  else
    make();
  return reference;
}

/// The motion that every run is compared with.
struct ReferenceMotion {
  const std::vector<double>& instants;
  const std::vector<Sample>& samples;  // at the start and at these instants
  ReferenceScale scale;
};

/// Returns a run, computed now or loaded, with its deviation from the reference.
ComparedRun compared_run(const CompareSpec& spec, const WantedRun& wanted, const Programs& programs,
                         const ReferenceMotion& reference, const StepVisitor& step_done, KeptRuns* kept) {
  const Method& method = *wanted.method;
  ComparedRun run{method.label, wanted.time_step, {}, {}};
  const auto make = [&] {
    std::vector<double> times;
    for (const std::size_t instant : wanted.instants) times.push_back(reference.instants[instant]);
    DeviationMeter meter(reference.scale);
    const auto meet = [&](std::size_t k, const Sample& sample) {
      if (k > 0) meter.add(sample, reference.samples[wanted.instants[k - 1] + 1]);
    };
    const diff::Scenario scenario = scenario_of(spec, method);
    run.run = method.backend ? sample_run(scenario, *programs.at(method.backend), run.time_step, times, meet, step_done)
                             : sample_run(scenario, method.integrator, run.time_step, times, meet, step_done);
    run.deviation = meter.result(run.run.status.ok());
  };
  if (kept)
    kept->run(wanted.number, run, make);
  else
    make();
  return run;
}

double smallest(const std::vector<ComparedRun>& rows, double Deviation::*error) {
  double least = unknown;
  for (const ComparedRun& row : rows) least = std::fmin(least, row.deviation.*error);
  return least;
}

}  // namespace

double Comparison::smallest_energy_error() const { return smallest(rows, &Deviation::energy_mean); }
double Comparison::smallest_position_error() const { return smallest(rows, &Deviation::position); }

bool Comparison::has_fine(double Deviation::*error, double rounding) const {
  const double change = check.deviation.*error, least = smallest(rows, error);
  // NaN: there is no error to affect.
  return std::isnan(least) || std::isnan(change) || change <= std::max(fine_enough * least, rounding);
}

bool Comparison::has_fine_energies() const { return has_fine(&Deviation::energy_mean, energy_rounding); }
bool Comparison::has_fine_positions() const { return has_fine(&Deviation::position, position_rounding); }
bool Comparison::reference_is_fine() const { return ok() && has_fine_energies() && has_fine_positions(); }

double comparison_work(const CompareSpec& spec) {
  double work = 3 * static_cast<double>(steps_to(duration_of(spec), spec.reference_step));
  for (const double step : spec.time_steps)
    work += static_cast<double>(spec.methods.size()) * static_cast<double>(steps_to(duration_of(spec), step));
  return work;
}

Comparison compare(const CompareSpec& spec, const ComparisonProgress& progress, KeptRuns* kept) {
  const Instants instants(spec);
  const std::vector<WantedRun> wanted = wanted_runs(spec, instants);
  const Programs programs = start_programs(spec.methods);
  double done = 0;
  const StepVisitor step_done = [&] {
    progress(++done);
    require_no_interruption();
  };
  SampledReference reference = run_reference(spec, instants, step_done, kept);

  Comparison result;
  for (const auto& [info, program] : programs) result.backends[info->name] = program->version();
  result.spacing = spacing_of(spec);
  result.reference = std::move(reference.run);
  result.check = {spec.reference.label, spec.reference_step / 2, {}, {}};
  if (!result.reference.run.status.ok()) return result;
  const ReferenceMotion motion{instants.all, reference.samples, scale_of(reference.samples, spec.energy_scale)};
  result.scaled_by = spec.energy_scale;
  result.energy_scale = motion.scale.energy;
  result.largest_displacement = motion.scale.displacement;
  const double rounding = rounding_of_step * steps_to(duration_of(spec), result.check.time_step);
  result.energy_rounding = rounding * motion.scale.largest_energy / motion.scale.energy;
  result.position_rounding = rounding * motion.scale.largest_coordinate;

  result.check = compared_run(spec, wanted[0], programs, motion, step_done, kept);
  if (!result.ok()) return result;
  for (std::size_t k = 1; k < wanted.size(); ++k)
    result.rows.push_back(compared_run(spec, wanted[k], programs, motion, step_done, kept));
  return result;
}

ReferenceScale scale_of(const std::vector<Sample>& reference, EnergyScale by) {
  ReferenceScale scale;
  double total = 0;
  sim::EnergyBalancer balancer;
  for (const Sample& sample : reference) {
    balancer.add(sample.energy);
    total = std::max(total, std::abs(sample.energy.conserved()));
    scale.displacement = std::max(scale.displacement, (sample.x - reference.front().x).colwise().norm().maxCoeff());
    scale.largest_coordinate = std::max(scale.largest_coordinate, sample.x.cwiseAbs().maxCoeff());
  }
  const sim::EnergyBalance balance = balancer.balance();
  scale.largest_energy = balance.largest;
  if (!std::isnan(balance.max)) scale.energy = balance.scale;
  if (by == EnergyScale::Total) {
    const double rounding = rounding_of_step * static_cast<double>(reference.size()) * balance.largest;
    scale.energy = total > rounding ? total : unknown;
  }
  return scale;
}

void DeviationMeter::add(const Sample& sample, const Sample& reference) {
  deviation_.time.push_back(sample.t);
  deviation_.energy_error.push_back(std::abs(sample.energy.conserved() - reference.energy.conserved()) / scale_.energy);
  deviation_.position_error.push_back(std::sqrt((sample.x - reference.x).colwise().squaredNorm().mean()));
}

Deviation DeviationMeter::result(bool complete) const {
  Deviation result = deviation_;
  if (!complete || result.time.empty()) return result;
  const double count = result.time.size();
  double sum = 0, squares = 0, positions = 0;
  for (const double error : result.energy_error) sum += error;
  result.energy_mean = sum / count;
  for (const double error : result.energy_error) squares += std::pow(error - result.energy_mean, 2);
  result.energy_standard_deviation = std::sqrt(squares / count);
  result.energy_max = std::isnan(sum) ? unknown : std::ranges::max(result.energy_error);
  for (const double error : result.position_error) positions += error * error;
  result.position = std::sqrt(positions / count);
  if (scale_.displacement > 0) result.position_relative = result.position / scale_.displacement;
  return result;
}

}  // namespace pithball::app
