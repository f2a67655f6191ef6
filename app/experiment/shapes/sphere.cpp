#include "app/experiment/shapes/shape.hpp"
#include "datasets/mesh/mesh_generator.hpp"

namespace pithball::app {

Mesh read_sphere(Node node) {
  datasets::SphereShape shape;
  shape.radius = node.number("radius", "m", "radius of the sphere", {}, sim::ValueSign::Positive);
  shape.segments = node.integer("segments", "number of segments per edge of the icosahedron", shape.segments, 1);
  return made(node, shape, datasets::make_sphere);
}

}  // namespace pithball::app
