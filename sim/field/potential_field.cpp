#include "sim/field/potential_field.hpp"

#include <string>

#include "sim/core/settings.hpp"
#include "sim/field/analytic_potential.hpp"

namespace pithball::sim {

std::shared_ptr<const PotentialField> ask_potential(Settings& settings, std::string_view key,
                                                    std::string_view meaning) {
  const std::string expression = settings.text(key, "", meaning);
  if (settings.describing()) return std::make_shared<AnalyticPotential>("0");
  return settings.located(key, [&] { return std::make_shared<AnalyticPotential>(expression); });
}

}  // namespace pithball::sim
