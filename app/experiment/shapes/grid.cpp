#include <fmt/format.h>

#include "app/experiment/shapes/shape.hpp"
#include "datasets/mesh/mesh_generator.hpp"

namespace pithball::app {

Mesh read_grid(Node node) {
  datasets::GridShape shape;
  const auto size = node.numbers("size", "m", "lengths along x and y", sim::ValueSign::Positive);
  node.require(size.size() == 2, "size", "must be two lengths", fmt::format("{}", size.size()), "write [x, y]");
  if (size.size() == 2) shape.size = {size[0], size[1]};
  shape.segments = read_pair(node, "segments", "number of cells along x and y", shape.segments, 1);
  shape.shear = node.flag("shear", "add springs along both diagonals of each cell", shape.shear);
  shape.bend = node.flag("bend", "add springs between vertices that are two cells apart", shape.bend);
  return made(node, shape, datasets::make_grid);
}

}  // namespace pithball::app
