#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/backend/lammps_system.hpp"
#include "app/base/version.hpp"

namespace pithball::app {
namespace {

/// Coulomb's constant of LAMMPS in its units `si` (update.cpp: qqr2e) [N m²/C²].
constexpr double lammps_coulomb_constant = 8.9876e9;
/// How far atoms move before lists are made again, in sides of the body's cube.
constexpr double skin = 1;

class Deck {
 public:
  Deck(const LammpsMotion& motion, const LammpsSystem& system) : motion_(motion), system_(system) {}

  /// For people: with energies, and numbers to change on the command line.
  std::string text(const std::string& data, const std::vector<std::string>& left_out) {
    head(left_out);
    system_and_forces(data);
    energies();
    output();
    return text_;
  }

  /// For the backend.
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
  /// Everything but energies, outputs and the length of a step.
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

  /// A group of the types that `select` accepts; returns whether there are any.
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

  /// All pairs of charges: one list of all pairs, which is never too short.
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
  std::vector<std::string> fields_;  // fixes of gravity and fields, which have energies
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
