#pragma once

namespace pithball::sim {

/// What a potential energy belongs to; the columns of energy.csv beside the kinetic one.
enum class EnergyKind {
  Elastic,      ///< springs, links with compliance
  Coulomb,      ///< charges of the body among themselves
  Interaction,  ///< other forces between particles
  External,     ///< fields, obstacles and whatever else acts from outside
};

}  // namespace pithball::sim
