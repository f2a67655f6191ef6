#include "datasets/mesh_edit.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <string>

#include "sim/core/error.hpp"

namespace pithball::datasets {

Mesh transformed(Mesh mesh, const Placement& placement) {
  if (!std::isfinite(placement.scale) || placement.scale <= 0)
    throw InvalidArgument({"mesh", "scale", "must be finite and > 0", std::to_string(placement.scale),
                           "give metres per unit of the file"});
  if (!placement.axis.allFinite() || placement.axis.norm() == 0)
    throw InvalidArgument(
        {"mesh", "rotation axis", "must be a finite vector other than 0", "", "give a direction such as [0, 0, 1]"});
  if (!std::isfinite(placement.angle) || !placement.translate.allFinite())
    throw InvalidArgument({"mesh", "rotation angle and translation", "must be finite", "", "correct the numbers"});
  const Eigen::AngleAxisd rotation(placement.angle, placement.axis.normalized());
  mesh.vertices *= placement.scale;
  mesh.pattern_lengths *= placement.scale;
  // Skipped at angle 0 so that scaling alone is exact.
  if (placement.angle != 0) mesh.vertices = (rotation.toRotationMatrix() * mesh.vertices).eval();
  mesh.vertices.colwise() += placement.translate;
  return mesh;
}

std::vector<Index> vertices_in_box(const Mesh& mesh, const Vec3& min, const Vec3& max) {
  if (!(min.array() <= max.array()).all())
    throw InvalidArgument({"mesh", "box", "must have min <= max in every component", "",
                           "swap the two corners: [[x0, y0, z0], [x1, y1, z1]]"});
  std::vector<Index> inside;
  for (Index v = 0; v < mesh.vertices.cols(); ++v) {
    const auto x = mesh.vertices.col(v).array();
    if ((x >= min.array()).all() && (x <= max.array()).all()) inside.push_back(v);
  }
  return inside;
}

}  // namespace pithball::datasets
