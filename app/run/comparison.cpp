#include "app/run/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "app/base/interruption.hpp"
#include "app/run/deviation_meter.hpp"

namespace pithball::app {
namespace {

constexpr double most_instants = 1000;  // of one step: more would be seen neither in a mean nor in a plot
constexpr double fine_enough = 0.1;     // change of the reference over the smallest error

double duration_of(const CompareSpec& spec) { return spec.base.scenario.time_step * spec.base.scenario.steps; }

double spacing_of(const CompareSpec& spec) {
  const double largest = std::ranges::max(spec.time_steps), available = std::floor(duration_of(spec) / largest + 1e-6);
  const double bytes = 3.0 * sizeof(double) * spec.base.scenario.model.particles() * spec.time_steps.size();
  const double most = std::clamp(1e6 * spec.base.memory_budget_mb / bytes, 1.0, most_instants);
  return largest * std::ceil(available / most);
}

/// Where a run of one step is compared [s since the start]: its first steps from the multiples of the spacing on.
std::vector<double> instants_of(const CompareSpec& spec, double step) {
  const double spacing = spacing_of(spec), duration = duration_of(spec);
  std::vector<double> instants;
  for (Index k = 1; k * spacing <= duration * (1 + 1e-9); ++k) {
    const double instant = step * steps_to(k * spacing, step);
    if (instant <= duration * (1 + 1e-9)) instants.push_back(instant);
  }
  return instants;
}

/// All instants at which the reference is asked for, and which of them belong to each step.
struct Instants {
  std::vector<double> all;
  std::map<double, std::vector<std::size_t>> of_step;

  explicit Instants(const CompareSpec& spec) {
    std::map<long long, double> sorted;  // by a millionth of the smallest step: equal instants differ by rounding only
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

double smallest(const std::vector<ComparedRun>& rows, double Deviation::*error) {
  double least = unknown;
  for (const ComparedRun& row : rows) least = std::fmin(least, row.deviation.*error);
  return least;
}

}  // namespace

double Comparison::smallest_energy_error() const { return smallest(rows, &Deviation::energy_mean); }
double Comparison::smallest_position_error() const { return smallest(rows, &Deviation::position); }

bool Comparison::reference_is_fine() const {
  const auto fine = [](double change, double error) {
    return std::isnan(error) || change <= fine_enough * error;  // no error: nothing that the reference could spoil
  };
  return ok() && fine(check.deviation.energy_mean, smallest_energy_error()) &&
         fine(check.deviation.position, smallest_position_error());
}

double comparison_work(const CompareSpec& spec) {
  double work = 3 * static_cast<double>(steps_to(duration_of(spec), spec.reference_step));
  for (const double step : spec.time_steps)
    work += static_cast<double>(spec.methods.size()) * static_cast<double>(steps_to(duration_of(spec), step));
  return work;
}

Comparison compare(const CompareSpec& spec, const ComparisonProgress& progress, KeptRuns* kept) {
  const Instants instants(spec);
  double done = 0;
  const auto step_done = [&] {
    progress(++done);
    require_no_interruption();
  };

  Comparison result;
  std::map<const BackendInfo*, std::unique_ptr<Backend>> programs;
  for (const Method& method : spec.methods)
    if (method.backend && !programs.count(method.backend))
      result.backends[method.backend->name] = (programs[method.backend] = method.backend->start())->version();
  result.spacing = spacing_of(spec);
  result.reference = {spec.reference.label, spec.reference_step, {}, {}};
  result.check = {spec.reference.label, spec.reference_step / 2, {}, {}};
  std::vector<Sample> samples;
  const diff::Scenario exact = scenario_of(spec, spec.reference);
  const auto make_reference = [&] {
    result.reference.run = sample_run(
        exact, spec.reference.integrator, spec.reference_step, instants.all,
        [&](std::size_t, const Sample& sample) { samples.push_back(sample); }, step_done);
  };
  if (kept)
    kept->reference(result.reference, samples, make_reference);
  else
    make_reference();
  if (!result.reference.run.status.ok()) return result;
  const ReferenceScale scale = scale_of(samples);
  result.energy_by_instant = scale.by_instant;
  result.energy_scale = scale.energy;
  result.largest_displacement = scale.displacement;

  const auto measure = [&](ComparedRun& run, const Method& method, const std::vector<std::size_t>& numbers) {
    std::vector<double> times;
    for (const std::size_t number : numbers) times.push_back(instants.all[number]);
    DeviationMeter meter(scale);
    const auto meet = [&](std::size_t k, const Sample& sample) {
      if (k > 0) meter.add(sample, samples[numbers[k - 1] + 1]);
    };
    const diff::Scenario scenario = scenario_of(spec, method);
    run.run = method.backend ? sample_run(scenario, *programs.at(method.backend), run.time_step, times, meet, step_done)
                             : sample_run(scenario, method.integrator, run.time_step, times, meet, step_done);
    run.deviation = meter.result(run.run.status.ok());
  };
  std::vector<std::size_t> everywhere(instants.all.size());
  for (std::size_t k = 0; k < everywhere.size(); ++k) everywhere[k] = k;
  std::size_t runs = 0;
  const auto make = [&](ComparedRun& run, const Method& method, const std::vector<std::size_t>& numbers) {
    const auto measured = [&] { measure(run, method, numbers); };
    if (kept)
      kept->run(runs++, run, measured);
    else
      measured();
  };
  make(result.check, spec.reference, everywhere);
  if (!result.ok()) return result;
  for (const Method& method : spec.methods)
    for (const double step : spec.time_steps) {
      ComparedRun& row = result.rows.emplace_back(ComparedRun{method.label, step, {}, {}});
      make(row, method, instants.of_step.at(step));
    }
  return result;
}

}  // namespace pithball::app
