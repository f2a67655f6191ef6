#include "app/experiment/shapes/shape.hpp"
#include "datasets/mesh/mesh_generator.hpp"

namespace pithball::app {

Mesh read_random_cloud(Node node) {
  datasets::RandomCloudShape shape;
  shape.count = node.integer("count", "number of particles", shape.count, 1);
  shape.min = node.vector("min", "m", "corner of the box with the smallest coordinates", shape.min);
  shape.max = node.vector("max", "m", "corner of the box with the largest coordinates", shape.max);
  shape.seed = node.integer("seed", "seed of the random positions", shape.seed);
  return made(node, shape, datasets::make_random_cloud);
}

}  // namespace pithball::app
