#include "app/experiment/shapes/shape.hpp"
#include "datasets/mesh/mesh_generator.hpp"

namespace pithball::app {

namespace {

/// Reads the settings of rings along an axis; `sides` is the default.
datasets::BeamShape read_rings(Node& node, Index sides) {
  datasets::BeamShape shape;
  shape.radius =
      node.number("radius", "m", "radius of the circle through the particles of a ring", {}, sim::ValueSign::Positive);
  shape.sides = node.integer("sides", "number of particles per ring", sides, 3);
  if (node.document(
          "ring_positions", "list of numbers [m]", "optional",
          "distance of each ring from the first along the axis, increasing from 0; instead of length and segments"))
    shape.ring_positions = node.numbers("ring_positions", "m", "");
  if (shape.ring_positions.empty()) {
    shape.length = node.number_or("length", "m", "distance from the first to the last ring",
                                  {"required, unless `ring_positions` is given", {}}, sim::ValueSign::Positive);
    shape.segments =
        node.integer("segments", "number of bays between rings; there is one more ring", shape.segments, 1);
  }
  shape.diagonals = read_diagonals(node, "both");
  shape.axis = node.vector("axis", "", "direction from the first to the last ring", shape.axis);
  shape.side = node.vector("side", "", "direction from a ring's center to its first particle", shape.side);
  shape.origin = node.vector("origin", "m", "center of the first ring", shape.origin);
  return shape;
}

}  // namespace

Mesh read_beam(Node node) {
  const datasets::BeamShape shape = read_rings(node, 3);
  return made(node, shape, datasets::make_beam);
}

Mesh read_tube(Node node) {
  const datasets::BeamShape shape = read_rings(node, 8);
  return made(node, shape, datasets::make_tube);
}

}  // namespace pithball::app
