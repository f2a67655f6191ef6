#include "app/experiment/shapes/shape.hpp"
#include "datasets/mesh/mesh_generator.hpp"

namespace pithball::app {

Mesh read_torus(Node node) {
  datasets::TorusShape shape;
  shape.major_radius = node.number("major_radius", "m", "distance from the axis to the center of the tube", {},
                                   sim::ValueSign::Positive);
  shape.minor_radius = node.number("minor_radius", "m", "radius of the tube", {}, sim::ValueSign::Positive);
  shape.segments =
      read_pair(node, "segments", "number of segments around the axis and around the tube", shape.segments, 3);
  shape.diagonals = read_diagonals(node, "one");
  return made(node, shape, datasets::make_torus);
}

}  // namespace pithball::app
