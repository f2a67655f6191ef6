#pragma once
#include <cstddef>
#include <cstdint>

namespace pithball::sim {

/// The rows of `SymmetricSweeps`, by places.
struct SweepRows {
  const double* entries;              ///< of each off-diagonal block: xx, xy, yy, xz, yz, zz of its symmetric part
  const double* skew;                 ///< a of its skew part [a]×, or null
  const double *diagonal,             ///< D of each place
      *inverse;                       ///< D⁻¹ of each place
  const std::int32_t* column;         ///< place of each entry's column
  const std::ptrdiff_t* lower_begin;  ///< first entry of each row with an earlier place, and the end of the last row
  const std::ptrdiff_t* upper_begin;  ///< the same for later places
  double relaxation;                  ///< ω
};

/// Number of systems that a panel holds: the vectors of several systems side by side, of each place x of every system,
/// then y, then z. Sums have a number for each system.
constexpr std::ptrdiff_t panel_width = 8;

/// The iterates of `SymmetricSweeps`, which solve several systems in the lanes of a processor.
struct SweepPanels {
  double *r,            ///< panel of r̃
      *p,               ///< of p̂
      *direction,       ///< of p
      *s,               ///< of s
      *x;               ///< of x
  const double *alpha,  ///< a number for each system: of the last update
      *beta;            ///< of the next direction
};
/// Sums to which the places of a chunk are added, a number for each system; with q = p + s.
struct PanelSums {
  double *pq,  ///< p̂ᵀ D q
      *rq,     ///< r̃ᵀ D q
      *qq,     ///< qᵀ D q
      *rr;     ///< r̃ᵀ D r̃
};

/// r ← (D + L)⁻¹ r, forward; here and below for the places begin <= i < end.
void solve_lower_panel(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, double* r);
/// x ← x + α p and r̃ ← r̃ − α (p + s); adds to rr.
void advance_panel(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const SweepPanels& v,
                   const PanelSums& sums);
/// The same, and from it p̂ ← r̃ + β p̂ and p, backward.
void next_direction_panel(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const SweepPanels& v,
                          const PanelSums& sums);
/// s, forward; adds to pq, rq and qq.
void multiply_panel(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const SweepPanels& v,
                    const PanelSums& sums);
/// Adds |(D + L) r|² to squares.
void add_residual_panel(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const double* r, double* squares);
/// b ← b − A x.
void subtract_product_panel(const SweepRows& A, std::ptrdiff_t begin, std::ptrdiff_t end, const double* x, double* b);

}  // namespace pithball::sim
