#include "sim/integrator/substep_count.hpp"

#include <cmath>
#include <limits>
#include <string>

namespace pithball::sim {

Index read_substep_count(Settings& settings, std::string_view key, std::string_view meaning, Index fallback) {
  constexpr Index most = 1'000'000;
  const Index count = settings.integer(key, std::string(meaning) + "; at most " + std::to_string(most), fallback);
  if (count < 1 || count > most)
    settings.reject(key, "must be 1 to " + std::to_string(most), std::to_string(count),
                    "omit it for " + std::to_string(fallback));
  return count;
}

double read_max_step(Settings& settings) {
  const double max_step =
      settings.number("max_step", "s",
                      "longest substep, for pulses too narrow to be seen (docs/integrators.md); default: the time step",
                      std::numeric_limits<double>::quiet_NaN(), ValueSign::Positive);
  return std::isnan(max_step) ? std::numeric_limits<double>::infinity() : max_step;
}

}  // namespace pithball::sim
