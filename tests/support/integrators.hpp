#pragma once
// Integrators as tests of orders and derivatives want them.
#include <cmath>

#include "sim/check/observed_order.hpp"
#include "sim/core/default_settings.hpp"

namespace pithball::tests {

using sim::order_margin;
using sim::uncontrolled;

/// Answers tolerances so that an embedded pair of any order makes a few substeps of a usual step, and the part of the
/// approach of charges likewise; everything else by its fallback.
class FewSubsteps final : public sim::DefaultSettings {
 public:
  explicit FewSubsteps(int order) : tolerance_(std::pow(10, -1.5 * order)) {}
  double number(std::string_view key, std::string_view unit, std::string_view meaning, std::optional<double> fallback,
                sim::ValueSign sign) override {
    if (key == "safety_factor") return 0.02;
    const bool tolerance = key.find("tolerance") != std::string_view::npos;
    return tolerance ? tolerance_ : DefaultSettings::number(key, unit, meaning, fallback, sign);
  }

 private:
  double tolerance_;
};

/// The integrator with few substeps if it is adaptive: its derivative need not be shown a hundred of them a hundred
/// times.
inline sim::IntegratorChoice few_substeps(const std::string& name) {
  FewSubsteps settings(sim::IntegratorChoice(name).info().position_order);
  return {name, settings};
}

/// A step for runs that show an order: errors of high order need longer steps to stand far above rounding, those of
/// first order shorter ones to follow their leading term. `second`: the step for second order.
inline double step_for_order(int order, double second) {
  return second * (order == 1 ? 0.25 : order == 2 ? 1 : order == 3 ? 5 : 10);
}

}  // namespace pithball::tests
