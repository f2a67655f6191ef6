#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "app/base/estimate_text.hpp"
#include "app/base/json_text.hpp"
#include "app/report/fit_sections.hpp"
#include "app/result/json_fields.hpp"
#include "app/run_folder/fit_headline.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// If a value has more parameters than this, they are also plotted, and their correlations are listed instead of drawn.
constexpr std::size_t crowd = 60;
constexpr std::size_t strongest_pairs = 20;

using Parameters = std::vector<optim::FittedParameter>;

std::map<std::string, Parameters> by_value(const Parameters& parameters) {
  std::map<std::string, Parameters> groups;
  for (const optim::FittedParameter& parameter : parameters) groups[parameter.value].push_back(parameter);
  return groups;
}

/// A longer table would make the page slow.
constexpr std::size_t most_table_rows = 500;
/// At most this many of the least certain parameters are named before the table.
constexpr std::size_t most_uncertain = 10;

/// Returns the effect of halving the step, restricted to the listed parameters.
optim::HalvedStep of_listed(const optim::HalvedStep& halved, const Parameters& listed) {
  optim::HalvedStep kept{halved.status, {}, halved.another_minimum};
  for (const optim::FittedParameter& parameter : listed)
    for (const optim::HalvedStep::Change& change : halved.parameters)
      if (change.name == parameter.name) kept.parameters.push_back(change);
  return kept;
}

/// The heading of a table and a remark on it.
struct TableHead {
  const char* title;
  std::string note;
};

Section parameter_table(TableHead head, const Parameters& parameters, const FitRecord& fit) {
  const std::size_t count = parameters.size();
  const Parameters listed(parameters.begin(), parameters.begin() + std::min(count, most_table_rows));
  ordered_json document{{"title", head.title}}, rows = ordered_json::array();
  if (listed.size() < count)
    head.note = fmt::format("The first {} of {}; fit.json lists all.{}{}", listed.size(), count,
                            head.note.empty() ? "" : " ", head.note);
  if (!head.note.empty()) document["note"] = head.note;
  for (const optim::FittedParameter& parameter : listed) rows.push_back(to_json(parameter));
  if (count > most_listed_parameters) document["folded"] = true;
  document["confidence"] = fit.estimates.confidence;
  document["parameters"] = rows;
  if (fit.halved_step) document["halved_step"] = to_json(of_listed(*fit.halved_step, listed));
  return {"parameters", document};
}

ordered_json digest_row(const std::string& of, const FiveNumbers& numbers, const std::string& unit, double factor = 1) {
  ordered_json row{of};
  for (const double number : numbers) row.push_back(quantity_text(factor * number, unit));
  return row;
}

/// Summarizes many parameters: their magnitudes and uncertainties, by value.
Section digest_table(const Parameters& parameters) {
  ordered_json rows = ordered_json::array();
  std::string note;
  for (const ValueDigest& one : digest_parameters(parameters)) {
    rows.push_back(digest_row(one.value, one.estimates, one.unit));
    rows.push_back(digest_row(one.value + ", relative standard error", one.relative_errors, "%", 100));
    note += (note.empty() ? "" : " ") + one.sentence();
  }
  return {"table",
          {{"title", "Summary of the parameters"},
           {"note", note},
           {"columns",
            {{{"label", "value"}},
             {{"label", "least"}},
             {{"label", "lower quartile"}},
             {{"label", "median"}},
             {{"label", "upper quartile"}},
             {{"label", "largest"}}}},
           {"rows", rows}}};
}

Section uncertain_table(const Parameters& parameters, double confidence) {
  ordered_json rows = ordered_json::array();
  for (const std::size_t k : least_certain(parameters, most_uncertain)) {
    const optim::FittedParameter& p = parameters[k];
    const double relative = p.identifiable ? 100 * p.standard_error / std::abs(p.estimate) : not_known;
    rows.push_back({p.name, parameter_headline(p, confidence).substr(p.name.size() + 1), number_or_null(relative)});
  }
  return {"table",
          {{"title", "The least certain parameters"},
           {"columns",
            {{{"label", "parameter"}}, {{"label", "estimate"}}, {{"label", "relative standard error"}, {"unit", "%"}}}},
           {"rows", rows}}};
}

/// Plots many estimates of one value, in order, with their intervals.
Section crowd_plot(const std::string& value, const Parameters& parameters, double confidence) {
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (const optim::FittedParameter& parameter : parameters)
    for (const double number : {parameter.initial, parameter.estimate})
      if (!std::isnan(number)) {
        lowest = std::min(lowest, number);
        highest = std::max(highest, number);
      }
  const double margin = highest - lowest;
  std::size_t left_out = 0;
  const auto shown = [&](double end) {  // very long intervals would compress the rest
    if (std::abs(end - (lowest + highest) / 2) <= 1.5 * margin) return end;
    ++left_out;
    return not_known;
  };
  std::vector<std::size_t> number;
  std::vector<double> initial, estimate, lower, upper;
  for (const optim::FittedParameter& parameter : parameters) {
    number.push_back(number.size());
    initial.push_back(parameter.initial);
    estimate.push_back(parameter.estimate);
    lower.push_back(shown(parameter.interval.lower));
    upper.push_back(shown(parameter.interval.upper));
  }
  std::string note = fmt::format("From {} to {}, in the order of fit.json, which lists them.", parameters.front().name,
                                 parameters.back().name);
  if (left_out > 0)
    note += fmt::format(" {} of {} interval limits are unknown or far outside and are not drawn.", left_out,
                        2 * parameters.size());
  const std::string interval = fmt::format("of the {:g} % interval", 100 * confidence);
  return {"plot",
          {{"title", "Estimates of " + value},
           {"note", note},
           {"time", false},
           {"x", {{"label", "parameter"}, {"unit", ""}, {"values", number}}},
           {"y", {{"label", value}, {"unit", parameters.front().unit}}},
           {"series",
            {{{"label", "start"}, {"values", numbers_or_null(initial)}, {"style", "dashed"}},
             {{"label", "estimate"}, {"values", numbers_or_null(estimate)}, {"style", "points"}},
             {{"label", "lower end " + interval}, {"values", numbers_or_null(lower)}, {"style", "steps"}},
             {{"label", "upper end " + interval}, {"values", numbers_or_null(upper)}, {"style", "steps"}}}}}};
}

