#include "app/spec/marker_attachment.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "optim/observation/attachment.hpp"

namespace pithball::app {
namespace {

const std::vector<std::string> ways{"nearest_vertex", "nearest_face"};

double mean_spring_length(const Node& node, const diff::Scenario& scenario) {
  const auto& springs = scenario.model.springs();
  if (springs.empty())
    node.reject("markers", "need max_distance, because the body has no springs", "none",
                "write {attach: nearest_vertex, max_distance: 1 cm}");
  const Points& x = scenario.initial.x;
  double sum = 0;
  for (const sim::Spring& spring : springs) sum += (x.col(spring.i) - x.col(spring.j)).norm();
  return sum / springs.size();
}

/// Where a marker was first with all its coordinates, in the model's frame.
std::optional<Vec3> first_sight(const optim::Observation& seen, Index marker) {
  for (std::size_t f = 0; f < seen.times.size(); ++f)
    if (const Vec3 sight = seen.place(f, marker); sight.allFinite()) return seen.recording_frame.to_model(sight);
  return {};
}

/// The marker as an item of `markers:`.
std::string item_text(const optim::Observation& seen, std::size_t number) {
  const optim::Marker& marker = seen.markers[number];
  std::vector<Index> vertices;
  std::vector<double> weights;
  for (const auto& [vertex, weight] : marker.vertices) {
    vertices.push_back(vertex);
    weights.push_back(weight);
  }
  const bool validation_markers = !seen.validation.markers.empty() && seen.validation.markers[number];
  return fmt::format("{{name: {}, vertices: [{}], weights: [{}], sigma: {}{}}}", nlohmann::json(marker.name).dump(),
                     fmt::join(vertices, ", "), fmt::join(weights, ", "), seen.noise.sigma[number],
                     validation_markers ? ", role: validation" : "");
}

}  // namespace

std::optional<WantedAttachment> read_attachment(Node& item) {
  if (item.describing()) {
    item.document("attach", "nearest_vertex, nearest_face", "optional",
                  "instead of `vertices`: attach to the nearest particle, or to the nearest point of a face by weights "
                  "on its corners, at the initial positions; may be written as a bare word, and as `markers: "
                  "nearest_face` for all markers");
    item.document("max_distance", "number > 0 [m]", "mean length of the springs",
                  "with `attach`: largest distance to the particle or face");
    return {};
  }
  if (item.is_scalar()) {
    const std::string& word = item.tree()->text;
    if (std::find(ways.begin(), ways.end(), word) == ways.end()) return {};
    return WantedAttachment{word == "nearest_face", {}};
  }
  if (!item.is_map() || !item.is_written("attach")) return {};
  WantedAttachment wanted;
  wanted.to_face = item.choice("attach", ways, "") == "nearest_face";
  wanted.limit = item.optional_number("max_distance", "m", "", sim::ValueSign::Positive);
  return wanted;
}

std::vector<double> attach_markers(Node& node, const WantedAttachments& all_wanted, const Body& body,
                                   const diff::Scenario& scenario, optim::Observation& seen) {
  std::vector<double> distances(seen.markers.size(), NAN);
  bool all = !seen.markers.empty();
  for (std::size_t m = 0; m < seen.markers.size(); ++m) {
    if (!all_wanted[m]) {
      all = false;
      continue;
    }
    const WantedAttachment& wanted = *all_wanted[m];
    optim::Marker& marker = seen.markers[m];
    const std::string where = fmt::format("marker '{}'", marker.name);
    if (seen.instrument)
      node.reject("markers", where + " can be attached to the nearest place only where positions are recorded",
                  "`measurement: " + optim::kind_of(seen).name + "`", "give its particles");
    const std::optional<Vec3> sight = first_sight(seen, m);
    if (!sight)
      node.reject("markers", where + " must have a frame with all three coordinates to be attached", "no such frame",
                  "give its particles, or omit the marker");
    const Points& x = scenario.initial.x;
    const std::optional<optim::Attachment> found =
        wanted.to_face ? optim::attach_to_face(x, body.mesh.faces, *sight) : optim::attach_to_vertex(x, *sight);
    if (!found) node.reject("markers", "nearest_face needs a body with faces", "none", "use nearest_vertex");
    const double limit = wanted.limit ? *wanted.limit : mean_spring_length(node, scenario);
    if (!(found->distance <= limit))
      node.reject("markers", fmt::format("{} must be within {:g} m of the body", where, limit),
                  fmt::format("{:g} m", found->distance),
                  "correct the recording's `placement:`, increase max_distance, or give the marker's particles");
    marker.vertices = found->vertices;
    distances[m] = found->distance;
  }
  std::vector<std::string> items;
  for (std::size_t m = 0; m < seen.markers.size(); ++m) {
    items.push_back(item_text(seen, m));
    if (!all && all_wanted[m]) node.fill(fmt::format("markers[{}]", m), items.back());
  }
  if (all) node.fill("markers", fmt::format("[{}]", fmt::join(items, ", ")));
  return distances;
}

std::string attachment_text(const std::vector<optim::Marker>& markers, const std::vector<double>& distances) {
  std::size_t count = 0, farthest = 0;
  for (std::size_t m = 0; m < distances.size(); ++m)
    if (!std::isnan(distances[m])) {
      if (count++ == 0 || distances[m] > distances[farthest]) farthest = m;
    }
  if (count == 0) return {};
  return fmt::format("{} markers attached at their first positions; the farthest, '{}', is {:.3g} mm from the body",
                     count, markers[farthest].name, 1e3 * distances[farthest]);
}

}  // namespace pithball::app
