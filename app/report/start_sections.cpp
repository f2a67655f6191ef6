#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/report/fit_sections.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// A rise of χ² by less than this tells nothing; a logarithmic axis ends there.
constexpr double floor_of_rise = 1e-3;
/// So many minima have a colour of their own.
constexpr std::size_t most_groups = 6;

/// Whether two searches ended at one minimum: no parameter differs by more than 3 standard errors. Where errors or
/// values are not known, by their costs alone, to a thousandth.
bool is_same(const FitRecord& fit, const FitMinimum& a, const FitMinimum& b) {
  bool is_compared = false;
  if (a.parameters.size() == b.parameters.size() && a.parameters.size() == fit.parameters.size())
    for (std::size_t k = 0; k < a.parameters.size(); ++k) {
      const double error = fit.parameters[k].standard_error;
      if (!(std::isfinite(error) && error > 0)) continue;
      is_compared = true;
      if (std::abs(a.parameters[k].second - b.parameters[k].second) > 3 * error) return false;
    }
  return is_compared || std::abs(a.cost - b.cost) <= 1e-3 * std::abs(a.cost);
}

/// Searches by the minimum that they ended at, those of the best first.
std::vector<std::vector<std::size_t>> groups_of(const FitRecord& fit, const std::vector<FitMinimum>& minima) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t k = 0; k < minima.size(); ++k) {
    const auto own =
        std::ranges::find_if(groups, [&](const auto& group) { return is_same(fit, minima[group.front()], minima[k]); });
    if (own == groups.end())
      groups.push_back({k});
    else
      own->push_back(k);
  }
  return groups;
}

}  // namespace

Sections start_sections(const FitRecord& fit) {
  if (fit.search.empty() || fit.search.back().minima.size() < 2) return {};
  std::vector<FitMinimum> minima = fit.search.back().minima;
  const std::size_t all = minima.size();
  std::erase_if(minima, [](const FitMinimum& minimum) { return !std::isfinite(minimum.cost); });
  if (minima.size() < 2) return {};
  std::ranges::stable_sort(minima, {}, &FitMinimum::cost);
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < minima.size(); ++k) places.push_back(k + 1);
  const auto groups = groups_of(fit, minima);
  ordered_json series = ordered_json::array();
  for (std::size_t g = 0; g < std::min(groups.size(), most_groups); ++g) {
    const bool is_rest = g + 1 == most_groups && groups.size() > most_groups;
    ordered_json values(minima.size(), nullptr);
    std::size_t count = 0;
    for (std::size_t other = g; other < (is_rest ? groups.size() : g + 1); ++other)
      for (const std::size_t k : groups[other]) {
        values[k] = std::max(floor_of_rise, 2 * (minima[k].cost - minima.front().cost));
        ++count;
      }
    const std::string name = is_rest  ? fmt::format("{} other minima", groups.size() - g)
                             : g == 0 ? "best minimum"
                                      : fmt::format("minimum {}", g + 1);
    series.push_back({{"label", fmt::format("{} ({} of {} searches)", name, count, minima.size())},
                      {"values", values},
                      {"style", "points"}});
  }
  std::string note = fmt::format(
      "Where the searches of the last stage ended, in order: how far χ² is above that of the best one; less than {:g} "
      "stands at {:g}. Searches whose values differ by no more than 3 standard errors have one colour.",
      floor_of_rise, floor_of_rise);
  if (minima.size() < all) note += fmt::format(" {} of {} searches failed.", all - minima.size(), all);
  return {Section{"plot",
                  {{"title", "Searches from all starts"},
                   {"note", note},
                   {"x", {{"label", "search, best first"}, {"unit", ""}, {"values", places}}},
                   {"y", {{"label", "rise of χ²"}, {"unit", ""}, {"log", true}}},
                   {"series", series}}}};
}

}  // namespace pithball::app
