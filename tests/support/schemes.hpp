#pragma once
// Schemes as tests of orders want them.
#include <algorithm>
#include <limits>

#include "sim/core/default_settings.hpp"
#include "sim/integrator/scheme.hpp"

namespace pithball::tests {

/// Answers tolerances by infinity, and everything else by its fallback.
class EverythingTolerated final : public sim::DefaultSettings {
 public:
  double number(std::string_view key, std::string_view unit, std::string_view meaning,
                std::optional<double> fallback) override {
    const bool tolerance = key.find("tolerance") != std::string_view::npos;
    return tolerance ? std::numeric_limits<double>::infinity() : DefaultSettings::number(key, unit, meaning, fallback);
  }
};

/// The scheme without step control: every step is one substep, so that the step alone decides about the error.
inline sim::Scheme uncontrolled(const std::string& name) {
  EverythingTolerated settings;
  return {name, settings};
}

/// A step for runs that show an order: errors of high order need longer steps to stand far above rounding, those of
/// first order shorter ones to follow their leading term. `second`: the step for second order.
inline double step_for_order(int order, double second) {
  return second * (order == 1 ? 0.25 : order == 2 ? 1 : order == 3 ? 5 : 10);
}

/// By how much an observed order may fall short of the stated one: the next term of the error's expansion.
inline double order_margin(int order) { return 0.12 * order; }

}  // namespace pithball::tests
