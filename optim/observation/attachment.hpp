#pragma once
#include <optional>

#include "optim/observation/observation.hpp"

namespace pithball::optim {

/// The attachment of a marker recorded at a point: Σ weight · x_vertex, and its distance from the point.
struct Attachment {
  std::vector<std::pair<Index, double>> vertices;  ///< (vertex, weight); weights are > 0 and add up to 1
  double distance = 0;                             ///< [m]
};

/// The vertex nearest to `point` [m] among `vertices` (3×N, N ≥ 1); the first of several.
Attachment attach_to_vertex(const Points& vertices, const Vec3& point);

/// The point of a face nearest to `point`, as barycentric weights of a triangle's corners; polygons are treated as fans
/// of triangles around their first corner. Empty if there are no faces. Nearest point of a triangle: Ericson 2005,
/// Real-Time Collision Detection, section 5.1.5.
std::optional<Attachment> attach_to_face(const Points& vertices, const std::vector<std::vector<Index>>& faces,
                                         const Vec3& point);

}  // namespace pithball::optim
