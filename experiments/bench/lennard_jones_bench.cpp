#include "experiments/bench/lennard_jones_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>
#include <random>
#include <stdexcept>

#include "app/backend/lammps.hpp"
#include "app/base/new_file.hpp"
#include "sim/force/lennard_jones.hpp"
#include "sim/neighbors/neighbor_registry.hpp"
#include "sim/neighbors/verlet_list_search.hpp"
#include "sim/run/simulator.hpp"
#include "sim/run/stepper.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

namespace fs = std::filesystem;
using sim::Index;
using sim::Vec3;

/// Makes our own run with a new model, so that the time to build the first neighbor list is part of every run.
MeltRow run_here(const Melt& melt, const sim::State& initial) {
  const auto search = std::make_shared<sim::VerletListSearch>(std::make_shared<sim::AutoSearch>(), Melt::skin);
  const Index n = melt.particles();
  const sim::Model model({.particles = n, .springs = {}, .held = {}}, sim::Vector::Ones(n), sim::Vector::Zero(n),
                         {std::make_shared<sim::LennardJones>(1, 1, sim::PairRange{Melt::cutoff, search})});
  sim::Stepper stepper(model, initial, "velocity_verlet", {}, Melt::time_step);
  const sim::EnergyRow before = energy_of(model, initial);
  MeltRow row{.program = "pithball"};
  const long lists = search->searches();
  const std::clock_t processor = std::clock();
  const auto wall = std::chrono::steady_clock::now();
  for (Index k = 0; k < melt.steps && row.status == sim::StepStatus::Ok; ++k) row.status = stepper.advance().status;
  const double steps = melt.steps;
  row.wall_per_step = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count() / steps;
  row.seconds_per_step = static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC / steps;
  row.lists = search->searches() - lists;
  const sim::EnergyRow after = energy_of(model, stepper.state());
  row.potential_energy = after.total() - after.kinetic;
  row.total_energy_change = (after.total() - before.total()) / before.kinetic;
  return row;
}

std::string lammps_data(const Melt& melt, const sim::State& initial) {
  // A box with room for evaporating particles; LAMMPS shrinks it to the particles.
  const Vec3 low = initial.x.rowwise().minCoeff().array() - 1, high = initial.x.rowwise().maxCoeff().array() + 1;
  std::string text = fmt::format("melt\n\n{} atoms\n1 atom types\n\n", melt.particles());
  for (int a = 0; a < 3; ++a) text += fmt::format("{:.17g} {:.17g} {}lo {}hi\n", low[a], high[a], "xyz"[a], "xyz"[a]);
  text += "\nMasses\n\n1 1\n\nAtoms # atomic\n\n";
  for (Index i = 0; i < initial.x.cols(); ++i)
    text += fmt::format("{} 1 {:.17g} {:.17g} {:.17g}\n", i + 1, initial.x(0, i), initial.x(1, i), initial.x(2, i));
  text += "\nVelocities\n\n";
  for (Index i = 0; i < initial.v.cols(); ++i)
    text += fmt::format("{} {:.17g} {:.17g} {:.17g}\n", i + 1, initial.v(0, i), initial.v(1, i), initial.v(2, i));
  return text;
}

/// Makes LAMMPS's run; `rule`: when to build neighbor lists.
MeltRow run_there(const Melt& melt, const fs::path& lammps, const fs::path& folder, const std::string& name,
                  const std::string& rule) {
  const std::string deck = fmt::format(
      "units lj\natom_style atomic\nboundary s s s\nread_data \"{}\"\n"
      "pair_style lj/cut {}\npair_modify shift yes\npair_coeff * * 1 1 {}\n"
      "neighbor {} bin\nneigh_modify {}\nfix step all nve\ntimestep {}\n"
      "thermo {}\nthermo_style custom step pe ke\nthermo_modify norm no format float %.15g lost error\n"
      "run {}\nprint \"potential energy: $(pe:%.15g)\"\nprint \"kinetic energy: $(ke:%.15g)\"\n",
      (folder / "melt.data").string(), Melt::cutoff, Melt::cutoff, Melt::skin, rule, Melt::time_step, melt.steps,
      melt.steps);
  if (!(std::ofstream(folder / "in.melt") << deck).flush())
    throw std::runtime_error("cannot write " + (folder / "in.melt").string());
  LammpsOutput said;
  run_lammps(lammps, folder / "in.melt", said);
  if (!said.ok) throw std::runtime_error("LAMMPS failed: " + said.after("ERROR"));
  const double steps = melt.steps;
  MeltRow row{.program = name};
  row.wall_per_step = said.number_after("Loop time of") / steps;
  const std::size_t use = said.text.find("% CPU use");
  const std::size_t line = said.text.rfind('\n', use);
  row.seconds_per_step = row.wall_per_step * std::stod(said.text.substr(line + 1, use - line - 1)) / 100;
  row.lists = said.number_after("Neighbor list builds =");
  row.potential_energy = said.number_after("potential energy:");
  return row;
}

}  // namespace

