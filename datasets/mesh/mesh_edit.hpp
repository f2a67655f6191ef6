#pragma once
#include <string>
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

/// Lengths of edges [m]; 0 without edges.
struct EdgeLengths {
  double shortest = 0,  ///< of all
      median = 0,       ///< the middle one; of an even number the mean of the two in the middle
      longest = 0;      ///< of all
};

/// How the parts of a mesh are connected. Its edges are those of the faces, and the lines of a file; where there are no
/// faces, the springs.
struct MeshPieces {
  Index pieces = 0;           ///< sets of vertices that faces and springs join
  Index single_vertices = 0;  ///< vertices that nothing joins; not counted as pieces
  Index coinciding = 0;       ///< pairs of vertices at one place; three vertices are three pairs
  Index torn = 0;             ///< the coinciding pairs whose vertices belong to different pieces
  Index edges = 0;            ///< number of edges
  Index zero_edges = 0;       ///< edges between vertices at one place
  EdgeLengths edge_lengths;   ///< of the edges
};

/// Finds the pieces and the coinciding vertices of a mesh. Vertices coincide if their coordinates differ by rounding:
/// by at most 2^−22 of the largest extent (what single precision leaves after a few operations), but not by more than a
/// thousandth of the median edge, so that fine meshes keep all their vertices.
MeshPieces find_pieces(const Mesh& mesh);

/// "2 pieces, 2 pairs of vertices at one place: weld: true joins them"; empty if no vertices coincide.
std::string weld_advice(const MeshPieces& pieces);

/// The mesh in which vertices at one place are merged into the first of them, which also joins the groups of the
/// others. The remaining vertices keep their order. Edges and faces between merged vertices are dropped; springs that
/// become equal are merged into one, in the groups of the edge among them, otherwise of the first.
Mesh welded(const Mesh& mesh);

}  // namespace pithball::datasets
