#include <fmt/format.h>

#include <cmath>

#include "app/base/json_text.hpp"
#include "app/report/fit_sections.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// Ellipses of more parameters than this are too small to be read.
constexpr std::size_t most_parameters = 6;

/// Numbers of the parameters that were asked for and have an interval on both sides.
std::vector<std::size_t> drawn_parameters(const FitRecord& fit) {
  std::vector<std::size_t> drawn;
  for (std::size_t k = 0; k < fit.estimates.parameters.size(); ++k) {
    const optim::FittedParameter& p = fit.estimates.parameters[k];
    const bool has_error =
        std::isfinite(p.standard_error) && p.standard_error > 0 && p.identifiable && !p.interval.at_bound;
    if (!p.scope.is_nuisance && has_error && std::isnan(p.interval.upper_limit)) drawn.push_back(k);
  }
  return drawn;
}

std::size_t asked_for(const FitRecord& fit) {
  std::size_t count = 0;
  for (const optim::FittedParameter& p : fit.estimates.parameters) count += p.scope.is_nuisance ? 0 : 1;
  return count;
}

ordered_json way(const FitRecord& fit, const std::vector<std::size_t>& drawn) {
  ordered_json points = ordered_json::array();
  for (const sim::Vector& all : fit.search.path) {
    std::vector<double> point;
    for (const std::size_t k : drawn) point.push_back(all[k]);
    points.push_back(numbers_or_null(point));
  }
  return points;
}

}  // namespace

Sections confidence_sections(const FitRecord& fit) {
  if (fit.estimates.correlation.size() == 0 || asked_for(fit) > most_parameters) return {};
  const std::vector<std::size_t> drawn = drawn_parameters(fit);
  if (drawn.size() < 2) return {};
  ordered_json parameters = ordered_json::array(), correlation = parameters;
  for (const std::size_t k : drawn) {
    const optim::FittedParameter& p = fit.estimates.parameters[k];
    parameters.push_back(
        {{"name", p.name}, {"unit", p.unit}, {"estimate", p.estimate}, {"standard_error", p.standard_error}});
    std::vector<double> row;
    for (const std::size_t j : drawn) row.push_back(fit.estimates.correlation(k, j));
    correlation.push_back(numbers_or_null(row));
  }
  // Of a normal distribution in the plane P(within k standard deviations) = 1 − exp(−k²/2).
  const double radius = std::sqrt(-2 * std::log1p(-fit.estimates.confidence));
  const std::string note = fmt::format(
      "Below the diagonal: {:g} % confidence region of each pair of parameters (from standard errors and correlation "
      "of the linearized fit, so that curved regions are not shown), and the end of the search. Above the diagonal: "
      "the whole search, from its start (ring) to the estimate (dot). On the diagonal: each parameter with its {:g} % "
      "interval.",
      100 * fit.estimates.confidence, 100 * fit.estimates.confidence);
  return {Section{"corner",
                  {{"title", "Confidence regions"},
                   {"note", note},
                   {"radius", radius},
                   {"parameters", parameters},
                   {"correlation", correlation},
                   {"path", way(fit, drawn)}}}};
}

}  // namespace pithball::app
