#pragma once
#include <cmath>
#include <memory>
#include <variant>

#include "sim/core/settings.hpp"
#include "sim/force/pair_rows.hpp"
#include "sim/kernel/smoothing.hpp"

namespace pithball::sim {

class Model;

/// Common part of the forces of an SPH fluid: the smoothing kernel and the neighbor pairs.
class FluidPairs {
 public:
  /// The kernel W: either function of q = r/h, each 0 for q ≥ 2.
  using Kernel = std::variant<kernel::CubicSpline, kernel::WendlandC2>;

  /// Length h > 0 [m]; the kernel has the support 2h. dimensions: 3, or 2 for particles in a plane, whose masses are
  /// then per meter normal to it.
  FluidPairs(std::shared_ptr<const NeighborSearch> search, Kernel kernel, double length, int dimensions)
      : search_(std::move(search)), kernel_(kernel), length_(length), dimensions_(dimensions) {}

  /// Reads `smoothing_length`, `kernel`, `dimensions` and the neighbor settings.
  static FluidPairs read(Settings&);

  double length() const { return length_; }       ///< h [m]
  int dimensions() const { return dimensions_; }  ///< 2 or 3

  /// The neighbor pairs at x, found once for all sums of an evaluation.
  PairRows rows(const Points& x) const { return {*search_, x, 2 * length_}; }

  /// Calls visit(i, j, r, W) for each pair of places in these rows, with r = x_i − x_j and the kernel W.
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

  /// ρ_i = Σ_j m_j W(|x_i − x_j|), including j = i [kg/m³, also in two dimensions, with masses per meter]; N, by place,
  /// like the masses.
  Vector density(const PairRows& rows, const Vector& mass) const;
  /// The same by particle.
  Vector density(const Model&, const Points& x) const;

 private:
  std::shared_ptr<const NeighborSearch> search_;
  Kernel kernel_;
  double length_;
  int dimensions_;
};

}  // namespace pithball::sim
