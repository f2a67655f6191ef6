#pragma once
#include <array>
#include <map>
#include <memory>
#include <vector>

#include "sim/coulomb/fmm/expansion.hpp"
#include "sim/coulomb/fmm/octree.hpp"
#include "sim/coulomb/fmm/solid_harmonics.hpp"

namespace pithball::sim::fmm {

/// How far apart, in box sides, two boxes of the same level are (target minus source).
using Offset = std::array<int, 3>;

/// The shift of an expansion along z by a fixed distance: for each m a dense matrix between degrees m…order, the same
/// for cosines and sines. Row: degree of the result; column: degree of the argument.
class ShiftAlongZ {
 public:
  /// `entry(n, k, m)`: the number in row n and column k of the matrix for m.
  template <class Entry>
  ShiftAlongZ(int order, Entry entry) {
    for (int m = 0; m <= order; ++m) {
      start_.push_back(data_.size());
      for (int n = m; n <= order; ++n)
        for (int k = m; k <= order; ++k) data_.push_back(entry(n, k, m));
    }
  }
  const double* of(int m) const { return data_.data() + start_[m]; }  ///< the matrix for m, row-major, (order − m + 1)²

 private:
  std::vector<double> data_;
  std::vector<std::size_t> start_;
};

/// The two layouts of a panel of coefficients up to one order: degree by degree (as expansions are stored), and m by m
/// (all cosines of one m, then its sines), which a shift along z needs.
struct Layout {
  /// For all coefficients of degrees 0…order.
  explicit Layout(int order);
  int order;                   ///< highest degree
  std::vector<int> by_degree;  ///< [place m by m] → place degree by degree
  std::vector<int> by_m;       ///< [place degree by degree] → place m by m
  std::vector<int> same;       ///< [place] → place
};

/// One translation: turn the direction of the shift to z, shift along z, turn back. O(p³) instead of the O(p⁴) of a
/// dense matrix; White and Head-Gordon, J. Chem. Phys. 105 (1996) 5061.
struct Translation {
  int order = 0;                             ///< degrees beyond it are neither read nor written
  const Layout* layout = nullptr;            ///< of panels of this order; owned by the `Translations`, as all of these
  std::vector<double> cos_m,                 ///< cos mφ, φ the azimuth of the shift, m = 0…order
      sin_m;                                 ///< sin mφ
  const RotationAboutY* rotation = nullptr;  ///< turns the polar angle of the shift to 0
  const ShiftAlongZ* shift = nullptr;        ///< by the length of the shift, in sides of the box
};

/// All translations that an octree needs for one order of expansion. Coefficients are in units of the side s of their
/// own box:
///   multipoles  φ(x) = s⁻¹ Σ M_nm irregular_nm((x − c)/s),     M_nm = Σ_j q_j regular_nm((x_j − c)/s),
///   locals      φ(x) = s⁻¹ Σ L_nm regular_nm((x − c)/s),
/// so that they do not depend on the level.
class Translations {
 public:
  /// `reduced_order(|offset|²)` ≤ order is the order at which boxes so far apart interact.
  template <class ReducedOrder>
  Translations(int order, ReducedOrder reduced_order) : order_(order) {
    for (int k = 0; k < static_cast<int>(offsets); ++k) {
      const Offset offset = offset_of(k);
      const int r2 = offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2];
      if (!adjacent(offset)) add_multipole_to_local(k, offset, reduced_order(r2));
    }
    add_octants();
  }

  int order() const { return order_; }  ///< highest degree of all expansions
  /// Whether the boxes touch, or are the same.
  static bool adjacent(const Offset& o) { return std::abs(o[0]) <= 1 && std::abs(o[1]) <= 1 && std::abs(o[2]) <= 1; }
  /// Number of an offset with components −3…3: 0…342.
  static constexpr std::size_t offsets = 343;
  static int number_of(const Offset& o) { return ((o[0] + 3) * 7 + o[1] + 3) * 7 + o[2] + 3; }  ///< components −3…3
  /// The offset with this number, the reverse of `number_of`.
  static Offset offset_of(int number) { return {number / 49 - 3, number / 7 % 7 - 3, number % 7 - 3}; }

  /// The translation for an offset from source to target box, by the number of the offset.
  const Translation& multipole_to_local(int offset) const { return to_local_[offset]; }
  /// The translation from the child in this octant; bit a is set where it lies on the upper side of axis a.
  const Translation& multipole_to_parent(int octant) const { return to_parent_[octant]; }
  /// The transposed way, with octants as for `multipole_to_parent`.
  const Translation& local_to_child(int octant) const { return to_child_[octant]; }

 private:
  Translation turned_to(const Vec3& direction, int order);
  void add_multipole_to_local(int number, const Offset& offset, int order);
  void add_octants();

  int order_;
  std::map<int, std::unique_ptr<Layout>> layouts_;                               // by order
  std::map<std::pair<double, int>, std::unique_ptr<RotationAboutY>> rotations_;  // by cos θ and order
  std::map<std::pair<int, int>, std::unique_ptr<ShiftAlongZ>> shifts_;           // by |offset|² and order
  std::unique_ptr<ShiftAlongZ> up_, down_;
  std::array<Translation, offsets> to_local_;
  std::array<Translation, 8> to_parent_, to_child_;
};

/// The order of expansion at which the relative L2 error of the field stays below the tolerance for points on surfaces,
/// in space and in clusters, with charges of one sign, mixed and neutral; charges in a regular arrangement may need
/// more (`sample_sums`). Measured; tests/sim/coulomb/test_fmm_accuracy.cpp repeats the measurement, and docs/coulomb.md
/// has the table.
int order_for(double tolerance);

/// The order ≤ `order` at which two boxes |offset|² = r2 box sides apart interact: distant boxes need fewer degrees for
/// the error that the nearest ones (r2 = 4) have with all of them.
int order_at_distance(int order, int r2);

/// What does not depend on the points: all matrices for one order of expansion, and what they cost.
struct Operators {
  /// For expansions of degrees 0…order; takes milliseconds, so prefer `of`.
  explicit Operators(int order);
  /// Made once for each order (milliseconds) and shared by all sums of the process.
  static std::shared_ptr<const Operators> of(int order);

  /// Measured, for expansions of this order.
  static Costs costs_of(int order);

  Translations translations;  ///< between boxes of all offsets that occur
  PointExpansion points;      ///< between points and expansions
  Costs costs;                ///< of expansions of this order

  int order() const { return points.order(); }  ///< highest degree of an expansion
  /// Numbers from one expansion to the next in memory: whole vectors.
  Index stride() const { return (coefficients(order()) + 7) / 8 * 8; }
};

}  // namespace pithball::sim::fmm
