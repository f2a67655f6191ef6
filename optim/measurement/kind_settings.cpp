#include "optim/measurement/kind_settings.hpp"

namespace pithball::optim {

WeightedVertices read_body_point(KindSettings& settings, std::string_view key) {
  const std::vector<Index> particles = settings.particles(key, "");
  if (particles.empty())
    settings.reject(key, "must contain at least one particle", "none", "write a particle or a group");
  WeightedVertices point;
  for (const Index i : particles) point.emplace_back(i, 1 / static_cast<double>(particles.size()));
  return point;
}

PointPair read_point_pair(KindSettings& settings, std::string_view key) {
  const auto ends = settings.items(key, "", false);
  if (ends.size() != 2)
    settings.reject(key, "must be two particles or groups", std::to_string(ends.size()), "write [0, tip]");
  return {read_body_point(*ends[0], ""), read_body_point(*ends[1], "")};
}

void require_all_columns(const KindSettings& settings, std::string_view key, std::size_t channels,
                         const MeasuredBody& measured) {
  if (channels != measured.columns.size())
    settings.reject(
        key, "must have one entry for each of the " + std::to_string(measured.columns.size()) + " recorded columns",
        std::to_string(channels), "select columns with `columns.points`");
}

}  // namespace pithball::optim
