#include "datasets/mesh/tshirt.hpp"

#include "app/experiment/shapes/shape.hpp"

namespace pithball::app {

Mesh read_tshirt(Node node) {
  datasets::TshirtShape shape;
  shape.division = read_division(node, shape.division);
  shape.depth = node.number("depth", "m", "largest distance by which front and back bulge; they do not touch",
                            shape.depth, sim::ValueSign::Positive);
  shape.bend = node.flag("bend", "add springs between the two corners opposite each shared edge", shape.bend);
  return made(node, shape, datasets::make_tshirt);
}

}  // namespace pithball::app
