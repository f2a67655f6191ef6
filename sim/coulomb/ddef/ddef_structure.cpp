#include "sim/coulomb/ddef/ddef_structure.hpp"

#include <CGAL/Delaunay_triangulation_3.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Spatial_sort_traits_adapter_3.h>
#include <CGAL/Triangulation_cell_base_with_info_3.h>
#include <CGAL/Triangulation_vertex_base_with_info_3.h>
#include <CGAL/hilbert_sort.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/core/parallel_for.hpp"

namespace pithball::sim {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Point = Kernel::Point_3;
using Vertex = CGAL::Triangulation_vertex_base_with_info_3<Index, Kernel>;
using Cell = CGAL::Triangulation_cell_base_with_info_3<Index, Kernel, CGAL::Delaunay_triangulation_cell_base_3<Kernel>>;
using Delaunay = CGAL::Delaunay_triangulation_3<Kernel, CGAL::Triangulation_data_structure_3<Vertex, Cell>>;

/// Margin of the box around the points, as a fraction of its longest side.
constexpr double padding = 0.01;

std::vector<Point> to_cgal(const Points& x) {
  std::vector<Point> points;
  points.reserve(x.cols());
  for (Index i = 0; i < x.cols(); ++i) points.emplace_back(x(0, i), x(1, i), x(2, i));
  return points;
}

/// Returns the indices of the points in their order along a Hilbert curve.
std::vector<std::size_t> curve_order(const std::vector<Point>& points) {
  std::vector<std::size_t> order(points.size());
  if (order.empty()) return order;
  std::iota(order.begin(), order.end(), std::size_t{0});
  using Traits = CGAL::Spatial_sort_traits_adapter_3<Kernel, CGAL::Pointer_property_map<Point>::const_type>;
  CGAL::hilbert_sort(order.begin(), order.end(), Traits(CGAL::make_property_map(points)));
  return order;
}

/// Mirrors the digits of k in `base` at the radix point: 0.1, 0.01, 0.11, … in base 2.
double radical_inverse(Index k, Index base) {
  double value = 0, digit = 1;
  for (; k > 0; k /= base) {
    digit /= base;
    value += digit * (k % base);
  }
  return value;
}

/// Returns m Halton points and the corners of the padded box around x, along a Hilbert curve; none if x has no usable
/// box.
Points make_grid(const Points& x, Index m) {
  constexpr double largest = 1e50;  // geometric predicates multiply five lengths
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
  if (x.cols() > 0) {
    low = x.rowwise().minCoeff();
    high = x.rowwise().maxCoeff();
  }
  if (!x.allFinite() || low.cwiseAbs().maxCoeff() > largest || high.cwiseAbs().maxCoeff() > largest)
    return Points(3, 0);
  const double longest = (high - low).maxCoeff();
  // A single point has no extent: any box that its coordinates can resolve will do.
  const double pad = longest > 0 ? padding * longest : std::max(1.0, 1e-3 * high.cwiseAbs().maxCoeff());
  low.array() -= pad;
  high.array() += pad;

  Points grid(3, m + 8);
  for (Index k = 0; k < m; ++k) {
    const Vec3 unit(radical_inverse(k + 1, 2), radical_inverse(k + 1, 3), radical_inverse(k + 1, 5));
    grid.col(k) = low + unit.cwiseProduct(high - low);
  }
  for (Index c = 0; c < 8; ++c)
    for (Index a = 0; a < 3; ++a) grid(a, m + c) = (c >> a & 1) ? high[a] : low[a];

  const std::vector<Point> points = to_cgal(grid);
  Index k = 0;
  for (const std::size_t from : curve_order(points)) {
    grid.col(k++) = Vec3(points[from].x(), points[from].y(), points[from].z());
  }
  return grid;
}

}  // namespace

DdefStructure::DdefStructure(const Points& x, const DdefOptions& options) : vertices_(make_grid(x, options.points)) {
  valid_ = vertices_.cols() > 0;
  if (!valid_) return;
  triangulate(x);
  find_neighbors(options);
}