sim::State Melt::initial() const {
  const double edge = std::cbrt(4 / density);
  const double places[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
  sim::State s{0, sim::Points(3, particles()), sim::Points(3, particles())};
  Index i = 0;
  for (Index z = 0; z < cells; ++z)
    for (Index y = 0; y < cells; ++y)
      for (Index x = 0; x < cells; ++x)
        for (const auto& place : places)
          s.x.col(i++) = edge * (Eigen::Vector3<Index>(x, y, z).cast<double>() + Vec3(place[0], place[1], place[2]));
  std::mt19937_64 generator(87287);
  std::normal_distribution<double> normal;
  for (double& entry : s.v.reshaped()) entry = normal(generator);
  s.v.colwise() -= Vec3(s.v.rowwise().mean());
  // Kinetic energy 3 (n − 1) T/2, as the total momentum is 0.
  s.v *= std::sqrt(3 * static_cast<double>(particles() - 1) * temperature / s.v.squaredNorm());
  return s;
}

std::vector<MeltTurn> measure_melt(const Melt& melt, const fs::path& lammps, int repeats,
                                   const std::function<void(double)>& progress) {
  const sim::State initial = melt.initial();
  const TemporaryFolder folder("melt");
  std::vector<std::function<MeltRow()>> runs{[&] { return run_here(melt, initial); }};
  if (!lammps.empty()) {
    if (!(std::ofstream(folder.path() / "melt.data") << lammps_data(melt, initial)).flush())
      throw std::runtime_error("cannot write " + (folder.path() / "melt.data").string());
    runs.push_back([&] { return run_there(melt, lammps, folder.path(), "lmp", "delay 0 every 1 check yes"); });
    runs.push_back([&] { return run_there(melt, lammps, folder.path(), "lmp_every_20", "delay 0 every 20 check no"); });
  }
  std::vector<MeltTurn> turns(repeats);
  const auto all = static_cast<double>(repeats * static_cast<int>(runs.size()));
  double made = 0;
  for (MeltTurn& turn : turns)
    for (const auto& run : runs) {
      progress(made++ / all);
      turn.push_back(run());
    }
  return turns;
}

MeltTurn fastest_of(const std::vector<MeltTurn>& turns) {
  MeltTurn fastest = turns.front();
  for (const MeltTurn& turn : turns)
    for (std::size_t k = 0; k < turn.size(); ++k) {
      fastest[k].seconds_per_step = std::min(fastest[k].seconds_per_step, turn[k].seconds_per_step);
      fastest[k].wall_per_step = std::min(fastest[k].wall_per_step, turn[k].wall_per_step);
    }
  return fastest;
}

double melt_difference(const MeltRow& own, const MeltRow& other) {
  return std::abs(other.potential_energy / own.potential_energy - 1);
}

Claim claim_same_melt(const Melt& melt, double difference) {
  // Rounding differs between the programs by some thousand ε in a sum over all pairs. Trajectories of a melt at this
  // temperature diverge as e^{3t}, as measured over 5 units of time.
  const double t = melt.steps * Melt::time_step, apart = 1e-12 * std::exp(3 * t);
  return claim_at_most("relative difference of the potential energy from lmp", difference, apart, "",
                       "the same steps from the same state; rounding grows as e^(3t) in a melt");
}

}  // namespace pithball::experiments
