#include "optim/residual/robust_loss.hpp"

#include <cmath>

namespace pithball::optim {
namespace {

std::vector<LossInfo> built_in_losses() {
  return {
      {"none", "least squares, ρ(s) = s", [](double s, double) { return s; }, [](double, double) { return 1.0; },
       [](double, double) { return 0.0; }},
      {"huber", "ρ(s) = s for s ≤ a², 2a√s − a² beyond",
       [](double s, double a) { return s > a * a ? 2 * a * std::sqrt(s) - a * a : s; },
       [](double s, double a) { return s > a * a ? a / std::sqrt(s) : 1; },
       [](double s, double a) { return s > a * a ? -a / (2 * s * std::sqrt(s)) : 0; }},
      {"cauchy", "ρ(s) = a² log(1 + s/a²)", [](double s, double a) { return a * a * std::log1p(s / (a * a)); },
       [](double s, double a) { return 1 / (1 + s / (a * a)); },
       [](double s, double a) { return -1 / ((a + s / a) * (a + s / a)); }},
  };
}

}  // namespace

sim::Registry<LossInfo>& losses() {
  static sim::Registry<LossInfo> registry("fit.residual.loss", built_in_losses());
  return registry;
}

RobustLoss::RobustLoss(const std::string& name, double threshold)
    : function_(&losses().at(name)), threshold_(threshold) {}

bool RobustLoss::is_robust() const { return function_ != &losses().front(); }

RobustLoss RobustLoss::scaled(double factor) const {
  RobustLoss other = *this;
  other.threshold_ *= factor;
  return other;
}

}  // namespace pithball::optim
