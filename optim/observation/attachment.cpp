#include "optim/observation/attachment.hpp"

namespace pithball::optim {
namespace {

/// Barycentric weights of the point of triangle abc nearest to p, found by the region of the triangle's plane (of a
/// corner, an edge, or the inside) that p projects into.
Vec3 nearest_in_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap), d3 = ab.dot(bp), d4 = ac.dot(bp), d5 = ab.dot(cp), d6 = ac.dot(cp);
  if (d1 <= 0 && d2 <= 0) return {1, 0, 0};
  if (d3 >= 0 && d4 <= d3) return {0, 1, 0};
  if (d6 >= 0 && d5 <= d6) return {0, 0, 1};
  const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return Vec3(-d3, d1, 0) / (d1 - d3);
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return Vec3(-d6, 0, d2) / (d2 - d6);
  if (va <= 0 && d4 >= d3 && d5 >= d6) return Vec3(0, d5 - d6, d4 - d3) / ((d4 - d3) + (d5 - d6));
  return Vec3(va, vb, vc) / (va + vb + vc);
}

}  // namespace

Attachment attach_to_vertex(const Points& vertices, const Vec3& point) {
  Index nearest = 0;
  const double square = (vertices.colwise() - point).colwise().squaredNorm().minCoeff(&nearest);
  return {{{nearest, 1.0}}, std::sqrt(square)};
}

std::optional<Attachment> attach_to_face(const Points& vertices, const std::vector<std::vector<Index>>& faces,
                                         const Vec3& point) {
  std::optional<Attachment> best;
  for (const std::vector<Index>& face : faces)
    for (std::size_t k = 1; k + 1 < face.size(); ++k) {
      const std::array<Index, 3> corners{face[0], face[k], face[k + 1]};
      Eigen::Matrix3d x;
      for (std::size_t j = 0; j < 3; ++j) x.col(j) = vertices.col(corners[j]);
      const Vec3 weights = nearest_in_triangle(point, x.col(0), x.col(1), x.col(2));
      const double distance = (x * weights - point).norm();
      if (!(distance < (best ? best->distance : INFINITY))) continue;  // a degenerate triangle may give NaN
      best = Attachment{{}, distance};
      for (std::size_t j = 0; j < 3; ++j)
        if (const double weight = weights[j]; weight > 0) best->vertices.emplace_back(corners[j], weight);
    }
  return best;
}

}  // namespace pithball::optim
