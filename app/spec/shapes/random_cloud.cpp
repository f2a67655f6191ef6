#include "app/spec/shapes/shape.hpp"
#include "datasets/mesh/mesh_generator.hpp"

namespace pithball::app {

Mesh read_random_cloud(Node node) {
  datasets::RandomCloudShape shape;
  shape.count = node.integer("count", "particles", shape.count, 1);
  shape.min = node.vector("min", "m", "smallest corner of the box", shape.min);
  shape.max = node.vector("max", "m", "largest corner of the box", shape.max);
  shape.seed = node.integer("seed", "equal seeds give equal points", shape.seed);
  return made(node, shape, datasets::make_random_cloud);
}

}  // namespace pithball::app
