#include "app/backend/lammps_system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/base/version.hpp"
#include "sim/force/spring_force.hpp"

namespace pithball::app {
namespace {

/// Numbers distinct entries from 1 in ascending order, so that the numbering does not depend on the order in which they
/// occur.
template <class Entry>
std::vector<std::size_t> number(const std::vector<Entry>& entries, std::vector<Entry>& distinct) {
  distinct = entries;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<std::size_t> numbers;
  for (const Entry& entry : entries)
    numbers.push_back(
        1 + static_cast<std::size_t>(std::lower_bound(distinct.begin(), distinct.end(), entry) - distinct.begin()));
  return numbers;
}

}  // namespace

LammpsSystem lammps_system(const LammpsMotion& motion) {
  const sim::Model& model = motion.model;
  const PlainForces forces(model, motion.start.t);
  LammpsSystem system;
  system.missing = forces.missing;
  if (forces.softening != 0) system.missing.emplace("softening", "softened Coulomb forces: no softening");
  system.coulomb = forces.coulomb;
  system.frozen = forces.resting_charges;
  system.gravity = forces.gravity;
  system.electric_field = forces.electric_field;
  std::vector<LammpsSystem::AtomType> atoms;
  for (Index i = 0; i < model.particles(); ++i)
    atoms.push_back({model.is_held(i), model.charge()[i] != 0, model.mass()[i], forces.drag[i]});
  system.atom_type = number(atoms, system.atom_types);
  if (forces.springs) {
    const sim::SpringForce& springs = *sim::find_springs(model);
    const Vector stiffness = springs.stiffness(model), rest_length = springs.rest_length(model);
    std::vector<LammpsSystem::BondType> bonds;
    for (Index e = 0; e < stiffness.size(); ++e) bonds.push_back({stiffness[e], rest_length[e]});
    system.bond_type = number(bonds, system.bond_types);
  }
  return system;
}

LammpsBox lammps_box(const LammpsMotion& motion, const LammpsSystem& system) {
  const Points& x = motion.start.x;
  sim::Vec3 low = x.rowwise().minCoeff(), high = x.rowwise().maxCoeff();
  for (const auto& charge : system.frozen) {
    low = low.cwiseMin(charge.position);
    high = high.cwiseMax(charge.position);
  }
  const double extent = (high - low).maxCoeff();
  return {(low + high) / 2, extent > 0 ? 1.1 * extent : 1.0};
}

Index lammps_substeps(const LammpsMotion& motion) {
  if (motion.integrator == "velocity_verlet") return 1;
  const sim::SpringForce* springs = sim::find_springs(motion.model);
  if (!springs) return 1;
  const Vector stiffness = springs->stiffness(motion.model);
  Vector sum = Vector::Zero(motion.model.particles());
  Index e = 0;
  for (const sim::Spring& spring : motion.model.springs()) {
    sum[spring.i] += stiffness[e];
    sum[spring.j] += stiffness[e++];
  }
  const double frequency = std::sqrt((2 * sum.array() / motion.model.mass().array()).maxCoeff());
  return std::max<Index>(1, static_cast<Index>(std::ceil(motion.time_step * frequency)));
}

std::string lammps_data(const LammpsMotion& motion, const LammpsSystem& system) {
  const sim::State& start = motion.start;
  const std::size_t particles = motion.model.particles();
  const LammpsBox box = lammps_box(motion, system);
  std::string text;
  const auto add = [&]<class... T>(fmt::format_string<T...> form, T&&... values) {
    fmt::format_to(std::back_inserter(text), form, std::forward<T>(values)...);
  };
  add("{} at t = {} s, in SI units; written by pithball\n\n", motion.name, start.t);
  add("{} atoms\n{} atom types\n", particles + system.frozen.size(),
      system.atom_types.size() + (system.frozen.empty() ? 0 : 1));
  add("{} bonds\n{} bond types\n\n", system.bond_type.size(), system.bond_types.size());
  for (int a = 0; a < 3; ++a)
    add("{:.17g} {:.17g} {}lo {}hi\n", box.center[a] - box.side / 2, box.center[a] + box.side / 2, "xyz"[a], "xyz"[a]);

  add("\nMasses\n\n");
  std::size_t number = 0;
  for (const auto& type : system.atom_types)
    add("{} {:.17g}  # {}{}\n", ++number, type.mass, type.held ? "held" : "moving", type.charged ? "" : ", no charge");
  if (!system.frozen.empty()) add("{} 1  # external charges; the mass is not used\n", ++number);
  if (!system.bond_types.empty()) {
    add("\nBond Coeffs  # harmonic\n\n");
    number = 0;
    for (const auto& type : system.bond_types)
      add("{} {:.17g} {:.17g}\n", ++number, type.stiffness / 2, type.rest_length);
  }

  add("\nAtoms  # full\n\n");
  const auto atom = [&](std::size_t id, int molecule, std::size_t type, double charge, const sim::Vec3& x) {
    add("{} {} {} {:.17g} {:.17g} {:.17g} {:.17g}\n", id, molecule, type, charge, x[0], x[1], x[2]);
  };
  for (std::size_t i = 0; i < particles; ++i) {
    const Index at = i;
    atom(i + 1, 1, system.atom_type[i], motion.model.charge()[at], start.x.col(at));
  }
  for (std::size_t k = 0; k < system.frozen.size(); ++k)
    atom(particles + k + 1, 2, system.atom_types.size() + 1, system.frozen[k].charge, system.frozen[k].position);
  add("\nVelocities\n\n");
  for (std::size_t i = 0; i < particles + system.frozen.size(); ++i) {
    const bool moving = i < particles && !system.atom_types[system.atom_type[i] - 1].held;
    const sim::Vec3 v = moving ? sim::Vec3(start.v.col(i)) : sim::Vec3::Zero();
    add("{} {:.17g} {:.17g} {:.17g}\n", i + 1, v[0], v[1], v[2]);
  }
  if (!system.bond_type.empty()) {
    add("\nBonds\n\n");
    for (std::size_t e = 0; e < system.bond_type.size(); ++e) {
      const sim::Spring& spring = motion.model.springs()[e];
      add("{} {} {} {}\n", e + 1, system.bond_type[e], spring.i + 1, spring.j + 1);
    }
  }
  return text;
}

namespace {

/// Coulomb's constant of LAMMPS in its units `si` (update.cpp: qqr2e) [N m²/C²].
constexpr double lammps_coulomb_constant = 8.9876e9;
/// Skin of the neighbor lists, in units of the side of the body's bounding cube.
constexpr double skin = 1;

class Deck {
 public:
  Deck(const LammpsMotion& motion, const LammpsSystem& system) : motion_(motion), system_(system) {}

