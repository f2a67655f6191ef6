#include "optim/residual/robust_loss.hpp"

#include <cmath>

namespace pithball::optim {

double RobustLoss::value(double s) const {
  const double a = threshold;
  if (kind == Kind::Huber && s > a * a) return 2 * a * std::sqrt(s) - a * a;
  if (kind == Kind::Cauchy) return a * a * std::log1p(s / (a * a));
  return s;
}

double RobustLoss::derivative(double s) const {
  const double a = threshold;
  if (kind == Kind::Huber && s > a * a) return a / std::sqrt(s);
  if (kind == Kind::Cauchy) return 1 / (1 + s / (a * a));
  return 1;
}

double RobustLoss::bend(double s) const {
  const double a = threshold;
  if (kind == Kind::Huber && s > a * a) return -a / (2 * s * std::sqrt(s));
  if (kind == Kind::Cauchy) return -1 / ((a + s / a) * (a + s / a));
  return 0;
}

std::string to_string(RobustLoss::Kind kind) {
  switch (kind) {
    case RobustLoss::Kind::None:
      return "none";
    case RobustLoss::Kind::Huber:
      return "huber";
    case RobustLoss::Kind::Cauchy:
      return "cauchy";
  }
  return "";
}

}  // namespace pithball::optim
