#include "optim/uncertainty/tail_probability.hpp"

#include <cmath>
#include <unsupported/Eigen/SpecialFunctions>

namespace pithball::optim {

double f_tail(double f, double q, double degrees) {
  if (std::isnan(f)) return NAN;
  if (!(f > 0)) return 1;
  if (std::isinf(f)) return 0;
  return Eigen::numext::betainc(degrees / 2, q / 2, degrees / (degrees + q * f));
}

}  // namespace pithball::optim
