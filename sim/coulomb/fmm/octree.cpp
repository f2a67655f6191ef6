#include "sim/coulomb/fmm/octree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/core/parallel_for.hpp"
#include "sim/coulomb/fmm/radix_sort.hpp"

namespace pithball::sim::fmm {
namespace {

using Key = std::uint64_t;
constexpr int max_level = Octree::max_level;

// Costs in units of one directly summed pair of points; with them, one thread builds small trees.
constexpr double pairs_per_key = 5, pairs_per_cut = 400, pairs_per_meeting = 4000;
constexpr Index keys_at_once = 4096, lists_at_once = 64;

/// Returns the lowest 21 bits of v, with two zeros between adjacent bits.
Key spread(Key v) {
  v = (v | v << 32) & 0x1f00000000ffffULL;
  v = (v | v << 16) & 0x1f0000ff0000ffULL;
  v = (v | v << 8) & 0x100f00f00f00f00fULL;
  v = (v | v << 4) & 0x10c30c30c30c30c3ULL;
  return (v | v << 2) & 0x1249249249249249ULL;
}

/// Returns the position of a point on the Morton curve of the finest level; a point that is outside the cube or not
/// finite is moved to its boundary.
template <class Column>
Key morton_key(const Column& x, const Vec3& origin, double cells_per_meter) {
  Key key = 0;
  for (int a = 0; a < 3; ++a) {
    constexpr double last = (1 << max_level) - 1;
    const double cell = (x[a] - origin[a]) * cells_per_meter;
    key |= spread(cell > 0 ? static_cast<Key>(std::min(cell, last)) : 0) << a;  // false for NaN
  }
  return key;
}

/// Computes the smallest cube around the finite points.
void bounding_cube(const Points& x, Vec3& origin, double& side) {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (Index i = 0; i < x.cols(); ++i) {
    if (!x.col(i).allFinite()) continue;
    low = low.cwiseMin(x.col(i));
    high = high.cwiseMax(x.col(i));
  }
  const double extent = (high - low).maxCoeff();
  side = extent > 0 && std::isfinite(extent) ? extent * (1 + 1e-12) : 1;
  origin = low.allFinite() ? Vec3((low + high) / 2 - Vec3::Constant(side / 2)) : Vec3::Zero();
}

/// Returns the number of boxes of one level that interact with an expansion, given the mean number of children per box:
/// 27 for points on a surface (4 children), 189 if they fill space (8), few along a line. Interpolates by 6^D − 3^D
/// with D = log₂(children).
double far_boxes(double children) {
  const double d = std::log2(std::max(children, 1.0));
  return std::pow(6, d) - std::pow(3, d);
}

/// Returns the cost per point for leaves of `occupancy` points in a tree with `children` children per box: that of the
/// near field, and of the far field of the leaf and the boxes above it.
double cost_per_point(double occupancy, double children, const Costs& costs) {
  const double d = std::log2(children), above = children / (children - 1);
  return std::pow(3, d) * occupancy + far_boxes(children) * costs.translation * above / occupancy;
}

/// Returns the factor by which the root should exceed the bounding cube (1…2), from a sample of the points.
double best_enlargement(const Points& x, const Vec3& origin, double side, const Costs& costs) {
  constexpr Index sample = 4096;
  constexpr int deepest = 12;
  const Index n = x.cols(), stride = std::max<Index>(1, n / sample);
  std::vector<Key> keys;
  for (Index i = 0; i < n; i += stride) keys.push_back(morton_key(x.col(i), origin, std::ldexp(1 / side, max_level)));
  std::sort(keys.begin(), keys.end());
  // At each level, the mean over all points of the number of points in the same box (the point itself included).
  std::array<double, deepest + 1> occupancy{};
  for (int level = 0; level <= deepest; ++level) {
    double pairs = 0;
    const int shift = 3 * (max_level - level);
    for (std::size_t first = 0, i = 1; i <= keys.size(); ++i)
      if (i == keys.size() || (keys[i] >> shift) != (keys[first] >> shift)) {
        pairs += ((i - first) * (i - first - 1));
        first = i;
      }
    const double m = keys.size();
    occupancy[level] = 1 + (m > 1 ? pairs / m / (m - 1) * n : 0);
  }
  double best = 0, least = std::numeric_limits<double>::infinity();
  constexpr int steps = 16;  // sizes tried per level
  for (int k = 0; k < deepest * steps; ++k) {
    const auto level = static_cast<std::size_t>(k / steps);
    const double part = double(k % steps) / steps, here = occupancy[level], next = occupancy[level + 1];
    const double children = std::clamp(here / next, 1.5, 8.0);
    const double cost = cost_per_point(here * std::pow(next / here, part), children, costs);
    if (cost < least) {
      least = cost;
      best = level + part;
    }
  }
  return std::exp2(std::ceil(best) - best);
}

/// Whether box a touches box b of the same or a coarser level.
bool touch(const Box& a, const Box& b) {
  const int up = a.level - b.level;
  for (std::size_t k = 0; k < 3; ++k) {
    const int low = b.cell[k] << up, high = low + (1 << up) - 1;
    if (a.cell[k] < low - 1 || a.cell[k] > high + 1) return false;
  }
  return true;
}

}  // namespace

double Costs::per_point_on_surface() const {
  constexpr double children = 4, overhead = 300;  // overhead: sorting, copying
  double best = std::numeric_limits<double>::infinity();
  for (double occupancy = 8; occupancy < 4096; occupancy *= 1.2)
    best = std::min(best, cost_per_point(occupancy, children, *this));
  return best + 2 * point + overhead;
}

Index Costs::crossover() const {
  // Fitted to measured crossovers of a torus mesh: about 2,600, 4,500 and 8,000 points at 1e-3, 1e-6 and 1e-9 (within a
  // third of these for random points in a cube).
  return static_cast<Index>(600 + 2.2 * per_point_on_surface());
}

Octree::Octree(const Points& x, const Costs& costs, double min_side) {
  Vec3 low;
  double tight;
  bounding_cube(x, low, tight);
  side_ = tight * best_enlargement(x, low, tight, costs);
  origin_ = low - Vec3::Constant((side_ - tight) / 2);
  grow(sort_points(x), costs, min_side);
}

Vec3 Octree::center(const Box& box) const {
  const double s = side(box);
  return origin_ + s * Vec3(box.cell[0] + 0.5, box.cell[1] + 0.5, box.cell[2] + 0.5);
}

std::vector<Key> Octree::sort_points(const Points& x) {
  const Index n = x.cols();
  std::vector<Key> keys(n);
  order_.resize(keys.size());
  const double cells = std::ldexp(1 / side_, max_level);
  const auto number = [&](Index i) {
    keys[i] = morton_key(x.col(i), origin_, cells);
    order_[i] = i;
  };
  parallel_for(n, pairs_per_key * n, number, keys_at_once);
  // Sorts all points by the digits of the upper levels, which is cheap; points that still share a box there (strongly
  // clustered points) are sorted by the remaining digits.
  constexpr int upper_levels = 11;
  const int low_bit = 3 * (max_level - upper_levels);
  radix_sort(keys, order_, low_bit, 3 * upper_levels);
  for (std::size_t first = 0, i = 1; i <= keys.size(); ++i) {
    if (i < keys.size() && keys[i] >> low_bit == keys[first] >> low_bit) continue;
    if (i - first > 1) {
      std::vector<std::pair<Key, Index>> run;
      for (std::size_t k = first; k < i; ++k) run.emplace_back(keys[k], order_[k]);
      std::sort(run.begin(), run.end());
      for (std::size_t k = first; k < i; ++k) std::tie(keys[k], order_[k]) = run[k - first];
    }
    first = i;
  }
  return keys;
}

/// One list of boxes for each box of a level, concatenated.
struct Octree::Lists {
  std::vector<int> items;
  std::vector<std::size_t> start{0};

