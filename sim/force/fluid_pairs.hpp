#pragma once
#include <cmath>
#include <memory>
#include <variant>

#include "sim/core/settings.hpp"
#include "sim/kernel/smoothing.hpp"
#include "sim/neighbours/neighbour_search.hpp"

namespace pithball::sim {

class Model;

/// What the forces of a fluid of particles (SPH) share: the smoothing kernel and who is within its reach of whom.
class FluidPairs {
 public:
  using Kernel = std::variant<kernel::CubicSpline, kernel::WendlandC2>;

  /// Length h > 0 [m]; the kernel reaches to 2h. dimensions: 3, or 2 for particles in a plane, whose masses are then
  /// per metre across it.
  FluidPairs(std::shared_ptr<const NeighbourSearch> search, Kernel kernel, double length, int dimensions)
      : search_(std::move(search)), kernel_(kernel), length_(length), dimensions_(dimensions) {}

  /// Reads `smoothing_length`, `kernel`, `dimensions` and how neighbours are found.
  static FluidPairs read(Settings&);

  double length() const { return length_; }       ///< h [m]
  int dimensions() const { return dimensions_; }  ///< 2 or 3

  /// Calls visit(i, j, r, W) for each pair i < j within reach, r = x_i − x_j, W the kernel there.
  template <class Visit>
  void visit(const Points& x, Visit visit) const {
    const double reach = 2 * length_;
    const auto list = search_->candidates(x, reach);
    const auto over = [&](const auto& kernel) {
      for (Index i = 0; i < list->points(); ++i) {
        const Vec3 xi = x.col(i);
        for (const auto partner : list->row(i)) {
          const auto j = static_cast<Index>(partner);
          const Vec3 r = xi - x.col(j);
          if (const double square = r.squaredNorm(); square < reach * reach) visit(i, j, r, kernel(std::sqrt(square)));
        }
      }
    };
    std::visit(over, kernel_);
  }

  /// ρ_i = Σ_j m_j W(|x_i − x_j|), the particle itself included [kg/m³, in two dimensions kg/m³ too, as masses are per
  /// metre]; N.
  Vector density(const Model&, const Points& x) const;

 private:
  std::shared_ptr<const NeighbourSearch> search_;
  Kernel kernel_;
  double length_;
  int dimensions_;
};

}  // namespace pithball::sim
