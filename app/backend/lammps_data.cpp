#include <fmt/format.h>

#include <iterator>

#include "app/backend/lammps_system.hpp"

namespace pithball::app {

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

}  // namespace pithball::app