using Names = std::vector<std::string>;

Section correlation_map(const Names& names, const Eigen::MatrixXd& correlation) {
  ordered_json values = ordered_json::array();
  for (const auto& row : correlation.rowwise())
    values.push_back(numbers_or_null(std::vector<double>(row.begin(), row.end())));
  return {"heatmap",
          {{"title", "Correlation of the estimates"},
           {"note", "Near 1 or −1, the data determine a combination of the two parameters better than either alone."},
           {"rows", {{"label", "parameter"}, {"names", names}}},
           {"columns", {{"label", "parameter"}, {"names", names}}},
           {"values", values},
           {"unit", ""},
           {"range", {-1, 1}},
           {"diverging", true}}};
}

Section correlation_table(const Names& names, const Eigen::MatrixXd& correlation) {
  struct Pair {
    std::size_t i, j;
    double correlation;
  };
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = i + 1; j < names.size(); ++j)
      if (const double entry = correlation(i, j); !std::isnan(entry)) pairs.push_back({i, j, entry});
  const auto end = pairs.begin() + std::min(pairs.size(), strongest_pairs);
  std::partial_sort(pairs.begin(), end, pairs.end(),
                    [](const Pair& a, const Pair& b) { return std::abs(a.correlation) > std::abs(b.correlation); });
  ordered_json rows = ordered_json::array();
  for (auto pair = pairs.begin(); pair != end; ++pair)
    rows.push_back({names[pair->i], names[pair->j], pair->correlation});
  return {"table",
          {{"title", "Correlation of the estimates"},
           {"note", fmt::format("The {} strongest of {} pairs; fit.json lists all.", rows.size(), pairs.size())},
           {"columns", {{{"label", "parameter"}}, {{"label", "parameter"}}, {{"label", "correlation"}}}},
           {"rows", rows}}};
}

/// Returns a table of parameters; if there are many, after a digest of values with more than five, and plots.
Sections list_parameters(TableHead head, const Parameters& parameters, const FitRecord& fit) {
  Sections sections;
  if (parameters.empty()) return sections;
  if (parameters.size() > most_listed_parameters) {
    if (const Parameters many = separate_by_count(parameters).many; !many.empty())
      sections.push_back(digest_table(many));
    if (!least_certain(parameters, 1).empty())
      sections.push_back(uncertain_table(parameters, fit.estimates.confidence));
  }
  for (const auto& [value, group] : by_value(parameters))
    if (group.size() > crowd) sections.push_back(crowd_plot(value, group, fit.estimates.confidence));
  sections.push_back(parameter_table(std::move(head), parameters, fit));
  return sections;
}

}  // namespace

Sections parameter_sections(const FitRecord& fit) {
  std::string held = fit.estimates.held.sentence();
  if (!held.empty()) held = "H" + held.substr(1) + ".";
  return list_parameters({"Parameters", held}, requested_parameters(fit.estimates.parameters), fit);
}

Sections nuisance_sections(const FitRecord& fit) {
  return list_parameters({"Nuisance parameters", ""}, nuisance_parameters(fit.estimates.parameters), fit);
}

Sections correlation_sections(const FitRecord& fit) {
  Sections sections;
  Names names;
  for (const optim::FittedParameter& parameter : fit.estimates.parameters) names.push_back(parameter.name);
  if (names.size() > crowd)
    sections.push_back(correlation_table(names, fit.estimates.correlation));
  else if (fit.estimates.correlation.rows() > 1)
    sections.push_back(correlation_map(names, fit.estimates.correlation));
  if (fit.estimates.weak_directions.empty()) return sections;
  ordered_json rows = ordered_json::array();
  for (const optim::WeakDirection& direction : fit.estimates.weak_directions)
    rows.push_back({direction.name, number_or_null(direction.relative_singular_value)});
  std::string note =
      "Directions along which the parameters can change together with hardly any change of the simulated markers. "
      "Estimates of these parameters are one choice of many.";
  shorten(rows, note);
  sections.push_back({"table",
                      {{"title", "Parameters that are not identifiable"},
                       {"note", note},
                       {"columns", {{{"label", "direction"}}, {{"label", "singular value, relative to the largest"}}}},
                       {"rows", rows}}});
  return sections;
}

namespace {

/// With more parameters than this, the ellipses would be too small to read.
constexpr std::size_t most_parameters = 6;

/// Returns the indices of the requested parameters that have an interval on both sides.
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
  // For a normal distribution in the plane, P(within k standard deviations) = 1 − exp(−k²/2).
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
