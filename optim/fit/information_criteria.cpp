#include "optim/fit/information_criteria.hpp"

#include <algorithm>
#include <cmath>

namespace pithball::optim {

double count_independent(double coordinates, const ErrorReport& errors, double squared_scale) {
  const double rho = std::max(0.0, errors.autocorrelation), color = (1 + rho) / (1 - rho);
  const double ratio = errors.mean_ratio * errors.mean_ratio / squared_scale;
  return coordinates / std::max(1.0, std::isfinite(ratio) ? ratio : color);
}

InformationCriteria compute_criteria(const ComparedData& data, double chi_square, double parameters) {
  const double k = data.values(parameters), n = data.effective;
  const double deviance =
      data.known_sigma ? chi_square * n / data.coordinates : n * std::log(chi_square / data.coordinates);
  InformationCriteria found;
  found.bic = deviance + k * std::log(n);
  if (n > k + 1) found.aicc = deviance + 2 * k + 2 * k * (k + 1) / (n - k - 1);
  return found;
}

}  // namespace pithball::optim
