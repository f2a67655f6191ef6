#include "app/experiment/shapes/shape.hpp"
#include "datasets/mesh/mesh_generator.hpp"

namespace pithball::app {

Mesh read_lattice(Node node) {
  datasets::LatticeShape shape;
  shape.kind = node.choice("kind", {"cubic", "fcc"}, "lattice type; fcc: face-centered cubic, the densest packing",
                           "cubic") == "fcc"
                   ? datasets::LatticeShape::Kind::FaceCenteredCubic
                   : datasets::LatticeShape::Kind::Cubic;
  shape.spacing =
      node.number("spacing", "m", "distance between nearest neighbors", shape.spacing, sim::ValueSign::Positive);
  shape.min = node.vector("min", "m", "corner of the box with the smallest coordinates", shape.min);
  shape.max = node.vector(
      "max", "m", "corner of the box with the largest coordinates; equal to that of min along an axis: one layer",
      shape.max);
  shape.radius = node.number("radius", "m", "if > 0: only lattice points within this distance of the center of the box",
                             shape.radius, sim::ValueSign::NonNegative);
  return made(node, shape, datasets::make_lattice);
}

}  // namespace pithball::app
