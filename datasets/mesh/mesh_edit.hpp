#pragma once
#include <vector>

#include "datasets/mesh/mesh.hpp"

namespace pithball::datasets {

/// x' = R(axis, angle)·(scale·x) + translate: scaling, then rotation about the origin, then translation.
struct Placement {
  double scale = 1;               ///< > 0; e.g. 0.01 for a file in centimeters
  Vec3 axis = Vec3::UnitZ();      ///< rotation axis, any length but 0
  double angle = 0;               ///< [rad], right-handed about the axis
  Vec3 translate = Vec3::Zero();  ///< [m]
};

/// The transformed mesh; springs, faces and groups stay. Throws InvalidArgument on a scale ≤ 0, a zero axis or values
/// that are not finite.
Mesh transformed(Mesh mesh, const Placement& placement);

/// A mesh that is part of another.
struct NamedMesh {
  std::string name;  ///< prefix of its groups, not empty
  Mesh mesh;         ///< its groups become NAME_GROUP
};

/// The parts as one mesh, their vertices in order; nothing is merged. Groups of vertices and of springs: NAME contains
/// all of a part, NAME_GROUP one of its groups, and GROUP that group of all parts that have it. Throws InvalidArgument
/// unless names are given and all different.
Mesh joined_meshes(const std::vector<NamedMesh>& parts);

/// The vertices with min ≤ x ≤ max in every component, in ascending order. Throws InvalidArgument if any component of
/// min exceeds that of max.
std::vector<Index> vertices_in_box(const Mesh& mesh, const Vec3& min, const Vec3& max);

}  // namespace pithball::datasets
