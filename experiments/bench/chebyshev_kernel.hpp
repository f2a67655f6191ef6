#pragma once
#include <vector>

#include "sim/coulomb/fmm/harmonics_kernel.hpp"

namespace pithball::experiments {

/// The roots of the Chebyshev polynomial of degree `order` on [−½, ½], with the factors of their Lagrange polynomials
///   l_j(x) = weight_j Π_{k≠j} (x − node_k),   weight_j = 1/Π_{k≠j} (node_j − node_k).
struct ChebyshevNodes {
  explicit ChebyshevNodes(int order);
  int order() const { return static_cast<int>(node.size()); }
  std::vector<double> node, weight;
};

/// coefficient[(z·n + y)·n + x] += Σ_i charge_i l_x(x_i) l_y(y_i) l_z(z_i) for n nodes on an axis.
void add_moments(const ChebyshevNodes& nodes, const sim::fmm::PointRange& points, const double* charge,
                 double* coefficient);

/// field[a][i] −= ∂/∂x_a Σ coefficient[(z·n + y)·n + x] l_x l_y l_z at point i.
void add_field(const ChebyshevNodes& nodes, const double* coefficient, const sim::fmm::PointRange& points,
               double* const* field);

}  // namespace pithball::experiments
