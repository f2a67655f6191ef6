#pragma once
// Basic types of all other files: index, vectors and point arrays.

#include <Eigen/Core>

// Arrays are passed between the libraries and their users: both must use the same layout and allocation. CMake's target
// pithball::sim ensures that.
static_assert(EIGEN_MAX_ALIGN_BYTES == 16 && EIGEN_MAX_STATIC_ALIGN_BYTES == 16 && EIGEN_MALLOC_ALREADY_ALIGNED == 0,
              "compile with -DEIGEN_MAX_ALIGN_BYTES=16 -DEIGEN_MALLOC_ALREADY_ALIGNED=0, as Pithball's libraries are");

namespace pithball::sim {

/// Number of a particle or an entry; signed.
using Index = Eigen::Index;
/// A vector of three components.
using Vec3 = Eigen::Vector3d;
/// A 3×3 matrix.
using Mat3 = Eigen::Matrix3d;
/// A column of numbers.
using Vector = Eigen::VectorXd;

/// One 3-vector for each particle: column i belongs to particle i (3×N). Flattening follows memory order, so
/// component a of particle i is entry 3i + a of the flat vector and row 3i + a of any Jacobian.
using Points = Eigen::Matrix<double, 3, Eigen::Dynamic>;

/// View a point array as the flat vector of its 3N components (no copy).
inline Eigen::Map<const Vector> flat(const Points& points) { return {points.data(), points.size()}; }
/// The same for points that change.
inline Eigen::Map<Vector> flat(Points& points) { return {points.data(), points.size()}; }

/// Coulomb's constant k_c = 1/(4 pi eps_0) [N m²/C²] (CODATA 2018).
inline constexpr double coulomb_constant = 8.9875517923e9;

}  // namespace pithball::sim
