// A stranger's program, which uses the installed libraries. Ends with 0 if a particle fell g/2 in a second, as a model
// that it made itself and as an experiment file, and arrays that the libraries made, took and gave back are whole.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <vector>

#include "app/experiment/experiment_file.hpp"
#include "app/run/simulation_run.hpp"
#include "app/run_folder/run.hpp"
#include "diff/rollout/rollout.hpp"
#include "sim/force/gravity.hpp"

using namespace pithball;

namespace {

diff::Scenario fall(sim::Index particles) {
  const sim::Model model({particles, {}, {}}, sim::Vector::Ones(particles), sim::Vector::Zero(particles),
                         {std::make_shared<sim::Gravity>(sim::Vec3(0, 0, -9.81))});
  return {.name = "fall",
          .model = model,
          .initial = {0, sim::Points::Zero(3, particles), sim::Points::Zero(3, particles)},
          .integrator = "velocity_verlet",
          .time_step = 0.1,
          .steps = 10,
          .stage = {}};
}

/// Every state of a run, copied.
std::vector<sim::State> run(const diff::Scenario& scenario) {
  std::vector<sim::State> states;
  diff::run_forward(scenario, [&](sim::Index, const sim::State& s) { states.push_back(s); });
  return states;
}

bool falls() { return std::abs(run(fall(1)).back().x(2, 0) + 9.81 / 2) < 1e-12; }

/// Arrays of several sizes go into the libraries and come out of them; each side frees what the other has allocated.
bool exchanges_arrays() {
  bool same = true;
  for (sim::Index particles = 1; particles < 100; ++particles) {
    const diff::Scenario scenario = fall(particles);
    sim::Vector values = scenario.physical_values();
    const diff::Scenario copy = scenario.with_physical_values(values);
    values = copy.physical_values();
    same = same && values == scenario.physical_values() && run(copy).back().x == run(scenario).back().x;
  }
  return same;
}

/// A product large enough for buffers of its own on the heap, which wide vectors need aligned.
bool multiplies() {
  const Eigen::Index size = 301;
  const Eigen::MatrixXd ones = Eigen::MatrixXd::Ones(size, size), product = ones * ones;
  return (product.array() == size).all();
}

/// A folder that disappears with the object.
struct Place {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("pithball-stranger-" + std::to_string(getpid()));
  Place() { std::filesystem::create_directories(folder); }
  ~Place() { std::filesystem::remove_all(folder); }
};

/// An experiment file is read and run, and its run folder read back.
bool runs_an_experiment() {
  const Place place;
  const std::string file = place.folder / "fall.yaml";
  std::ofstream(file) << R"(name: fall
system: {vertices: [[0, 0, 0]], mass: 1}
forces: [{gravity: [0, 0, -9.81]}]
simulation: {integrator: velocity_verlet, time_step: 0.1, duration: 1}
)";
  const app::ExperimentDocument document = app::load_document(file);
  const app::Experiment experiment = app::read_experiment(document);
  const app::RunOrder order{place.folder / "run", {"simulate", file, {}, 1, document.inputs->files()}};
  const app::RunResult made = app::run_simulation(experiment, order);
  const app::Run read = app::read_run(made.folder);
  const datasets::H5mdReader& motion = std::get<app::SimulationResults>(read.results).motion;
  return made.verdict.status == optim::RunStatus::Ok &&
         std::abs(motion.frame(motion.size() - 1).state.x(2, 0) + 9.81 / 2) < 1e-12;
}

}  // namespace

int main() { return falls() && runs_an_experiment() && exchanges_arrays() && multiplies() ? 0 : 1; }
