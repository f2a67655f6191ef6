#include "sim/neighbors/tree_search.hpp"

#include <algorithm>
#include <limits>
#include <nanoflann.hpp>

#include "sim/neighbors/neighbor_search.hpp"

namespace pithball::sim {
namespace {

using Number = NeighborList::Number;

/// Adapter of the points for nanoflann.
struct PointCloud {
  const Points& x;
  std::size_t kdtree_get_point_count() const { return x.cols(); }
  double kdtree_get_pt(std::size_t i, std::size_t a) const { return x(a, i); }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;  // computed by nanoflann
  }
};

using Distance = nanoflann::L2_Simple_Adaptor<double, PointCloud, double, Number>;
using KdTree = nanoflann::KDTreeSingleIndexAdaptor<Distance, PointCloud, 3, Number>;

constexpr std::size_t points_in_a_leaf = 16;

/// Searches a tree over points y for the partners of a point that have larger indices; `point` contains the index of
/// each y among all points.
class Row {
 public:
  Row(const Points& y, const std::vector<Number>& point, double cutoff)
      : y_(y), point_(point), cutoff2_(cutoff * cutoff) {}

  /// The partners of column i of y, ascending.
  const std::vector<Number>& find(const KdTree& tree, Index i) {
    i_ = i;
    partners_.clear();
    tree.findNeighbors(*this, y_.col(i).data(), nanoflann::SearchParams());
    std::sort(partners_.begin(), partners_.end());
    return partners_;
  }

  // Interface called by nanoflann. It searches slightly beyond the cutoff; the exact comparison is in `addPoint`.
  double worstDist() const { return cutoff2_ * (1 + 1e-9); }
  bool full() const { return true; }
  bool addPoint(double, Number j) {
    const double distance2 = squared_distance(y_(0, i_), y_(1, i_), y_(2, i_), y_(0, j), y_(1, j), y_(2, j));
    if (distance2 < cutoff2_ && point_[j] > point_[i_]) partners_.push_back(point_[j]);
    return true;
  }

 private:
  const Points& y_;
  const std::vector<Number>& point_;
  double cutoff2_;
  Index i_ = 0;
  std::vector<Number> partners_;
};

/// Collects every point of a tree, leaf by leaf.
struct All {
  std::vector<Number> point;
  double worstDist() const { return std::numeric_limits<double>::infinity(); }
  bool full() const { return false; }
  bool addPoint(double, Number j) {
    point.push_back(j);
    return true;
  }
};

/// Returns the points in the order of the leaves of a tree: points that are close in space are then close in memory,
/// both in the tree and in the sequence of queries.
std::vector<Number> order_of_leaves(const Points& x) {
  const PointCloud cloud{x};
  KdTree tree(3, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(points_in_a_leaf));
  tree.buildIndex();
  All all;
  tree.findNeighbors(all, x.data(), nanoflann::SearchParams());
  return std::move(all.point);
}

}  // namespace

std::shared_ptr<const NeighborList> TreeSearch::do_find(const Points& x, double cutoff, SearchCost& cost) const {
  const std::vector<Number> point = order_of_leaves(x);
  const Points y = x(Eigen::all, point);
  const PointCloud cloud{y};
  KdTree tree(3, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(points_in_a_leaf));
  tree.buildIndex();
  cost.bytes = tree.usedMemory(tree) + point.size() * (sizeof(Number) + 3 * sizeof(double));
  RowStore rows(point.size());
  Row row(y, point, cutoff);
  for (std::size_t i = 0; i < point.size(); ++i) {
    const std::vector<Number>& partners = row.find(tree, i);
    rows.add(point[i], partners.data(), partners.size());
  }
  return std::make_shared<NeighborList>(rows.list());
}

}  // namespace pithball::sim
