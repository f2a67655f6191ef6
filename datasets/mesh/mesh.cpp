#include "datasets/mesh/mesh.hpp"

namespace pithball::datasets {

Eigen::VectorXd Mesh::spring_lengths() const {
  Eigen::VectorXd lengths(static_cast<Index>(springs.size()));
  for (Index s = 0; s < lengths.size(); ++s) {
    const sim::Spring& spring = springs[s];
    lengths[s] = (vertices.col(spring.i) - vertices.col(spring.j)).norm();
  }
  return lengths;
}

}  // namespace pithball::datasets
