#include "sim/field/asked_field.hpp"

#include <string>

#include "sim/core/settings.hpp"
#include "sim/core/text.hpp"
#include "sim/field/analytic_field.hpp"
#include "sim/field/tabulated_field.hpp"
#include "sim/field/vector_in_time.hpp"

namespace pithball::sim {

std::shared_ptr<const VectorField> ask_field(Settings& settings, std::string_view key, std::string_view unit,
                                             std::string_view meaning, std::optional<Vec3> fallback) {
  using Written = Settings::Written;
  const std::unique_ptr<Settings> field = settings.below(key);
  if (settings.describing()) {
    const auto shown = [](const Vec3& v) {
      return "[" + to_text(v[0]) + ", " + to_text(v[1]) + ", " + to_text(v[2]) + "]";
    };
    settings.document(key,
                      "{uniform: [x, y, z]}, {expression: [\"…\", \"…\", \"…\"]} in x, y, z, t or {table: …} [" +
                          std::string(unit) + "]",
                      fallback ? shown(*fallback) : "required", meaning);
    ask_tabulated_field(*field, unit);
    return std::make_shared<UniformField>(fallback.value_or(Vec3::UnitZ()));
  }
  const Written form = field->written("");
  if (form <= Written::NoValue && fallback) return std::make_shared<UniformField>(*fallback);
  if (form == Written::List) return std::make_shared<UniformField>(field->vector("", unit, meaning));
  if (form == Written::Mapping && field->written("expression") != Written::Nothing)
    return ask_three_expressions<AnalyticField>(*field, unit, meaning);
  if (form == Written::Mapping && field->written("table") != Written::Nothing) return ask_tabulated_field(*field, unit);
  return std::make_shared<UniformField>(field->vector("uniform", unit, meaning));
}

std::shared_ptr<const PotentialField> ask_potential(Settings& settings, std::string_view key,
                                                    std::string_view meaning) {
  const std::string expression = settings.text(key, "", meaning);
  if (settings.describing()) return std::make_shared<AnalyticPotential>("0");
  return settings.located(key, [&] { return std::make_shared<AnalyticPotential>(expression); });
}

}  // namespace pithball::sim
