#pragma once
#include <vector>

#include "app/experiment/recording/recording.hpp"
#include "optim/parameter/parameter.hpp"

namespace pithball::app {

/// Where the body's masses are those of spheres (`mass: {density, radius}`) and a fit varies their hydrodynamic radius,
/// ties the masses to it, as if `mass: {tied_to: …}` were written, so that mass, buoyancy and drag belong to one
/// radius. `fit`: the node of the fit. Throws InvalidArgument if a mass is fitted as well, if the radius of the drag is
/// another than that of the masses, or is tied itself, or if recordings have other densities.
void tie_sphere_masses(const Node& fit, const Experiment& base, const std::vector<Recording>& recordings,
                       std::vector<optim::Parameter>& parameters);

}  // namespace pithball::app
