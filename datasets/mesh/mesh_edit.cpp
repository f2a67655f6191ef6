#include "datasets/mesh/mesh_edit.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "sim/core/error.hpp"

namespace pithball::datasets {

Mesh transformed(Mesh mesh, const Placement& placement) {
  if (!std::isfinite(placement.scale) || placement.scale <= 0)
    throw InvalidArgument({"mesh", "scale", "must be finite and > 0", std::to_string(placement.scale),
                           "give meters per unit of the file"});
  if (!placement.axis.allFinite() || placement.axis.norm() == 0)
    throw InvalidArgument(
        {"mesh", "rotation axis", "must be a finite vector other than 0", "", "give a direction such as [0, 0, 1]"});
  if (!std::isfinite(placement.angle) || !placement.translate.allFinite())
    throw InvalidArgument({"mesh", "rotation angle and translation", "must be finite", "", "correct the numbers"});
  const Eigen::AngleAxisd rotation(placement.angle, placement.axis.normalized());
  mesh.vertices *= placement.scale;
  mesh.pattern_lengths *= placement.scale;
  // Skipped at angle 0 so that scaling alone is exact.
  if (placement.angle != 0) mesh.vertices = (rotation.toRotationMatrix() * mesh.vertices).eval();
  mesh.vertices.colwise() += placement.translate;
  return mesh;
}

std::vector<Index> vertices_in_box(const Mesh& mesh, const Vec3& min, const Vec3& max) {
  if (!(min.array() <= max.array()).all())
    throw InvalidArgument({"mesh", "box", "must have min <= max in every component", "",
                           "swap the two corners: [[x0, y0, z0], [x1, y1, z1]]"});
  std::vector<Index> inside;
  for (Index v = 0; v < mesh.vertices.cols(); ++v) {
    const auto x = mesh.vertices.col(v).array();
    if ((x >= min.array()).all() && (x <= max.array()).all()) inside.push_back(v);
  }
  return inside;
}

Mesh joined_meshes(const std::vector<NamedMesh>& parts) {
  Index vertices = 0;
  bool have_patterns = !parts.empty();
  for (const NamedMesh& part : parts) {
    const auto same = [&](const NamedMesh& other) { return other.name == part.name; };
    if (part.name.empty() || std::count_if(parts.begin(), parts.end(), same) > 1)
      throw InvalidArgument({"", "parts", "must have names that differ", "'" + part.name + "' again", "rename one"});
    vertices += part.mesh.vertices.cols();
    have_patterns = have_patterns && part.mesh.pattern_lengths.size() > 0;
  }
  Mesh whole;
  whole.vertices.resize(3, vertices);
  const auto add_group = [](auto& groups, const std::string& name, const std::vector<Index>& members, Index shift) {
    for (const Index member : members) groups[name].push_back(member + shift);
  };
  const auto all = [](std::size_t count) {
    std::vector<Index> numbers(count);
    std::iota(numbers.begin(), numbers.end(), Index{0});
    return numbers;
  };
  Index shift = 0;
  for (const auto& [name, mesh] : parts) {
    const Index springs_before = whole.springs.size();
    whole.vertices.middleCols(shift, mesh.vertices.cols()) = mesh.vertices;
    for (const sim::Spring& spring : mesh.springs) whole.springs.push_back({spring.i + shift, spring.j + shift});
    for (std::vector<Index> face : mesh.faces) {
      for (Index& vertex : face) vertex += shift;
      whole.faces.push_back(std::move(face));
    }
    add_group(whole.vertex_groups, name, all(mesh.vertices.cols()), shift);
    if (!mesh.springs.empty()) add_group(whole.spring_groups, name, all(mesh.springs.size()), springs_before);
    for (const std::string& prefix : {std::string(), name + "_"}) {
      for (const auto& [group, members] : mesh.vertex_groups)
        add_group(whole.vertex_groups, prefix + group, members, shift);
      for (const auto& [group, members] : mesh.spring_groups)
        add_group(whole.spring_groups, prefix + group, members, springs_before);
    }
    if (have_patterns) {
      const Eigen::VectorXd before = whole.pattern_lengths;
      whole.pattern_lengths.resize(before.size() + mesh.pattern_lengths.size());
      whole.pattern_lengths << before, mesh.pattern_lengths;
    }
    shift += mesh.vertices.cols();
  }
  return whole;
}

namespace {

using Edges = std::vector<std::pair<Index, Index>>;

std::pair<Index, Index> in_order(Index i, Index j) { return {std::min(i, j), std::max(i, j)}; }

/// Returns the edges of the faces and the lines; for a mesh without faces, the springs.
Edges edges_of(const Mesh& mesh) {
  Edges edges;
  for (const auto& face : mesh.faces)
    for (std::size_t k = 0; k < face.size(); ++k) edges.push_back(in_order(face[k], face[(k + 1) % face.size()]));
  const auto add = [&](const sim::Spring& spring) { edges.push_back(in_order(spring.i, spring.j)); };
  if (mesh.faces.empty())
    for (const sim::Spring& spring : mesh.springs) add(spring);
  else if (const auto lines = mesh.spring_groups.find("line"); lines != mesh.spring_groups.end())
    for (const Index s : lines->second) add(mesh.springs[s]);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

/// Returns the lengths of edges in ascending order.
std::vector<double> sorted_lengths(const Points& points, const Edges& edges) {
  std::vector<double> lengths;
  lengths.reserve(edges.size());
  for (const auto& [i, j] : edges) lengths.push_back((points.col(i) - points.col(j)).stableNorm());
  std::sort(lengths.begin(), lengths.end());
  return lengths;
}

double median_of(const std::vector<double>& sorted, std::size_t first = 0) {
  if (first >= sorted.size()) return 0;
  const std::size_t count = sorted.size() - first, middle = first + count / 2;
  return count % 2 == 1 ? sorted[middle] : sorted[middle - 1] + (sorted[middle] - sorted[middle - 1]) / 2;
}

/// Returns the vertices relative to the corner of their bounding box, in units of the largest coordinate: sums and
/// products then stay in range, and equal coordinates stay equal.
Points reduced(const Points& vertices) {
  const double largest = vertices.cwiseAbs().maxCoeff();
  if (largest == 0) return vertices;
  Points points = vertices / largest;
  const Vec3 low = points.rowwise().minCoeff();
  points.colwise() -= low;
  return points;
}

/// Finds vertices at the same position by means of a grid, each cell of which lists the first vertex at each position
/// in it.
class PlaceGrid {
 public:
  PlaceGrid(const Points& points, double tolerance)
      : points_(points), tolerance_(tolerance), next_(static_cast<std::size_t>(points.cols()), -1) {}

  /// Returns the first vertex at the position of this one, which may be itself.
  Index first_at(Index vertex) {
    const Vec3 x = points_.col(vertex);
    std::array<std::array<std::int64_t, 2>, 3> range{};  // cells within the tolerance of its position
    for (int a = 0; a < 3; ++a) range[a] = {cell_of(x[a] - tolerance_), cell_of(x[a] + tolerance_)};
    for (std::int64_t i = range[0][0]; i <= range[0][1]; ++i)
      for (std::int64_t j = range[1][0]; j <= range[1][1]; ++j)
        for (std::int64_t k = range[2][0]; k <= range[2][1]; ++k)
          if (const Index found = search(key_of(i, j, k), x); found >= 0) return found;
    const auto [head, is_new] = head_.try_emplace(key_of(cell_of(x[0]), cell_of(x[1]), cell_of(x[2])), vertex);
    if (!is_new) next_[vertex] = std::exchange(head->second, vertex);
    return vertex;
  }

 private:
  std::int64_t cell_of(double x) const { return static_cast<std::int64_t>(std::floor(x / (4 * tolerance_))); }

  /// Returns the key of a cell. Cells with the same key share a list, which only adds vertices to compare with.
  static std::uint64_t key_of(std::int64_t i, std::int64_t j, std::int64_t k) {
    std::uint64_t key = 0;
    for (const std::int64_t part : {i, j, k}) {  // the steps of splitmix64
      key = (key ^ static_cast<std::uint64_t>(part)) + 0x9e3779b97f4a7c15;
      key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9;
      key = (key ^ (key >> 27)) * 0x94d049bb133111eb;
      key ^= key >> 31;
    }
    return key;
  }

  Index search(std::uint64_t key, const Vec3& x) const {
    const auto head = head_.find(key);
    for (Index v = head == head_.end() ? -1 : head->second; v >= 0; v = next_[v])
      if ((points_.col(v) - x).cwiseAbs().maxCoeff() <= tolerance_) return v;
    return -1;
  }

  const Points& points_;
  double tolerance_;
  std::unordered_map<std::uint64_t, Index> head_;  // the latest entry of a cell
  std::vector<Index> next_;                        // the next entry of the same cell; −1: none
};

/// Returns, for each vertex, the first vertex at its position.
std::vector<Index> first_at_place(const Mesh& mesh, const Edges& edges) {
  std::vector<Index> first(static_cast<std::size_t>(mesh.vertices.cols()), 0);
  if (first.empty()) return first;
  const Points points = reduced(mesh.vertices);
  const double extent = points.maxCoeff();
  if (extent == 0) return first;  // all at one position
  const double rounding = extent * 0x1p-22;
  const std::vector<double> lengths = sorted_lengths(points, edges);
  const std::size_t positive = std::upper_bound(lengths.begin(), lengths.end(), 0.0) - lengths.begin();
  const double edge = median_of(lengths, positive);
  const double wanted = edge > 0 ? std::min(rounding, edge / 1024) : rounding;
  PlaceGrid places(points, std::max(wanted, extent * 0x1p-50));  // below this, doubles cannot resolve differences
  for (Index v = 0; v < points.cols(); ++v) first[v] = places.first_at(v);
  return first;
}

/// Sets of connected vertices, each represented by one of its vertices.
class JoinedSets {
 public:
  explicit JoinedSets(Index vertices) : above_(static_cast<std::size_t>(vertices)) {
    std::iota(above_.begin(), above_.end(), Index{0});
  }
  Index of(Index v) {
    while (above_[v] != v) v = above_[v] = above_[above_[v]];
    return v;
  }
  void join(Index i, Index j) { above_[of(i)] = of(j); }

 private:
  std::vector<Index> above_;
};

JoinedSets joined_vertices(const Mesh& mesh) {
  JoinedSets sets(mesh.vertices.cols());
  for (const auto& face : mesh.faces)
    for (const Index corner : face) sets.join(face[0], corner);
  for (const sim::Spring& spring : mesh.springs) sets.join(spring.i, spring.j);
  return sets;
}

Index pairs_of(Index members) { return members * (members - 1) / 2; }

std::string counted(Index count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

/// Returns a face with renumbered vertices, without corners that coincide with the one before; empty if no polygon is
/// left.
std::vector<Index> renumbered(const std::vector<Index>& face, const std::vector<Index>& number) {
  std::vector<Index> corners;
  for (const Index corner : face)
    if (corners.empty() || number[corner] != corners.back()) corners.push_back(number[corner]);
  while (corners.size() > 1 && corners.front() == corners.back()) corners.pop_back();
  const bool simple = std::set<Index>(corners.begin(), corners.end()).size() == corners.size();
  return simple && corners.size() > 2 ? corners : std::vector<Index>();
}

/// Copies the springs of a mesh to `to` with renumbered vertices, with their groups and pattern lengths.
void move_springs(const Mesh& mesh, const std::vector<Index>& number, Mesh& to) {
  std::vector<bool> is_edge(mesh.springs.size(), false);
  if (const auto edges = mesh.spring_groups.find("edge"); edges != mesh.spring_groups.end())
    for (const Index s : edges->second) is_edge[s] = true;
  std::map<std::pair<Index, Index>, std::size_t> chosen;  // the old spring kept for each pair
  for (std::size_t s = 0; s < mesh.springs.size(); ++s) {
    const auto ends = in_order(number[mesh.springs[s].i], number[mesh.springs[s].j]);
    if (ends.first == ends.second) continue;
    const auto [place, is_new] = chosen.try_emplace(ends, s);
    if (!is_new && is_edge[s] && !is_edge[place->second]) place->second = s;
  }
  std::vector<Index> new_number(mesh.springs.size(), -1);
  const bool have_pattern = mesh.pattern_lengths.size() > 0;
  to.pattern_lengths.resize(have_pattern ? static_cast<Index>(chosen.size()) : 0);
  for (const auto& [ends, s] : chosen) {
    new_number[s] = to.springs.size();
    if (have_pattern) to.pattern_lengths[new_number[s]] = mesh.pattern_lengths[s];
    to.springs.push_back({ends.first, ends.second});
  }
  for (const auto& [name, members] : mesh.spring_groups) {
    std::vector<Index> left;
    for (const Index s : members)
      if (new_number[s] >= 0) left.push_back(new_number[s]);
    std::sort(left.begin(), left.end());
    if (!left.empty()) to.spring_groups[name] = std::move(left);
  }
}

}  // namespace

MeshPieces find_pieces(const Mesh& mesh) {
  const Index n = mesh.vertices.cols();
  const Edges edges = edges_of(mesh);
  JoinedSets sets = joined_vertices(mesh);
  std::vector<Index> members(static_cast<std::size_t>(n), 0), at_place = members;
  for (Index v = 0; v < n; ++v) ++members[sets.of(v)];
  MeshPieces found;
  found.single_vertices = std::count(members.begin(), members.end(), 1);
  found.pieces = n - std::count(members.begin(), members.end(), 0) - found.single_vertices;

  const std::vector<Index> first = first_at_place(mesh, edges);
  std::map<std::pair<Index, Index>, Index> of_piece;  // by position and piece: the vertices where several pieces meet
  for (Index v = 0; v < n; ++v) ++at_place[first[v]];
  for (Index v = 0; v < n; ++v)
    if (at_place[first[v]] > 1) ++of_piece[{first[v], sets.of(v)}];
  for (const Index count : at_place) found.coinciding += count > 1 ? pairs_of(count) : 0;
  found.torn = found.coinciding;
  for (const auto& [where, count] : of_piece) found.torn -= pairs_of(count);

  const std::vector<double> lengths = sorted_lengths(mesh.vertices, edges);
  found.edges = lengths.size();
  for (const auto& [i, j] : edges) found.zero_edges += first[i] == first[j] ? 1 : 0;
  if (!lengths.empty()) found.edge_lengths = {lengths.front(), median_of(lengths), lengths.back()};
  return found;
}

std::string weld_advice(const MeshPieces& pieces) {
  if (pieces.coinciding == 0) return "";
  std::string text = counted(pieces.pieces, "piece", "pieces");
  if (pieces.single_vertices > 0) text += ", " + counted(pieces.single_vertices, "single vertex", "single vertices");
  text += ", " + counted(pieces.coinciding, "pair", "pairs") + " of vertices at one place";
  if (pieces.zero_edges > 0) text += ", " + counted(pieces.zero_edges, "edge", "edges") + " of zero length";
  return text + ": weld: true joins them";
}

Mesh welded(const Mesh& mesh) {
  const std::vector<Index> first = first_at_place(mesh, edges_of(mesh));
  std::vector<Index> number(first.size(), -1), kept;
  for (Index v = 0; v < mesh.vertices.cols(); ++v) {
    if (first[v] == v) {
      number[v] = kept.size();
      kept.push_back(v);
    } else {
      number[v] = number[first[v]];  // `first[v]` precedes v
    }
  }
  Mesh whole;
  whole.vertices = mesh.vertices(Eigen::all, kept);
  for (const auto& face : mesh.faces)
    if (std::vector<Index> corners = renumbered(face, number); !corners.empty())
      whole.faces.push_back(std::move(corners));
  for (const auto& [name, members] : mesh.vertex_groups) {
    std::set<Index> of_group;
    for (const Index v : members) of_group.insert(number[v]);
    whole.vertex_groups[name].assign(of_group.begin(), of_group.end());
  }
  move_springs(mesh, number, whole);
  return whole;
}

}  // namespace pithball::datasets
