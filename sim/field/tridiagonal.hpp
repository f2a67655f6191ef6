#pragma once
#include "sim/core/types.hpp"

namespace pithball::sim {

/// Solves l_k u_{k−1} + d_k u_k + r_k u_{k+1} = b_k by elimination without pivoting (Thomas 1949), stable for |d_k| ≥
/// |l_k| + |r_k|, as for splines. All arguments have the same length; l_0 and the last r are ignored.
inline Vector solve_tridiagonal(const Vector& l, Vector d, const Vector& r, Vector b) {
  const Index n = d.size();
  for (Index k = 1; k < n; ++k) {
    const double factor = l[k] / d[k - 1];
    d[k] -= factor * r[k - 1];
    b[k] -= factor * b[k - 1];
  }
  for (Index k = n - 1; k >= 0; --k) b[k] = (b[k] - (k + 1 < n ? r[k] * b[k + 1] : 0)) / d[k];
  return b;
}

}  // namespace pithball::sim
