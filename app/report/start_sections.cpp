#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "app/report/fit_sections.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// A rise of χ² below this has no meaning; a logarithmic axis ends there.
constexpr double floor_of_rise = 1e-3;
/// So many minima have a color of their own.
constexpr std::size_t most_groups = 6;

/// Whether two searches ended at one minimum: no parameter differs by more than 3 standard errors. Where errors or
/// values are not known, by their costs alone, to a thousandth.
bool is_same(const FitRecord& fit, const optim::FitMinimum& a, const optim::FitMinimum& b) {
  bool is_compared = false;
  if (a.parameters.size() == b.parameters.size() && a.parameters.size() == fit.estimates.parameters.size())
    for (std::size_t k = 0; k < a.parameters.size(); ++k) {
      const double error = fit.estimates.parameters[k].standard_error;
      if (!(std::isfinite(error) && error > 0)) continue;
      is_compared = true;
      if (std::abs(a.parameters[k].second - b.parameters[k].second) > 3 * error) return false;
    }
  return is_compared || std::abs(a.cost - b.cost) <= 1e-3 * std::abs(a.cost);
}

/// Searches that ended at one minimum.
struct MinimumGroup {
  std::vector<std::size_t> searches;
  Index place = -1;  ///< as in optim::FitMinimum
};

/// Searches by the minimum that they ended at, those of the best first: by the place that the fit found, elsewhere by
/// their values.
std::vector<MinimumGroup> groups_of(const FitRecord& fit, const std::vector<optim::FitMinimum>& minima) {
  std::vector<MinimumGroup> groups;
  for (std::size_t k = 0; k < minima.size(); ++k) {
    const optim::FitMinimum& mine = minima[k];
    const auto own = std::ranges::find_if(groups, [&](const MinimumGroup& group) {
      return group.place == mine.place && (mine.place >= 0 || is_same(fit, minima[group.searches.front()], mine));
    });
    if (own == groups.end())
      groups.push_back({{k}, mine.place});
    else
      own->searches.push_back(k);
  }
  std::ranges::stable_sort(groups, {}, [](const MinimumGroup& group) {
    return group.place >= 0 ? group.place : std::numeric_limits<Index>::max();
  });
  return groups;
}

/// What to call the g-th group. Fits without standard errors know no places.
std::string name_of(const std::vector<MinimumGroup>& groups, std::size_t g) {
  const bool is_placed = groups.front().place >= 0;
  if (groups[g].place == 0) return "at the estimate";
  if (groups[g].place > 0) return fmt::format("at alternative {}, as good", groups[g].place);
  if (g == 0) return "best minimum";
  return fmt::format("{}minimum {}", is_placed ? "elsewhere: " : "", g + 1);
}

}  // namespace

Sections start_sections(const FitRecord& fit) {
  if (fit.search.stages.empty() || fit.search.stages.back().minima.size() < 2) return {};
  std::vector<optim::FitMinimum> minima = fit.search.stages.back().minima;
  const std::size_t all = minima.size();
  std::erase_if(minima, [](const optim::FitMinimum& minimum) { return !std::isfinite(minimum.cost); });
  if (minima.size() < 2) return {};
  std::ranges::stable_sort(minima, {}, &optim::FitMinimum::cost);
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < minima.size(); ++k) places.push_back(k + 1);
  const auto groups = groups_of(fit, minima);
  ordered_json series = ordered_json::array();
  for (std::size_t g = 0; g < std::min(groups.size(), most_groups); ++g) {
    const bool is_rest = g + 1 == most_groups && groups.size() > most_groups;
    ordered_json values(minima.size(), nullptr);
    std::size_t count = 0;
    for (std::size_t other = g; other < (is_rest ? groups.size() : g + 1); ++other)
      for (const std::size_t k : groups[other].searches) {
        values[k] = std::max(floor_of_rise, 2 * (minima[k].cost - minima.front().cost));
        ++count;
      }
    const std::string name = is_rest ? fmt::format("{} other minima", groups.size() - g) : name_of(groups, g);
    series.push_back({{"label", fmt::format("{} ({} of {} searches)", name, count, minima.size())},
                      {"values", values},
                      {"style", "points"}});
  }
  std::string note = fmt::format(
      "Results of the searches of the last stage, in order: increase of χ² over the best one; values below {:g} are "
      "drawn at {:g}. Searches whose values differ by at most 3 standard errors have the same color.",
      floor_of_rise, floor_of_rise);
  if (groups.front().place >= 0)
    note +=
        " Alternatives are other estimates, which the recordings do not distinguish from this one; what ended "
        "elsewhere is "
        "worse, or no minimum.";
  if (minima.size() < all) note += fmt::format(" {} of {} searches failed.", all - minima.size(), all);
  return {Section{"plot",
                  {{"title", "Searches from all starts"},
                   {"note", note},
                   {"x", {{"label", "search, best first"}, {"unit", ""}, {"values", places}}},
                   {"y", {{"label", "increase of χ²"}, {"unit", ""}, {"log", true}}},
                   {"series", series}}}};
}

}  // namespace pithball::app
