#pragma once
#include <array>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::sim::fmm {

// Real solid harmonics, semi-normalized after Schmidt, without the Condon–Shortley phase:
//   regular    C_nm = N_nm rⁿ P_n^m(cos θ) cos mφ,   S_nm likewise with sin mφ,   N_nm² = (2 − δ_m0)(n − m)!/(n + m)!,
//   irregular  the same over r^(2n+1).
// In this normalization 1/|x − y| = Σ_nm regular_nm(y) irregular_nm(x) for |y| < |x|, and rotations are orthogonal
// within each degree. Coefficients of degrees 0…p lie degree by degree: C_n0 … C_nn, S_n1 … S_nn.

/// Number of coefficients of an expansion with degrees 0…order.
constexpr int coefficients(int order) { return (order + 1) * (order + 1); }
/// Place of C_nm, 0 ≤ m ≤ n.
constexpr int cosine(int n, int m) { return n * n + m; }
/// Place of S_nm, 1 ≤ m ≤ n.
constexpr int sine(int n, int m) { return n * n + n + m; }

/// Those that are finite at the origin, and those that vanish at infinity.
enum class Harmonics { Regular, Irregular };

/// All harmonics up to `order` at one point, by the recurrences in m and n (for tests and small work; the vectorized
/// kernels of harmonics_kernel.hpp use the same recurrences).
Vector harmonics_at(Harmonics kind, int order, const Vec3& x);

/// Coefficients of the recurrences
///   H_mm from H_m−1,m−1:   C_mm = sectoral[m] (x C − y S),   S_mm = sectoral[m] (x S + y C),
///   H_nm = ahead[…] z H_n−1,m − behind[…] r² H_n−2,m,
/// for regular harmonics; irregular ones obey the same with x/r² in place of x and 1/r² in place of r² (Kelvin
/// inversion).
struct Recurrence {
  /// For degrees 0…order, order ≥ 0.
  explicit Recurrence(int order);
  int order;                     ///< highest degree
  std::vector<double> sectoral;  ///< [m], 0…order
  std::vector<double> ahead,     ///< factors of z H_n−1,m, one after another for m = 0…order, n = m + 1…order
      behind;                    ///< factors of r² H_n−2,m, in the same order
};

/// Partial derivatives of harmonics are sums of at most two harmonics of the next degree (lower for regular, higher for
/// irregular ones): ∂_a H_of = Σ weight H_to.
struct Derivatives {
  /// One summand.
  struct Term {
    int of,         ///< place of the harmonic whose derivative is taken
        to;         ///< place of the harmonic of the next degree
    double weight;  ///< factor of the latter
  };
  /// The terms for harmonics of degrees 0…order.
  Derivatives(Harmonics kind, int order);
  std::array<std::vector<Term>, 3> axis;  ///< x, y, z
};

/// The rotation D with H(Qx) = D H(x) for degree n = 1…order and the rotation Q about the y-axis by −θ (which turns the
/// direction (sin θ, 0, cos θ) to z). Such a rotation mixes cosines with cosines and sines with sines.
/// By the recurrence of Ivanic and Ruedenberg, J. Phys. Chem. 100 (1996) 6342, with the corrections in 102 (1998) 9099.
class RotationAboutY {
 public:
  /// For degrees 1…order.
  RotationAboutY(int order, double cos_theta, double sin_theta);
  /// (n+1)×(n+1), row-major: row m, column m'.
  const double* cosines(int n) const { return data_.data() + cosine_start_[n]; }
  /// n×n, row-major: row m − 1, column m' − 1.
  const double* sines(int n) const { return data_.data() + sine_start_[n]; }

 private:
  std::vector<double> data_;
  std::vector<std::size_t> cosine_start_, sine_start_;
};

}  // namespace pithball::sim::fmm
