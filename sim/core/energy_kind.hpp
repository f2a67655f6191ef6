#pragma once

namespace pithball::sim {

/// Kinds of potential energy; the columns of energy.csv besides kinetic energy.
enum class EnergyKind {
  Elastic,      ///< springs, links with compliance
  Coulomb,      ///< charges of the body with each other
  Interaction,  ///< other forces between particles
  External,     ///< fields, obstacles and other external forces
};

}  // namespace pithball::sim
