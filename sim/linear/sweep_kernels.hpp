#pragma once
#include <cstddef>
#include <cstdint>

namespace pithball::sim {

/// Number of systems in a panel: the vectors of several systems side by side, of each place x of every system, then y,
/// then z. Sums have a number for each system.
constexpr std::ptrdiff_t panel_width = 8;
/// Numbers of a place in the vector of one system, x, y, z and one without meaning, or in a panel.
constexpr std::ptrdiff_t place_size(std::ptrdiff_t systems) { return systems == 1 ? 4 : 3 * systems; }

/// The rows of `SymmetricSweeps`, by places.
struct SweepRows {
  const double* pairs;                ///< of each pair's block: xx, xy, yy, xz, yz, zz of its symmetric part
  const double* skew;                 ///< a of its skew part [a]×, or null
  const double* diagonal;             ///< D of each place
  const double* inverse;              ///< D⁻¹ of each place
  const std::ptrdiff_t* lower_begin;  ///< first pair of each row with an earlier place, and the number of pairs
  const std::int32_t* lower_column;   ///< that earlier place
  const std::ptrdiff_t* upper_begin;  ///< first entry of each row's later places, and the number of pairs
  const std::int32_t* upper_column;   ///< these later places
  const std::int32_t* upper_pair;     ///< their pairs, of which the row has the transposed blocks
  double relaxation;                  ///< ω
};

/// The iterates of conjugate gradients in Eisenstat's form.
struct SweepIterates {
  double *r,            ///< r̃
      *p,               ///< p̂
      *direction,       ///< p
      *s,               ///< s
      *x;               ///< x
  const double *alpha,  ///< a number for each system: of the last update
      *beta;            ///< of the next direction
};
/// Sums to which places are added; with q = p + s.
struct SweepProducts {
  double *pq,  ///< p̂ᵀ D q
      *rq,     ///< r̃ᵀ D q
      *qq,     ///< qᵀ D q
      *rr;     ///< r̃ᵀ D r̃
};

/// Sweeps over the places begin <= i < end, for vectors of one layout and the instruction set of this processor.
struct SweepKernels {
  using Rows = const SweepRows&;                                 ///< A
  using Iterates = const SweepIterates&;                         ///< iterates at all places
  using Products = const SweepProducts&;                         ///< sums to which the places are added
  using Place = std::ptrdiff_t;                                  ///< the number of a place
  void (*solve_lower)(Rows, Place begin, Place end, double* r);  ///< r ← (D + L)⁻¹ r, forward
  void (*solve_upper)(Rows, Place begin, Place end, double* r);  ///< r ← r − D⁻¹ U r, backward
  /// x ← x + α p and r̃ ← r̃ − α (p + s); adds to rr.
  void (*advance)(Rows, Place begin, Place end, Iterates, Products);
  /// The same, and from it p̂ ← r̃ + β p̂ and p, backward.
  void (*next_direction)(Rows, Place begin, Place end, Iterates, Products);
  /// s, forward; adds to pq, rq and qq.
  void (*multiply)(Rows, Place begin, Place end, Iterates, Products);
  /// Adds |(D + L) r|² to squares.
  void (*add_residual)(Rows, Place begin, Place end, const double* r, double* squares);
  /// b ← b − A x.
  void (*subtract_product)(Rows, Place begin, Place end, const double* x, double* b);
};

/// For vectors of one system, or panels of `panel_width` systems.
const SweepKernels& sweep_kernels(std::ptrdiff_t systems);

}  // namespace pithball::sim
