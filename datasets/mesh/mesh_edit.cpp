#include "datasets/mesh/mesh_edit.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "sim/core/error.hpp"

namespace pithball::datasets {

Mesh transformed(Mesh mesh, const Placement& placement) {
  if (!std::isfinite(placement.scale) || placement.scale <= 0)
    throw InvalidArgument({"mesh", "scale", "must be finite and > 0", std::to_string(placement.scale),
                           "give meters per unit of the file"});
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

Mesh joined_meshes(const std::vector<NamedMesh>& parts) {
  Index vertices = 0;
  bool have_patterns = !parts.empty();
  for (const NamedMesh& part : parts) {
    const auto same = [&](const NamedMesh& other) { return other.name == part.name; };
    if (part.name.empty() || std::count_if(parts.begin(), parts.end(), same) > 1)
      throw InvalidArgument({"", "parts", "must have names that differ", "'" + part.name + "' again", "rename one"});
    vertices += part.mesh.vertices.cols();
    have_patterns = have_patterns && part.mesh.pattern_lengths.size() > 0;
  }
  Mesh whole;
  whole.vertices.resize(3, vertices);
  const auto add_group = [](auto& groups, const std::string& name, const std::vector<Index>& members, Index shift) {
    for (const Index member : members) groups[name].push_back(member + shift);
  };
  const auto all = [](std::size_t count) {
    std::vector<Index> numbers(count);
    std::iota(numbers.begin(), numbers.end(), Index{0});
    return numbers;
  };
  Index shift = 0;
  for (const auto& [name, mesh] : parts) {
    const Index springs_before = whole.springs.size();
    whole.vertices.middleCols(shift, mesh.vertices.cols()) = mesh.vertices;
    for (const sim::Spring& spring : mesh.springs) whole.springs.push_back({spring.i + shift, spring.j + shift});
    for (std::vector<Index> face : mesh.faces) {
      for (Index& vertex : face) vertex += shift;
      whole.faces.push_back(std::move(face));
    }
    add_group(whole.vertex_groups, name, all(mesh.vertices.cols()), shift);
    if (!mesh.springs.empty()) add_group(whole.spring_groups, name, all(mesh.springs.size()), springs_before);
    for (const std::string& prefix : {std::string(), name + "_"}) {
      for (const auto& [group, members] : mesh.vertex_groups)
        add_group(whole.vertex_groups, prefix + group, members, shift);
      for (const auto& [group, members] : mesh.spring_groups)
        add_group(whole.spring_groups, prefix + group, members, springs_before);
    }
    if (have_patterns) {
      const Eigen::VectorXd before = whole.pattern_lengths;
      whole.pattern_lengths.resize(before.size() + mesh.pattern_lengths.size());
      whole.pattern_lengths << before, mesh.pattern_lengths;
    }
    shift += mesh.vertices.cols();
  }
  return whole;
}

}  // namespace pithball::datasets
