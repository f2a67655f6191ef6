#include "app/experiment/recording/marker_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/experiment/mesh_source.hpp"
#include "app/yaml/particle_list.hpp"
#include "app/yaml/quantity.hpp"
#include "optim/observation/marker_tracks.hpp"

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

/// Returns the first recorded position of a marker with all coordinates, in the model's frame.
std::optional<Vec3> first_sight(const optim::Observation& seen, Index marker) {
  for (std::size_t f = 0; f < seen.times.size(); ++f)
    if (const Vec3 sight = seen.place(f, marker); sight.allFinite()) return seen.recording_frame.to_model(sight);
  return {};
}

/// Returns the marker as an item of `markers:`.
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

namespace {

/// Returns the factor for a length given beside `scale`: the unit of the file if the length has no unit, otherwise 1.
double unit_of_bare(const Tree& written, double file_unit) { return read_plain_number(written.text) ? file_unit : 1; }

/// Reads `12`, `ring4`, {vertices: […], weights: …} or {group: ring4, weights: …}.
optim::Marker read_marker(Node item, const RecordedChannels& channels, std::size_t number, MarkerList& list) {
  optim::Marker marker;
  if (number < channels.names.size()) marker.name = channels.names[number];
  std::vector<Index> vertices;
  std::vector<double> weights;
  const Index count = channels.body.mesh.vertices.cols();
  const std::optional<WantedAttachment> attachment = read_attachment(item);
  list.attached[number] = attachment;
  if (attachment && item.is_scalar()) return marker;
  if (item.is_scalar()) {
    vertices = read_particles(item, "", "", count, channels.body.vertex_groups);
  } else {
    if (item.applies(item.is_written("vertices")))
      vertices = read_particles(item, "vertices", "particles that the marker follows: numbers and group names", count,
                                channels.body.vertex_groups);
    else if (!attachment)
      vertices = read_particles(item, "group", "", count, channels.body.vertex_groups);
    item.document("group", "group name", "optional",
                  "group of particles that the marker follows; instead of `vertices`");
    const bool are_weighted =
        item.document("weights", "mean, or list of numbers", "mean",
                      "weights w in: position = Σ w · particle; they add up to 1 for a rigid attachment");
    if (!attachment && item.is_list("weights"))
      weights = item.numbers("weights", "", "");
    else if (!attachment && are_weighted)
      item.choice("weights", {"mean"}, "");
    else if (!attachment)
      item.fill("weights", "mean");
    marker.name = item.text_or("name", "name of the marker in tables", {"from the columns", marker.name});
    double& sigma = list.sigma[number];
    sigma = item.optional_number("sigma", channels.kind.unit,
                                 "standard deviation of each coordinate of this marker (default: as in the recording)",
                                 sim::ValueSign::Positive)
                .value_or(sigma);
    if (const Tree* written = item.form_tree("sigma")) sigma *= unit_of_bare(*written, channels.file_unit);
    const std::string role =
        item.choice("role", {"fit", "validation"},
                    "`validation`: exclude the marker from the fit and report its prediction error", "fit");
    if (role == "validation") {
      list.validation.resize(channels.names.size(), false);
      list.validation[number] = true;
    }
  }
  if (attachment) return marker;
  item.require(!vertices.empty(), "", "must follow at least one particle", "none",
               "write a particle number or a group");
  if (weights.empty()) weights.assign(vertices.size(), 1 / static_cast<double>(vertices.size()));
  if (weights.size() != vertices.size())
    item.reject("weights", fmt::format("must have one entry for each of the {} particles", vertices.size()),
                fmt::format("{}", weights.size()), "write `weights: mean`, or a list of that length");
  for (std::size_t k = 0; k < vertices.size(); ++k) marker.vertices.emplace_back(vertices[k], weights[k]);
  return marker;
}

/// Reads one way to attach all markers: nearest_vertex, or {attach: nearest_face, max_distance: 1 cm}.
void attach_all(Node& node, const RecordedChannels& channels, MarkerList& list) {
  Node all = node.form("markers");
  const std::optional<WantedAttachment> wanted = read_attachment(all);
  if (!wanted)
    node.reject("markers", "must be a list, or one way to attach all markers", "something else",
                "write nearest_vertex, nearest_face, or {attach: nearest_face, max_distance: 1 cm}");
  list.attached.assign(channels.names.size(), wanted);
  for (const std::string& name : channels.names) list.markers.push_back({name, {}});
}

/// Attaches one marker to each particle, for a recording without `markers`.
void take_all_particles(const Node& node, const RecordedChannels& channels, MarkerList& list) {
  const std::size_t count = channels.names.size();
  const Index particles = channels.body.mesh.vertices.cols();
  if (static_cast<Index>(count) != particles)
    node.reject("markers", "is required if the numbers of points and particles differ",
                fmt::format("{} points, {} particles", count, particles),
                "add `markers: [0, …]`, one particle or group for each point");
  for (std::size_t m = 0; m < count; ++m) list.markers.push_back({channels.names[m], {{static_cast<Index>(m), 1.0}}});
}

void describe_markers(Node& node, const RecordedChannels& channels) {
  MarkerList placeholder{.sigma = Vector::Ones(1)};
  placeholder.attached.resize(1);
  for (Node& item : node.items("markers",
                               "particles that each recorded point follows, in the order of the columns; optional if "
                               "there are as many points as particles")) {
    item.document("", "particle number or group name", "optional", "a marker in short");
    read_marker(item, channels, 0, placeholder);
  }
  node.document("markers", "as `fit.recordings[].markers[]`", "optional", "the same way to attach all markers");
}

}  // namespace

