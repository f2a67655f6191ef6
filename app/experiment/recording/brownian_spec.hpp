#pragma once
#include "app/experiment/recording/recording.hpp"

namespace pithball::app {

/// Reads `brownian: {temperature: …}` of a recording into its noise; its kind, clock, scenario and sigma must already
/// be set. Throws InvalidArgument with the reason where the effect of random impulses has no closed form, and where
/// sigma is not written: the noise of the tracks would contain the motion.
void read_brownian(Node& node, Recording& recording);

}  // namespace pithball::app
