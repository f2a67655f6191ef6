#pragma once
#include "app/spec/recording.hpp"

namespace pithball::app {

/// Gives the recording's scenario the start that its `initial_state` asks for; a complaint is placed at `node`. With
/// Free, particles without a marker of their own keep their given state.
void set_initial_state(const Node& node, Recording& recording);

}  // namespace pithball::app
