#pragma once
#include <string>
#include <vector>

#include "datasets/mesh/mesh.hpp"

namespace pithball::datasets {

/// Lengths of edges [m]; 0 without edges.
struct EdgeLengths {
  double shortest = 0,  ///< of all
      median = 0,       ///< the middle one; of an even number the mean of the two in the middle
      longest = 0;      ///< of all
};

/// How the parts of a mesh hang together. Its edges are those of the faces, and the lines of a file; where there are no
/// faces, the springs.
struct MeshPieces {
  Index pieces = 0;           ///< sets of vertices that faces and springs join
  Index single_vertices = 0;  ///< vertices that nothing joins; not counted as pieces
  Index coinciding = 0;       ///< pairs of vertices at one place; three vertices are three pairs
  Index torn = 0;             ///< those pairs whose vertices belong to different pieces
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

/// The mesh with vertices at one place as one, which keeps the position of the first, and its groups with those of the
/// others. The vertices that are left keep their order. Edges and faces between vertices that became one are dropped,
/// and springs that became equal are one, in the groups of the edge among them, otherwise of the first.
Mesh welded(const Mesh& mesh);

}  // namespace pithball::datasets
