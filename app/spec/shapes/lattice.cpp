#include "app/spec/shapes/shape.hpp"
#include "datasets/mesh/mesh_generator.hpp"

namespace pithball::app {

Mesh read_lattice(Node node) {
  datasets::LatticeShape shape;
  shape.kind = node.choice("kind", {"cubic", "fcc"}, "fcc: face-centred cubic, the densest packing", "cubic") == "fcc"
                   ? datasets::LatticeShape::Kind::FaceCentredCubic
                   : datasets::LatticeShape::Kind::Cubic;
  shape.spacing =
      node.number("spacing", "m", "distance of nearest neighbours", shape.spacing, sim::ValueSign::Positive);
  shape.min = node.vector("min", "m", "smallest corner of the box", shape.min);
  shape.max = node.vector("max", "m", "largest corner of the box; one layer where it is that of min", shape.max);
  shape.radius = node.number("radius", "m", "> 0: only points within a ball about the box's middle", shape.radius,
                             sim::ValueSign::NonNegative);
  return made(node, shape, datasets::make_lattice);
}

}  // namespace pithball::app
