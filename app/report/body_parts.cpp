#include "app/report/body_parts.hpp"

#include <nlohmann/json.hpp>

#include "app/report/packed.hpp"

namespace pithball::app {

using nlohmann::ordered_json;

ordered_json faces_of(const Body& body) {
  std::vector<std::uint32_t> corners;
  for (const std::vector<Index>& face : body.mesh.faces)
    for (std::size_t k = 2; k < face.size(); ++k)
      for (const Index corner : {face[0], face[k - 1], face[k]}) corners.push_back(static_cast<std::uint32_t>(corner));
  if (corners.empty()) return nullptr;
  return pack_uint32({corners.size() / 3, 3}, corners);
}

ordered_json groups_of(const Body& body) {
  ordered_json list = ordered_json::array();
  for (const auto& [name, particles] : body.vertex_groups) {
    if (name == "all") continue;
    const std::vector<std::uint32_t> numbers(particles.begin(), particles.end());
    list.push_back({{"name", name}, {"particles", pack_uint32({numbers.size()}, numbers)}});
  }
  return list;
}

}  // namespace pithball::app
