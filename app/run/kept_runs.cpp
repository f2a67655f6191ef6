#include "app/run/kept_runs.hpp"

#include "app/run/comparison.hpp"
#include "sim/core/bytes.hpp"

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
    out.real(sample.energy);
    out.real(sample.kinetic);
    out.number(sample.x.cols());
    out.reals(sample.x.data(), sample.x.size());
  }
}

std::vector<Sample> read_samples(BytesReader& in) {
  std::vector<Sample> samples(in.count(1));
  for (Sample& sample : samples) {
    sample.t = in.real();
    sample.energy = in.real();
    sample.kinetic = in.real();
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

}  // namespace pithball::app