  Range of(std::size_t k) const { return {items.data() + start[k], items.data() + start[k + 1]}; }
  void close() { start.push_back(items.size()); }
  void append(const Lists& more) {
    const std::size_t before = items.size();
    items.insert(items.end(), more.items.begin(), more.items.end());
    for (std::size_t k = 1; k < more.start.size(); ++k) start.push_back(before + more.start[k]);
  }
};

/// For each box of a level, the boxes that it touches: those of the same level (itself included) and coarser leaves.
struct Octree::Neighbors {
  Lists same, coarse;
};

/// The interactions of a box and its children.
struct Octree::Meetings {
  Neighbors children;
  std::vector<Pair> near, far, uneven;
};

void Octree::grow(const std::vector<Key>& keys, const Costs& costs, double min_side) {
  boxes_.push_back({.end = static_cast<Index>(keys.size())});
  levels_ = {0, 1};
  std::vector<Pair> near;
  Neighbors neighbors{{{0}, {0, 1}}, {{}, {0, 0}}};
  for (int level = 0;; ++level) {
    const int begin = level_begin(level), end = level_begin(level + 1), count = end - begin;
    std::vector<Cut> cuts(count);
    const bool can_split = level < max_level && std::ldexp(side_, -level - 1) >= min_side;
    constexpr int block = 64;  // boxes whose lists one thread builds per turn
    const auto cut_box = [&](Index k) {
      const std::size_t at = k;
      cuts[at] = cut(box(begin + static_cast<int>(k)), neighbors.same.of(at), neighbors.coarse.of(at), keys, costs);
    };
    if (can_split) parallel_for(count, pairs_per_cut * count, cut_box, block);
    for (int k = 0; k < count; ++k) add_children(begin + k, cuts[k]);

    const int blocks = (count + block - 1) / block;
    std::vector<Meetings> meetings(blocks);
    parallel_for(blocks, pairs_per_meeting * count, [&](Index of) {
      const int first = static_cast<int>(of) * block;
      for (int k = first; k < std::min(count, first + block); ++k)
        meet(begin + k, neighbors.same.of(k), neighbors.coarse.of(k), meetings[of]);
    });
    neighbors = {};
    const auto append = [](std::vector<Pair>& to, const std::vector<Pair>& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    for (const Meetings& met : meetings) {
      append(near, met.near);
      append(far_, met.far);
      append(uneven_, met.uneven);
      neighbors.same.append(met.children.same);
      neighbors.coarse.append(met.children.coarse);
    }
    if (static_cast<int>(boxes_.size()) == end) break;
    levels_.push_back(boxes_.size());
  }
  lay_out_places();
  sum_small_boxes_directly(costs, near);
  gather_near(near);
}

/// Divides the points of a box among its octants if that pays off.
Octree::Cut Octree::cut(const Box& box, Range same, Range coarse, const std::vector<Key>& keys,
                        const Costs& costs) const {
  Index around = 0;
  for (int other : same) around += this->box(other).size();
  for (int other : coarse) around += this->box(other).size();
  // The points of an octant share the next digit and are consecutive, because keys are sorted.
  const int shift = 3 * (max_level - box.level - 1);
  Cut cut;
  cut.start[0] = box.begin;
  for (std::size_t octant = 0; octant < 8; ++octant) {
    const auto first = keys.begin() + cut.start[octant], last = keys.begin() + box.end;
    cut.start[octant + 1] =
        std::partition_point(first, last, [&](Key key) { return (key >> shift & 7) <= octant; }) - keys.begin();
    cut.children += cut.start[octant + 1] > cut.start[octant];
  }
  // Splitting a box into 2^D children reduces the pairs of each of its points by a factor 2^−D (with half a group of
  // padding included) and adds far boxes to each child. A single child, which is only a finer box, counts as two.
  const double children = cut.children, alike = std::max(children, 2.0);
  const double pairs_saved = (box.size() + 0.5 * group) * around * (1 - 1 / alike);
  if (pairs_saved < children * far_boxes(alike) * costs.translation) cut.children = 0;
  return cut;
}

void Octree::add_children(int parent, const Cut& cut) {
  if (cut.children == 0) return;
  boxes_[parent].first_child = boxes_.size();
  boxes_[parent].children = cut.children;
  for (int octant = 0; octant < 8; ++octant) {
    const std::size_t o = octant;
    if (cut.start[o + 1] == cut.start[o]) continue;
    Box child{.level = box(parent).level + 1, .parent = parent, .begin = cut.start[o], .end = cut.start[o + 1]};
    for (std::size_t a = 0; a < 3; ++a) child.cell[a] = 2 * box(parent).cell[a] + (octant >> a & 1);
    boxes_.push_back(child);
  }
}

/// If both of two touching boxes are split, their children touch or are far; if one is a leaf, the children of the
/// other touch it or are uneven with it; if both are leaves, they are near.
void Octree::meet(int b, Range same, Range coarse, Meetings& meetings) const {
  const Box& box = this->box(b);
  if (box.leaf()) {
    for (int other : same)
      if (this->box(other).leaf()) meetings.near.push_back({b, other});
    for (int other : coarse) {
      meetings.near.push_back({b, other});
      meetings.near.push_back({other, b});
    }
  }
  for (int c = box.first_child; c < box.first_child + box.children; ++c) {
    const Box& child = this->box(c);
    const auto meet_leaf = [&](int leaf) {
      if (touch(child, this->box(leaf)))
        meetings.children.coarse.items.push_back(leaf);
      else
        meetings.uneven.push_back({c, leaf});
    };
    for (int other : same) {
      const Box& beside = this->box(other);
      if (beside.leaf()) meet_leaf(other);
      for (int k = beside.first_child; k < beside.first_child + beside.children; ++k)
        if (touch(child, this->box(k)))
          meetings.children.same.items.push_back(k);
        else
          meetings.far.push_back({c, k});
    }
    for (int other : coarse) meet_leaf(other);
    meetings.children.same.close();
    meetings.children.coarse.close();
  }
}

/// If expansions would cost more than direct summation, replaces an uneven pair by near pairs of the leaf with the
/// leaves in the box.
void Octree::sum_small_boxes_directly(const Costs& costs, std::vector<Pair>& near) {
  const auto small = [&](const Pair& pair) { return box(pair.target).size() <= costs.point; };
  for (const Pair& pair : uneven_) {
    if (!small(pair)) continue;
    near.push_back({pair.source, pair.target});
    std::vector<int> below{pair.target};
    while (!below.empty()) {
      const int b = below.back();
      below.pop_back();
      if (box(b).leaf()) near.push_back({b, pair.source});
      for (int c = box(b).first_child; c < box(b).first_child + box(b).children; ++c) below.push_back(c);
    }
  }
  std::erase_if(uneven_, small);
}

void Octree::lay_out_places() {
  for (std::size_t b = 0; b < boxes_.size(); ++b)
    if (boxes_[b].leaf()) leaves_.push_back(b);
  std::sort(leaves_.begin(), leaves_.end(), [&](int a, int b) { return boxes_[a].begin < boxes_[b].begin; });
  place_.resize(order_.size());
  Index place = 0;
  for (int leaf : leaves_) {
    Box& box = boxes_[leaf];
    box.place_begin = place;
    for (Index k = box.begin; k < box.end; ++k) place_[k] = place + k - box.begin;
    place += (box.size() + group - 1) / group * group;
    box.place_end = place;
  }
  for (std::size_t b = boxes_.size(); b-- > 0;) {
    Box& box = boxes_[b];
    if (box.leaf()) continue;
    box.place_begin = boxes_[box.first_child].place_begin;
    box.place_end = boxes_[box.first_child + box.children - 1].place_end;
  }
}

void Octree::gather_near(const std::vector<Pair>& near) {
  std::vector<int> number(boxes_.size(), -1);
  for (std::size_t k = 0; k < leaves_.size(); ++k) number[leaves_[k]] = k;
  near_start_.assign(leaves_.size() + 1, 0);
  const auto leaf = [&](const Pair& pair) { return static_cast<std::size_t>(number[pair.target]); };
  for (const Pair& pair : near) ++near_start_[leaf(pair) + 1];
  std::partial_sum(near_start_.begin(), near_start_.end(), near_start_.begin());
  near_.resize(near.size());
  std::vector<std::size_t> next(near_start_.begin(), near_start_.end() - 1);
  for (const Pair& pair : near) near_[next[leaf(pair)]++] = pair.source;
  // In tree order, so that sources that are close in space are close in memory.
  const auto sort_sources = [&](Index k) {
    std::sort(near_.data() + near_start_[k], near_.data() + near_start_[k + 1],
              [&](int a, int b) { return boxes_[a].begin < boxes_[b].begin; });
  };
  parallel_for(leaves_.size(), pairs_per_key * near_.size(), sort_sources, lists_at_once);
}

Index Octree::crossings(const Points& x) const {
  Index count = 0;
  for (int leaf : leaves_) {
    const Box& box = boxes_[leaf];
    const Vec3 c = center(box);
    const double half = side(box) / 2 * (1 + 1e-9);
    for (Index k = box.begin; k < box.end; ++k)
      count += !((x.col(order_[k]) - c).array().abs() <= half).all();  // NaN counts as outside
  }
  return count;
}

}  // namespace pithball::sim::fmm
