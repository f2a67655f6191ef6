#include "optim/search/start_points.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "sim/core/error.hpp"

namespace pithball::optim {
namespace {

/// A parameter at a share, 0 to 1, of its range.
double point_of_range(const ParameterInfo& info, double lower, double upper, double factor, double share) {
  if (std::isfinite(lower) && std::isfinite(upper)) return lower + share * (upper - lower);
  const double p = info.initial * std::pow(factor, 2 * share - 1);
  return std::clamp(info.transform.theta(p), lower, upper);
}

}  // namespace

std::vector<Vector> make_start_points(const ParameterMap& map, const SearchStarts& starts) {
  const auto reject_starts = [](const std::string& what, const std::string& required, double got,
                                const std::string& remedy) {
    throw InvalidArgument({"", what, required, std::to_string(got), remedy});
  };
  constexpr Index most = 100'000;  // each is a search
  if (starts.count < 1 || starts.count > most)
    reject_starts("starts.count", "must be from 1 to " + std::to_string(most), starts.count, "");
  if (!(starts.factor > 1) || !std::isfinite(starts.factor))
    reject_starts("starts.factor", "must be > 1", starts.factor, "write 3");
  const Vector lower = map.lower(), upper = map.upper(), initial = map.initial();
  std::vector<Vector> points(starts.count, initial);
  if (starts.count == 1) return points;
  std::mt19937_64 random(starts.seed);
  const auto uniform = [&] { return ((random() >> 11) + 0.5) * 0x1p-53; };
  const std::size_t drawn = starts.count - 1;
  std::vector<std::size_t> part(drawn);
  for (Index k = 0; k < map.size(); ++k) {
    const ParameterInfo& info = map.info()[k];
    if (info.is_nuisance) continue;
    if (info.initial == 0 && !(std::isfinite(lower[k]) && std::isfinite(upper[k])))
      reject_starts(info.name, "must have two bounds or a start other than 0, so that starting points can be drawn",
                    info.initial, "write `bounds: [lower, upper]`");
    std::iota(part.begin(), part.end(), std::size_t{0});
    for (std::size_t n = drawn - 1; n > 0; --n)  // Fisher & Yates; std::shuffle differs between libraries
      std::swap(part[n], part[uniform() * static_cast<double>(n + 1)]);
    for (std::size_t n = 0; n < drawn; ++n)
      points[n + 1][k] = point_of_range(info, lower[k], upper[k], starts.factor, (part[n] + uniform()) / drawn);
  }
  return points;
}

}  // namespace pithball::optim
