#pragma once
#include "experiments/demonstrations/demonstration.hpp"

namespace pithball::experiments {

// What the run of each demonstration is held against, in the file of its name.

std::vector<Claim> breaking_chain_claims(const DemonstrationRun&);
std::vector<Claim> cloth_on_sphere_claims(const DemonstrationRun&);
std::vector<Claim> colliding_bodies_claims(const DemonstrationRun&);
std::vector<Claim> dam_break_claims(const DemonstrationRun&);
std::vector<Claim> draped_cloth_claims(const DemonstrationRun&);
std::vector<Claim> flag_in_wind_claims(const DemonstrationRun&);
std::vector<Claim> fountain_claims(const DemonstrationRun&);
std::vector<Claim> gas_to_solid_claims(const DemonstrationRun&);
std::vector<Claim> magnetic_bottle_claims(const DemonstrationRun&);
std::vector<Claim> tracers_in_vortex_claims(const DemonstrationRun&);
std::vector<Claim> triple_pendulum_claims(const DemonstrationRun&);

}  // namespace pithball::experiments
