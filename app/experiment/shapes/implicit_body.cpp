#include "datasets/mesh/implicit_body.hpp"

#include <fmt/format.h>

#include "app/experiment/shapes/shape.hpp"
#include "datasets/mesh/implicit_surface.hpp"

namespace pithball::app {

namespace {

Mesh read_animal(Node node, datasets::ImplicitSurface (*surface)()) {
  const datasets::Division division = read_division(node, {.size = 0});
  return node.located_or(placeholder_mesh(), "", [&] { return datasets::make_implicit_body(surface(), division); });
}

datasets::Ellipsoid read_ellipsoid(Node node) {
  datasets::Ellipsoid form{node.vector("center", "", "center of the ellipsoid"),
                           node.vector("radii", "", "semi-axes of the ellipsoid")};
  form.axis = node.vector("axis", "", "axis about which the ellipsoid is rotated", form.axis);
  form.angle = node.number("angle", "rad", "angle of this rotation, right-handed", form.angle);
  return form;
}

datasets::Limb read_limb(Node node) {
  datasets::Limb limb{node.vector("from", "", "center of the first end"),
                      node.vector("to", "", "center of the second end"), 1, 1};
  const std::vector<double> radii = node.numbers("radii", "", "radii of the two ends", sim::ValueSign::Positive);
  node.require(radii.size() == 2, "radii", "must be two numbers", fmt::format("{}", radii.size()),
               "write [first, last]");
  limb.radius_from = radii.front();
  limb.radius_to = radii.back();
  return limb;
}

datasets::BodyPart read_part(Node& node) {
  datasets::BodyPart part{node.text("name", "name of the part; its vertices form the group of this name"), {}};
  node.ignore("ellipsoid");
  node.ignore("limb");
  node.require(node.is_written("ellipsoid") != node.is_written("limb"), "", "must be either an `ellipsoid` or a `limb`",
               node.is_written("limb") ? "both" : "neither",
               "write `limb: {from: [0, 0, 0], to: [1, 0, 0], radii: [0.3, 0.2]}`");
  if (node.has("ellipsoid")) part.form = read_ellipsoid(node.child("ellipsoid", "an ellipsoid"));
  if (node.has("limb")) part.form = read_limb(node.child("limb", "a rounded cone between two points"));
  return part;
}

}  // namespace

Mesh read_duck(Node node) { return read_animal(std::move(node), datasets::duck_surface); }

Mesh read_bunny(Node node) { return read_animal(std::move(node), datasets::bunny_surface); }

Mesh read_implicit(Node node) {
  const datasets::Division division = read_division(node, {.size = 0});
  const double blend =
      node.number("blend", "", "distance over which the parts are blended smoothly", 0.05, sim::ValueSign::Positive);
  std::vector<datasets::BodyPart> parts;
  for (Node& item : node.items("parts", "parts of the body, in any unit of length: the body is scaled to `size`", true))
    parts.push_back(read_part(item));
  return node.located_or(placeholder_mesh(), "", [&] {
    return datasets::make_implicit_body({std::move(parts), blend}, division);
  });
}

}  // namespace pithball::app
