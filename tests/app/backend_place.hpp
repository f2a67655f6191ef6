#pragma once
// An experiment that other programs step too, and what a run of it left.

#include <string>
#include <vector>

#include "app/run_folder/kept_states.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "tests/app/program.hpp"
#include "tests/support/catch.hpp"

namespace pithball::test {

/// A small charged torus with masses and charges of two kinds, two particles pinned, of stretched springs; the forces
/// are for tests to vary. It steps by velocity Verlet.
inline std::string charged_torus(const std::string& forces, const std::string& simulation = "") {
  return R"(name: torus
system:
  mesh: {torus: {major_radius: 4, minor_radius: 1.5, segments: [12, 5]}}
  groups: {heavy: {vertices: [10, 11, 12]}}
  mass: {heavy: 0.25, rest: 0.1}
  charge: {heavy: -2 uC, rest: 6 uC}
  pinned: [0, 30]
  velocities: [0.1, -0.2, 0.3]
  springs: {stiffness: 10, rest_length: 1.1}
forces: )" +
         forces + "\nsimulation: {integrator: velocity_verlet, time_step: 0.01, duration: 1" + simulation + "}\n";
}

/// What `simulate` left in a run folder.
struct KeptRun {
  sim::Trajectory trajectory;
  std::vector<sim::EnergyRow> energy;
  nlohmann::json summary;
  explicit KeptRun(const fs::path& folder)
      : trajectory(datasets::read_h5md((folder / "trajectory.h5").string()).trajectory),
        energy(app::read_energy_table(folder / "energy.csv")),
        summary(nlohmann::json::parse(read_text(folder / "summary.json"))) {}
};

/// Checks that two runs of one experiment kept the same steps, and that states and energies differ by rounding only:
/// `growth` is how much the motion magnifies a rounding error on its way.
inline void check_parity(const KeptRun& ours, const KeptRun& theirs, double growth) {
  REQUIRE(theirs.trajectory.step == ours.trajectory.step);
  REQUIRE(theirs.energy.size() == ours.energy.size());
  const double rounding = 1e-15 * growth;
  for (std::size_t k = 0; k < ours.energy.size(); ++k) {
    const sim::State &a = ours.trajectory.states[k], &b = theirs.trajectory.states[k];
    CAPTURE(ours.trajectory.step[k]);
    CHECK(b.t == Approx(a.t).epsilon(1e-12));
    CHECK((b.x - a.x).cwiseAbs().maxCoeff() < rounding * a.x.cwiseAbs().maxCoeff());
    CHECK((b.v - a.v).cwiseAbs().maxCoeff() < rounding * std::max(1.0, a.v.cwiseAbs().maxCoeff()));
    const sim::EnergyRow &e = ours.energy[k], &f = theirs.energy[k];
    const double scale = std::abs(e.elastic) + std::abs(e.coulomb) + std::abs(e.external) + e.kinetic;
    CHECK(std::abs(f.elastic - e.elastic) < rounding * scale);
    CHECK(std::abs(f.coulomb - e.coulomb) < rounding * scale);
    CHECK(std::abs(f.external - e.external) < rounding * scale);
    CHECK(std::abs(f.kinetic - e.kinetic) < rounding * scale);
  }
}

}  // namespace pithball::test
