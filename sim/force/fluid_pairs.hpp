#pragma once
#include <cmath>
#include <memory>
#include <variant>

#include "sim/core/settings.hpp"
#include "sim/force/pair_rows.hpp"
#include "sim/kernel/smoothing.hpp"

namespace pithball::sim {

class Model;

/// What the forces of a fluid of particles (SPH) share: the smoothing kernel and who is within its reach of whom.
class FluidPairs {
 public:
  using Kernel = std::variant<kernel::CubicSpline, kernel::WendlandC2>;

  /// Length h > 0 [m]; the kernel reaches to 2h. dimensions: 3, or 2 for particles in a plane, whose masses are then
  /// per meter across it.
  FluidPairs(std::shared_ptr<const NeighborSearch> search, Kernel kernel, double length, int dimensions)
      : search_(std::move(search)), kernel_(kernel), length_(length), dimensions_(dimensions) {}

  /// Reads `smoothing_length`, `kernel`, `dimensions` and how neighbors are found.
  static FluidPairs read(Settings&);

  double length() const { return length_; }       ///< h [m]
  int dimensions() const { return dimensions_; }  ///< 2 or 3

  /// The pairs within reach at x, found once for all sums of an evaluation.
  PairRows rows(const Points& x) const { return {*search_, x, 2 * length_}; }

  /// Calls visit(i, j, r, W) for each pair of places of these rows, r = x_i − x_j, W the kernel there.
  template <class Visit>
  void visit(const PairRows& rows, Visit visit) const {
    const auto over = [&](const auto& kernel) {
      rows.for_each([&](const PairRow& row) {
        for (std::size_t k = 0; k < row.count; ++k)
          visit(row.i, row.j[k], row.separation(k), kernel(std::sqrt(row.r2[k])));
      });
    };
    std::visit(over, kernel_);
  }

  /// ρ_i = Σ_j m_j W(|x_i − x_j|), the particle itself included [kg/m³, in two dimensions kg/m³ too, as masses are per
  /// meter]; N, by places as the masses are.
  Vector density(const PairRows& rows, const Vector& mass) const;
  /// The same by particles.
  Vector density(const Model&, const Points& x) const;

 private:
  std::shared_ptr<const NeighborSearch> search_;
  Kernel kernel_;
  double length_;
  int dimensions_;
};

}  // namespace pithball::sim
