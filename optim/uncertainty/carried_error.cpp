#include "optim/uncertainty/carried_error.hpp"

#include <cmath>

namespace pithball::optim {

void carry_error(const Eigen::MatrixXd& added, Uncertainty& u) {
  if (!std::isfinite(u.scale.s)) return;
  const Index P = u.standard_error.size();
  u.covariance += added;  // rows that are not known stay NaN
  for (Index k = 0; k < P; ++k) {
    if (!u.identifiable[k]) continue;
    u.standard_error[k] = std::sqrt(u.covariance(k, k));
    u.half_width[k] = u.scale.quantile * u.standard_error[k];
  }
  for (Index a = 0; a < P; ++a)
    for (Index b = 0; b < P; ++b)
      if (a != b && u.identifiable[a] && u.identifiable[b] && u.covariance(a, a) > 0 && u.covariance(b, b) > 0)
        u.correlation(a, b) = u.covariance(a, b) / std::sqrt(u.covariance(a, a) * u.covariance(b, b));
}

}  // namespace pithball::optim