void DdefStructure::triangulate(const Points& x) {
  std::vector<std::pair<Point, Index>> numbered;
  for (const Point& p : to_cgal(vertices_)) numbered.emplace_back(p, static_cast<Index>(numbered.size()));
  Delaunay delaunay(numbered.begin(), numbered.end());
  for (auto cell : delaunay.all_cell_handles()) cell->info() = -1;

  // Along the curve, the walk to the next point is short. In every section of the curve, it starts in the same cell,
  // so that a point on a face between two tetrahedra is assigned to the same one for any number of threads.
  const std::vector<Point> points = to_cgal(x);
  const std::vector<std::size_t> order = curve_order(points);
  std::vector<Delaunay::Cell_handle> found(points.size());
  constexpr Index stretch = 512;
  constexpr double cost = 500;  // of locating a point, in pairs of points summed directly
  const Index n = points.size();
  parallel_for((n + stretch - 1) / stretch, cost * n, [&](Index s) {
    Delaunay::Cell_handle cell = delaunay.infinite_cell();
    for (Index k = s * stretch; k < std::min(n, (s + 1) * stretch); ++k) {
      const std::size_t i = order[k];
      found[i] = cell = delaunay.locate(points[i], cell);
    }
  });

  point_cell_.resize(points.size());
  for (const std::size_t i : order) {
    if (found[i]->info() < 0) {
      found[i]->info() = cells();
      corners_.push_back({found[i]->vertex(0)->info(), found[i]->vertex(1)->info(), found[i]->vertex(2)->info(),
                          found[i]->vertex(3)->info()});
    }
    point_cell_[i] = found[i]->info();
  }
  slot_point_.assign(order.begin(), order.end());
  std::stable_sort(slot_point_.begin(), slot_point_.end(),
                   [&](Index i, Index j) { return cell_of_point(i) < cell_of_point(j); });
  for (Index slot = 1; slot <= n; ++slot)
    if (slot == n || cell_of_point(point(slot)) != cell_of_point(point(slot - 1))) first_slot_.push_back(slot);
}

void DdefStructure::find_neighbors(const DdefOptions& options) {
  std::vector<std::vector<Index>> at_vertex(vertices_.cols());
  for (Index cell = 0; cell < cells(); ++cell)
    for (const Index k : corners(cell)) at_vertex[k].push_back(cell);
  for (const std::vector<Index>& list : at_vertex) cells_at_vertex_.push_back(list);

  const bool text = options.variant == DdefVariant::PaperText;
  const bool corrected = options.variant == DdefVariant::Consistent && options.far_field == DdefFarField::Interpolate;
  // For each cell and each vertex, the last cell whose list contains it, so that no list contains it twice.
  std::vector<Index> cell_met(corners_.size(), -1), vertex_met(at_vertex.size(), -1);
  const auto meets = [](std::vector<Index>& met, Index which, Index cell) {
    return std::exchange(met[which], cell) != cell;
  };
  std::vector<Index> near, beyond;
  for (Index cell = 0; cell < cells(); ++cell) {
    near.clear();
    beyond.clear();
    if (text) near.push_back(cell);
    for (const Index k : corners(cell)) {
      vertex_met[k] = cell;
      for (const Index other : cells_at_vertex_[k])
        if (!text && meets(cell_met, other, cell)) near.push_back(other);
    }
    for (const Index other : near)
      for (const Index k : corners(other))
        if (corrected && meets(vertex_met, k, cell)) beyond.push_back(k);
    std::sort(near.begin(), near.end());
    std::sort(beyond.begin(), beyond.end());
    near_cells_.push_back(near);
    counted_twice_at_.push_back(beyond);
  }
}

Index DdefStructure::crossings(const Points& x) const {
  const std::vector<Point> grid = to_cgal(vertices_), points = to_cgal(x);
  Index count = 0;
  for (Index i = 0; i < x.cols(); ++i) {
    bool inside = valid_ && x.col(i).allFinite();
    for (int face = 0; inside && face < 4; ++face) {
      std::array<const Point*, 4> tetrahedron;
      for (std::size_t a = 0; a < 4; ++a) tetrahedron[a] = &grid[corners(cell_of_point(i))[a]];
      tetrahedron[face] = &points[i];
      inside = CGAL::orientation(*tetrahedron[0], *tetrahedron[1], *tetrahedron[2], *tetrahedron[3]) != CGAL::NEGATIVE;
    }
    if (!inside) ++count;
  }
  return count;
}

}  // namespace pithball::sim
