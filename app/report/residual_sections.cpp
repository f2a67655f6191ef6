#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "app/base/json_text.hpp"
#include "app/report/fit_sections.hpp"
#include "optim/uncertainty/student_t.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// Samples beyond this number of standard deviations are counted individually.
constexpr double far_out = 4;
/// The histogram's bins are so wide, and reach so far, in standard deviations.
constexpr double bin = 0.25, reach = 5;
/// So many points of a Q–Q plot are drawn.
constexpr std::size_t most_points = 500;

/// (recorded − simulated)/σ of all that was fitted, ascending.
std::vector<double> standardized_residuals(const FitResults& fit) {
  std::vector<double> all;
  for (std::size_t s = 0; s < fit.tracks.size(); ++s) {
    const optim::MarkerTracks& tracks = fit.tracks[s];
    for (std::size_t g = 0; g < tracks.times.size(); ++g)
      for (std::size_t m = 0; m < tracks.markers.size(); ++m) {
        if (tracks.part(g, m) != optim::Part::Fit) continue;
        const sim::Vec3 difference = tracks.recorded[g].col(m) - tracks.model[g].col(m);
        for (std::size_t a = 0; a < 3; ++a)
          if (const double z = difference[a] / noise_of(fit, s, m, a); std::isfinite(z)) all.push_back(z);
      }
  }
  std::ranges::sort(all);
  return all;
}

double normal_density(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::acos(-1.0)); }

/// The z below which a standard normal variable is with this probability: t of very many degrees of freedom.
double normal_quantile(double probability) {
  const double z = optim::one_sided_quantile(std::max(probability, 1 - probability), std::numeric_limits<int>::max());
  return probability < 0.5 ? -z : z;
}

/// Share of the samples in each bin over its width, beside the density of a standard normal distribution.
ordered_json histogram(const std::vector<double>& sorted) {
  const std::size_t bins = 2 * reach / bin;
  std::vector<double> middle, density, normal;
  auto from = std::lower_bound(sorted.begin(), sorted.end(), -reach);
  for (std::size_t k = 0; k < bins; ++k) {
    const double low = -reach + bin * k;
    const auto to = std::lower_bound(from, sorted.end(), low + bin);
    middle.push_back(low + bin / 2);
    density.push_back((to - from) / (bin * sorted.size()));
    normal.push_back(normal_density(middle.back()));
    from = to;
  }
  return {{"x", {{"label", "(recorded − simulated)/σ"}, {"unit", ""}, {"values", middle}}},
          {"y", {{"label", "density"}, {"unit", ""}}},
          {"series",
           {{{"label", "residuals"}, {"values", density}, {"style", "bars"}},
            {{"label", "standard normal"}, {"values", normal}, {"style", "line"}}}}};
}

/// The samples over the normal quantiles of Blom's plotting positions (i − 3/8)/(n + 1/4) (Blom 1958, Statistical
/// Estimates and Transformed Beta-Variables, p. 71); of many, those that lie closest together are left out.
ordered_json quantile_plot(const std::vector<double>& sorted) {
  const std::size_t n = sorted.size(), stride = (n + most_points - 1) / most_points, ends = most_points / 8;
  std::vector<double> normal, sample;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % stride != 0 && i >= ends && i + ends < n) continue;
    normal.push_back(normal_quantile((i + 0.625) / (n + 0.25)));
    sample.push_back(sorted[i]);
  }
  return {{"x", {{"label", "quantile of a standard normal distribution"}, {"unit", ""}, {"values", normal}}},
          {"y", {{"label", "(recorded − simulated)/σ"}, {"unit", ""}}},
          {"series",
           {{{"label", "residuals"}, {"values", sample}, {"style", "points"}},
            {{"label", "standard normal"}, {"values", normal}, {"style", "dashed"}}}}};
}

}  // namespace

Sections residual_sections(const FitResults& fit) {
  const std::vector<double> sorted = standardized_residuals(fit);
  if (sorted.size() < 2) return {};
  const auto far = std::ranges::count_if(sorted, [](double z) { return std::abs(z) > far_out; });
  const double expected = sorted.size() * std::erfc(far_out / std::sqrt(2.0));
  const auto outside = std::ranges::count_if(sorted, [](double z) { return std::abs(z) > reach; });
  std::string note = fmt::format(
      "All {} fitted coordinates, each in units of its σ. {} of them {} beyond ± {:g}; normal noise would have {:.2g}.",
      sorted.size(), far, far == 1 ? "lies" : "lie", far_out, expected);
  if (outside > 0) note += fmt::format(" {} beyond ± {:g} are not in the histogram.", outside, reach);
  return {Section{"panels",
                  {{"title", "Distribution of the residuals"},
                   {"note", note},
                   {"panels", {histogram(sorted), quantile_plot(sorted)}}}}};
}

}  // namespace pithball::app
