// Reads an experiment file, changes a value, and runs it forward: experiment FILE.yaml [key=value …]
#include <cstdio>
#include <exception>
#include <vector>

#include "app/experiment/experiment.hpp"
#include "app/experiment/experiment_file.hpp"
#include "sim/run/simulator.hpp"

using namespace pithball;

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: experiment FILE.yaml [key=value ...]\n");
    return 2;
  }
  try {
    std::vector<app::Override> changes;
    for (int k = 2; k < argc; ++k) changes.push_back(app::parse_override(argv[k]));
    const app::Experiment experiment = app::read_experiment(app::load_document(argv[1], changes));
    const diff::Scenario& scenario = experiment.scenario;
    sim::RunOptions options;
    options.integrator = scenario.integrator;
    options.stage = scenario.stage;
    options.time_step = scenario.time_step;
    options.steps = scenario.steps;
    options.every = scenario.steps;
    const sim::Trajectory run = sim::simulate(scenario.model, scenario.initial, options);
    std::printf("%s: %ld particles, %ld steps, energy %.6g J at first and %.6g J at last\n", experiment.name.c_str(),
                static_cast<long>(scenario.model.particles()), static_cast<long>(scenario.steps),
                run.energy.front().total(), run.energy.back().total());
    return run.status == sim::StepStatus::Ok ? 0 : 1;
  } catch (const std::exception& error) {  // says where, what, and what would do
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