  /// Returns a deck to be run by hand: it prints energies, and its numbers can be set on the command line.
  std::string text(const std::string& data, const std::vector<std::string>& left_out) {
    head(left_out);
    system_and_forces(data);
    energies();
    output();
    return text_;
  }

  /// Returns the deck that the backend runs.
  std::string text(const LammpsRun& run) {
    add("# {}, by velocity Verlet; written by pithball {}\n", motion_.name, version);
    system_and_forces(run.data);
    add("\ntimestep {:.17g}\n", motion_.time_step);
    add("thermo {}\nthermo_style custom step\nthermo_modify lost error\n", std::max<Index>(1, run.last / 100));
    add("variable wanted file {}\nvariable next equal next(wanted)\n", run.steps);
    add("dump motion body custom 1 {} id x y z vx vy vz\n", run.dump);
    add("dump_modify motion every v_next sort id format float %.17g\nrun {}\n", run.last);
    return text_;
  }

 private:
  /// Writes everything except energies, outputs and the time step.
  void system_and_forces(const std::string& data) {
    const LammpsBox box = lammps_box(motion_, system_);
    add("\nunits si\natom_style full\nboundary m m m  # not periodic; the box follows the atoms\n");
    if (!system_.bond_type.empty())
      add("bond_style harmonic\n"
          "special_bonds lj/coul 1 1 1  # charges that a spring joins act on each other too\n");
    add("read_data {}\n", data);
    groups();
    charges(box.side);
    forces();
  }

  template <class... T>
  void add(fmt::format_string<T...> form, T&&... values) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<T>(values)...);
  }

  void head(const std::vector<std::string>& left_out) {
    add("# {} from t = {} s on, for LAMMPS; written by pithball {}. Run with: lmp -in in.pithball\n", motion_.name,
        motion_.start.t, version);
    add("# The run used {} with steps of {} s; this deck uses velocity Verlet.\n", motion_.integrator,
        motion_.time_step);
    for (const std::string& sentence : left_out) add("# LEFT OUT, LAMMPS has no counterpart: {}.\n", sentence);
    add("\nvariable substeps index {}  # steps of LAMMPS in one step of the run\n", lammps_substeps(motion_));
    add("variable steps index {}  # of the run, from here to its end\n", motion_.last_step - motion_.step);
    add("variable every index {}  # steps of the run between outputs\n", motion_.every);
  }

  /// Writes a group of the types that `select` accepts; returns whether there are any.
  template <class Select>
  bool group(const char* name, Select select) {
    const auto types = system_.types_where(select);
    if (!types.empty()) add("group {} type {}\n", name, fmt::join(types, " "));
    return !types.empty();
  }

  void groups() {
    using Type = LammpsSystem::AtomType;
    add("\n");
    group("body", [](const Type&) { return true; });
    if (!group("moving", [](const Type& type) { return !type.held; })) add("group moving empty\n");
    if (!system_.frozen.empty()) add("group external type {}\n", system_.atom_types.size() + 1);
    has_neutral_ = group("neutral", [](const Type& type) { return !type.charged; });
  }