bool MarkerList::attaches() const {
  return std::ranges::any_of(attached, [](const auto& one) { return one.has_value(); });
}

WrittenSigma read_sigma(Node& node, const RecordedChannels& channels, std::optional<double> fallback) {
  if (!node.document("sigma", "number > 0, or one for each component",
                     "as under `residual`; else the recording's own noise",
                     "standard deviation of the recorded numbers; beside `scale`, a number without a unit is in the "
                     "unit of the file"))
    return {fallback.value_or(NAN)};
  const std::string& unit = channels.kind.unit;
  const Tree& written = *node.form_tree("sigma");
  if (!node.is_list("sigma"))
    return {unit_of_bare(written, channels.file_unit) * node.number("sigma", unit, "", {}, sim::ValueSign::Positive)};
  std::vector<double> each = node.numbers("sigma", unit, "", sim::ValueSign::Positive);
  for (std::size_t a = 0; a < each.size(); ++a) each[a] *= unit_of_bare(written.entries[a], channels.file_unit);
  const std::vector<std::string>& components = channels.kind.components;
  if (each.size() != components.size())
    node.reject("sigma", fmt::format("must have one number for each of {}", fmt::join(components, ", ")),
                fmt::format("{}", each.size()), "write one number for all, or one for each");
  Points factor = Points::Ones(3, std::ssize(channels.names));
  for (std::size_t a = 0; a < each.size(); ++a) factor.row(static_cast<Index>(a)).setConstant(each[a] / each[0]);
  return {each[0], std::move(factor)};
}

MarkerList read_markers(Node& node, const RecordedChannels& channels, double sigma) {
  MarkerList list;
  if (node.describing()) return describe_markers(node, channels), list;
  const std::size_t count = channels.names.size();
  list.sigma = Vector::Constant(static_cast<Index>(count), sigma);
  list.attached.assign(count, {});
  if (!channels.kind.follows_markers()) {
    if (node.is_written("markers"))
      node.reject("markers", "must be omitted for `measurement: " + channels.kind.name + "`", "a list of markers",
                  "its settings say which particles each column measures");
    return list;
  }
  node.ignore("markers");
  if (!node.has("markers")) return take_all_particles(node, channels, list), list;
  if (!node.is_list("markers")) return attach_all(node, channels, list), list;
  std::vector<Node> items = node.items("markers", "");
  if (items.size() != count)
    node.reject("markers", fmt::format("must have one entry for each of the {} recorded points", count),
                fmt::format("{}", items.size()),
                "give the particles of every point, or select points with `columns.points`");
  for (std::size_t m = 0; m < count; ++m) list.markers.push_back(read_marker(items[m], channels, m, list));
  return list;
}

}  // namespace pithball::app
