#include "sim/field/radial_expression.hpp"

#include "sim/core/settings.hpp"
#include "sim/field/expression_grammar.hpp"

namespace pithball::sim {
namespace {

std::array<ExpressionVariable, 1> one_variable(std::span<const double> r) { return {{{r.data(), 1}}}; }

}  // namespace

std::shared_ptr<const RadialExpression> ask_radial(Settings& settings, std::string_view key, std::string_view unit,
                                                   std::string_view meaning) {
  if (settings.describing()) {
    settings.document(key, "expression in r [" + std::string(unit) + "]", "required", meaning);
    return std::make_shared<RadialExpression>("r");
  }
  const std::string expression = settings.text(key, unit, meaning);
  return settings.located(key, [&] { return std::make_shared<RadialExpression>(expression); });
}

RadialExpression::RadialExpression(std::string expression)
    : expression_(std::move(expression)), program_(compile_expression(expression_, {"r"})) {}

void RadialExpression::compute_values(std::span<const double> r, std::span<double> out) const {
  program_.evaluate<double>(one_variable(r), std::ssize(r), [&](Index k, double U) { out[k] = U; });
}

void RadialExpression::compute_slopes(std::span<const double> r, std::span<double> out) const {
  program_.evaluate<sim::Jet<1, 1>>(one_variable(r), std::ssize(r),
                                    [&](Index k, const sim::Jet<1, 1>& U) { out[k] = U.first(0); });
}

void RadialExpression::compute_jets(std::span<const double> r, std::span<Jet> out) const {
  program_.evaluate<sim::Jet<1, 2>>(one_variable(r), std::ssize(r), [&](Index k, const sim::Jet<1, 2>& U) {
    out[k] = {U.value(), U.first(0), U.second(0, 0)};
  });
}

double RadialExpression::value(double r) const {
  double value;
  compute_values({&r, 1}, {&value, 1});
  return value;
}

double RadialExpression::slope(double r) const {
  double slope;
  compute_slopes({&r, 1}, {&slope, 1});
  return slope;
}

RadialExpression::Jet RadialExpression::jet(double r) const {
  Jet jet;
  compute_jets({&r, 1}, {&jet, 1});
  return jet;
}

}  // namespace pithball::sim
