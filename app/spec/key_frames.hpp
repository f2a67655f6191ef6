#pragma once
#include "app/spec/body.hpp"
#include "app/yaml/node.hpp"
#include "diff/rollout/rollout.hpp"

namespace pithball::app {

/// Reads the list `key_frames:` below the root, values that change with time (`sim::KeyFrames`); returns the scenario's
/// model with them.
sim::Model read_key_frames(Node& root, const Body& body, diff::Scenario scenario);

}  // namespace pithball::app