  /// Writes the pair style for charges, with a neighbor list long enough for all pairs.
  void charges(double side) {
    const std::size_t atoms = system_.atom_type.size() + system_.frozen.size();
    const std::size_t most = std::max<std::size_t>(2000, atoms);
    add("\nneighbor {} nsq\n", skin * side);
    if (!system_.has_charge_pairs()) {
      add("comm_modify cutoff {}\n", lammps_reach * side);
      return;
    }
    add("pair_style coul/cut {}  # far beyond the body: all pairs\npair_coeff * *\n", lammps_reach * side);
    add("dielectric {}  # makes LAMMPS's {:g} N m^2/C^2 the run's {}\n",
        lammps_coulomb_constant / sim::coulomb_constant, lammps_coulomb_constant, sim::coulomb_constant);
    add("neigh_modify every 1 delay 0 check yes one {} page {}\n", most, 10 * std::max<std::size_t>(10000, most));
    if (has_neutral_) add("neigh_modify exclude group neutral all\n");
    if (!system_.frozen.empty()) add("neigh_modify exclude group external external\n");
    if (!system_.coulomb) add("neigh_modify exclude group body body\n");
  }

  void forces() {
    add("\n");
    for (std::size_t k = 0; k < system_.gravity.size(); ++k) {
      const sim::Vec3& g = system_.gravity[k];
      if (g.isZero(0)) continue;
      fields_.push_back(fmt::format("gravity{}", k + 1));
      add("fix {} body gravity {:.17g} vector {:.17g} {:.17g} {:.17g}\n", fields_.back(), g.norm(), g[0], g[1], g[2]);
    }
    for (std::size_t k = 0; k < system_.electric_field.size(); ++k) {
      const sim::Vec3& e = system_.electric_field[k];
      fields_.push_back(fmt::format("field{}", k + 1));
      add("fix {} body efield {:.17g} {:.17g} {:.17g}\n", fields_.back(), e[0], e[1], e[2]);
    }
    drag();
    add("fix step moving nve  # pinned particles and external charges do not move\n");
  }

  void energies() {
    std::string external = system_.frozen.empty() ? "" : "c_external";
    for (const std::string& fix : fields_) {
      add("fix_modify {} energy yes\n", fix);
      external += (external.empty() ? "f_" : "+f_") + fix;
    }
    if (!system_.bond_type.empty()) add("compute elastic all pe bond\n");
    if (system_.coulomb) add("compute coulomb body group/group body\n");
    if (!system_.frozen.empty()) add("compute external body group/group external\n");
    add("compute kinetic body ke\n\n# Energies [J], as in the run's energy.csv.\n");
    add("variable elastic equal {}\n", system_.bond_type.empty() ? "0" : "c_elastic");
    add("variable coulomb equal {}\n", system_.coulomb ? "c_coulomb" : "0");
    add("variable external equal {}\n", external.empty() ? "0" : external);
    add("variable kinetic equal c_kinetic\nvariable total equal v_elastic+v_coulomb+v_external+v_kinetic\n");
  }

  void drag() {
    if (system_.types_where([](const auto& type) { return type.drag != 0; }).empty()) return;
    add("# Taken at the velocity of half a step before, as LAMMPS does: right to first order in the step.\n");
    add("fix drag moving viscous 1");
    for (std::size_t k = 0; k < system_.atom_types.size(); ++k)
      add(" &\n  scale {} {:.17g}", k + 1, system_.atom_types[k].drag);
    add("\n");
  }

  void output() {
    add("\ntimestep $({:.17g}/v_substeps:%.17g)\n", motion_.time_step);
    add("variable interval equal ${{every}}*${{substeps}}\n"
        "thermo ${{interval}}\n"
        "thermo_style custom step time v_elastic v_coulomb v_external v_kinetic v_total\n"
        "thermo_modify norm no format float %20.15g lost error\n"
        "dump motion body custom ${{interval}} motion.lammpstrj id type x y z vx vy vz\n"
        "dump_modify motion sort id format float %.17g\n"
        "run $(v_steps*v_substeps)\n");
  }

  const LammpsMotion& motion_;
  const LammpsSystem& system_;
  std::vector<std::string> fields_;  // fixes of gravity and fields that have an energy
  bool has_neutral_ = false;
  std::string text_;
};

}  // namespace

std::string lammps_deck(const LammpsMotion& motion, const LammpsSystem& system, const std::string& data,
                        const std::vector<std::string>& left_out) {
  return Deck(motion, system).text(data, left_out);
}

std::string lammps_run_deck(const LammpsMotion& motion, const LammpsSystem& system, const LammpsRun& run) {
  return Deck(motion, system).text(run);
}

}  // namespace pithball::app
