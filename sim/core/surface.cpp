#include "sim/core/surface.hpp"

#include "sim/core/settings.hpp"

namespace pithball::sim {

Surface triangulated(const Polygons& drawn) {
  Surface surface{drawn.vertices, {}};
  for (const std::vector<Index>& face : drawn.faces)
    for (std::size_t k = 2; k < face.size(); ++k) surface.triangles.push_back({face[0], face[k - 1], face[k]});
  return surface;
}

Surface ask_surface(Settings& settings, std::string_view key, std::string_view meaning) {
  Surface surface = triangulated(settings.polygons(key, meaning));
  if (surface.triangles.empty())
    settings.reject(key, "must be a mesh with faces", "none", "use a shape that is a surface, like sphere, or a file");
  return surface;
}

}  // namespace pithball::sim
