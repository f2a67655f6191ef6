#pragma once
#include <vector>

#include "sim/coulomb/direct/channels.hpp"
#include "sim/coulomb/fmm/expansion.hpp"

namespace pithball::sim::fmm {

/// One multipole expansion of all charges about the middle of their bounding box, for points outside. Fields of single
/// charges cancel there as exactly as they do in the moments, so that errors are relative to what is left, not to what
/// cancels.
class OuterExpansion {
 public:
  /// Charges [C], N ≥ 1, at x [m], 3×N; ε ≥ 0 [m], whose effect the expansion leaves out.
  OuterExpansion(const Points& x, const Vector& charge, double softening);

  /// Adds field [V/m] and potential [V] at those of the points `at` [m], 3×M, where the degrees that are left out and
  /// the softening change the field by at most 1e-12 of it; returns the other points, ascending.
  ///
  /// With t = R/r < 1, R the radius of the charges, the degrees beyond p have a field of at most
  ///   √2 k_c Σ|q| (p + 2) t^(p+1) / (r² (1 − t)²),
  /// since degree n gives k_c q tⁿ/r² [(n + 1) P_n, sin γ P_n'] along r and across, with |P_n| ≤ 1 and |sin γ P_n'| ≤
  /// n.
  std::vector<Index> add(const Points& at, Points& field, Vector& potential) const;

 private:
  double left_out(double r) const;

  PointExpansion points_;
  Frame frame_;                  // side: R
  direct::Channels multipoles_;  // one channel
  double total_,                 // Σ|q|
      softening_;
};

}  // namespace pithball::sim::fmm
