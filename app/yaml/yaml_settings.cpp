#include "app/yaml/yaml_settings.hpp"

#include <fmt/format.h>

#include "app/yaml/field_table.hpp"
#include "sim/field/analytic_field.hpp"
#include "sim/field/analytic_potential.hpp"

namespace pithball::app {

std::shared_ptr<const sim::VectorField> read_field(Node& node, std::string_view key, std::string_view unit,
                                                   std::string_view meaning, std::optional<Vec3> fallback) {
  if (node.describing()) {
    const std::string type = fmt::format(
        "{{uniform: [x, y, z]}}, {{expression: [\"…\", \"…\", \"…\"]}} in x, y, z, t or {{table: …}} [{}]", unit);
    node.document(key, type,
                  fallback ? fmt::format("[{}, {}, {}]", (*fallback)[0], (*fallback)[1], (*fallback)[2]) : "required",
                  meaning);
    Node table = node.form(key);
    read_tabulated_field(table, unit);
    return std::make_shared<sim::UniformField>(fallback.value_or(Vec3::UnitZ()));
  }
  Node field = node.form(key);
  if (!field.tree() && fallback) return std::make_shared<sim::UniformField>(*fallback);
  if (field.is_list()) return std::make_shared<sim::UniformField>(field.vector("", unit, meaning));
  if (field.is_map() && field.is_written("expression")) {
    const auto texts = field.texts("expression", meaning);
    if (texts.size() != 3)
      field.refuse("expression", "must be three expressions, one for each component", fmt::format("{}", texts.size()),
                   "write [\"…\", \"…\", \"…\"]");
    return field.located("expression", [&] {
      return std::make_shared<sim::AnalyticField>(std::array<std::string, 3>{texts[0], texts[1], texts[2]});
    });
  }
  if (field.is_map() && field.is_written("table")) return read_tabulated_field(field, unit);
  return std::make_shared<sim::UniformField>(field.vector("uniform", unit, meaning));
}

std::shared_ptr<const sim::VectorField> YamlSettings::field(std::string_view key, std::string_view unit,
                                                            std::string_view meaning, std::optional<Vec3> fallback) {
  return read_field(node_, key, unit, meaning, fallback);
}

std::shared_ptr<const sim::PotentialField> YamlSettings::potential(std::string_view key, std::string_view meaning) {
  const std::string expression = node_.text(key, meaning);
  if (node_.describing()) return std::make_shared<sim::AnalyticPotential>("0");
  return node_.located(key, [&] { return std::make_shared<sim::AnalyticPotential>(expression); });
}

std::shared_ptr<const sim::RadialExpression> YamlSettings::radial(std::string_view key, std::string_view unit,
                                                                  std::string_view meaning) {
  if (node_.describing()) {
    node_.document(key, fmt::format("expression in r [{}]", unit), "required", meaning);
    return std::make_shared<sim::RadialExpression>("r");
  }
  const std::string expression = node_.text(key, meaning);
  return node_.located(key, [&] { return std::make_shared<sim::RadialExpression>(expression); });
}

}  // namespace pithball::app
