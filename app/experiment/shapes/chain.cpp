#include "app/experiment/shapes/shape.hpp"
#include "datasets/mesh/mesh_generator.hpp"

namespace pithball::app {

Mesh read_chain(Node node) {
  datasets::ChainShape shape;
  shape.length = node.number("length", "m", "length of the whole chain", {}, sim::ValueSign::Positive);
  shape.segments = node.integer("segments", "number of springs; there is one more particle", shape.segments, 1);
  shape.axis = node.vector("axis", "", "direction from the first to the last particle", shape.axis);
  shape.origin = node.vector("origin", "m", "position of the first particle", shape.origin);
  return made(node, shape, datasets::make_chain);
}

}  // namespace pithball::app
