#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "sim/core/types.hpp"

namespace pithball::sim::fmm {

/// What the parts of a sum cost, in units of one pair of points summed directly. They decide how deep the tree goes.
struct Costs {
  double translation = 300;  ///< of one expansion between two boxes
  double point = 30;         ///< of one irregular expansion at one point, or from it

  /// Cost of one point in a tree whose leaves have the best size, for many points on a surface.
  double per_point_on_surface() const;
  /// Number of points from which expansions are faster than summing all pairs.
  Index crossover() const;
};

/// A cube of the tree with its points. Points are numbered in tree order (along a Morton curve), so that those of a box
/// are consecutive; their *places* are the same with gaps, so that each leaf starts at a multiple of `group`.
struct Box {
  int level = 0;              ///< 0: the root; side 2^−level of the root's
  std::array<int, 3> cell{};  ///< 0 … 2^level − 1 on each axis
  int parent = -1;            ///< number of its parent box; −1: the root
  int first_child = -1,       ///< number of the first of its children, which follow each other; −1: a leaf
      children = 0;           ///< how many, 1 to 8; 0: a leaf
  Index begin = 0,            ///< first point, in tree order
      end = 0;                ///< one past the last point
  Index place_begin = 0,      ///< place of its first point, a multiple of `group`
      place_end = 0;          ///< one past its last place, gaps included

  bool leaf() const { return children == 0; }  ///< whether it has no children
  Index size() const { return end - begin; }   ///< number of points
  /// 0 … 7: bit a is set if the box lies on the upper side of its parent's axis a.
  int octant() const { return (cell[0] & 1) | (cell[1] & 1) << 1 | (cell[2] & 1) << 2; }
};

/// An adaptive octree: a box is split where the cost model says that it pays. The root is not the tightest cube but up
/// to twice as large, so that the leaves have the best size, not just the nearest power of two below.
///
/// Every pair of points meets in exactly one list (Carrier, Greengard and Rokhlin, SIAM J. Sci. Stat. Comput. 9 (1988)
/// 669):
///   near       leaves that touch: directly,
///   far        boxes of one level that do not touch but whose parents do: multipole to local expansion,
///   uneven     a leaf and a smaller box that does not touch it, but whose parent does: the leaf's points make a local
///              expansion in the box, the box's multipole is evaluated at the leaf's points (or, where that is cheaper,
///              directly).
class Octree {
 public:
  static constexpr Index group = 8;     ///< places of a leaf begin at a multiple of this
  static constexpr int max_level = 21;  ///< of any box: its Morton code has 3 bits for each level, in 64
  /// Boxes of levels 0 and 1 all touch each other.
  static constexpr int first_far_level = 2;

  /// `min_side`: no box becomes smaller [m].
  Octree(const Points& x, const Costs& costs, double min_side = 0);

  const std::vector<Box>& boxes() const { return boxes_; }  ///< level by level; the root is box 0
  const Box& box(int b) const { return boxes_[b]; }         ///< box number b
  /// Boxes of level l are level_begin(l) … level_begin(l + 1) − 1; levels 0 … deepest().
  int level_begin(int level) const { return levels_[level]; }
  int deepest() const { return static_cast<int>(levels_.size()) - 2; }  ///< largest level that has a box
  const std::vector<int>& leaves() const { return leaves_; }  ///< numbers of the boxes without children, in tree order
  /// Which particle is where in tree order.
  const std::vector<Index>& order() const { return order_; }
  /// Place of each point in tree order; `places()` in all.
  const std::vector<Index>& place() const { return place_; }
  Index places() const { return boxes_.front().place_end; }  ///< number of places, gaps included

  Vec3 center(const Box& box) const;                                           ///< of the cube [m], not of its points
  double side(const Box& box) const { return std::ldexp(side_, -box.level); }  ///< edge length of the cube [m]

  /// Boxes whose points are summed directly at the points of leaf `leaf` (an index into `leaves()`).
  struct Range {
    const int *first,                           ///< number of the first box, in an array
        *last;                                  ///< one past the last one
    const int* begin() const { return first; }  ///< for range loops
    const int* end() const { return last; }     ///< for range loops
  };
  /// The boxes that touch the leaf, itself included, and uneven partners that are cheaper to sum directly.
  Range near(std::size_t leaf) const {
    return {near_.data() + near_start_[leaf], near_.data() + near_start_[leaf + 1]};
  }

  /// Numbers of two boxes.
  struct Pair {
    int target,  ///< the box that feels the source
        source;  ///< the box that acts
  };
  /// Ordered pairs of boxes whose expansions interact, by target.
  const std::vector<Pair>& far() const { return far_; }
  /// Pairs of a smaller box (target) and a leaf (source); each represents both directions.
  const std::vector<Pair>& uneven() const { return uneven_; }

  /// How many points lie outside their leaf.
  Index crossings(const Points& x) const;

 private:
  using Key = std::uint64_t;
  struct Lists;
  struct Neighbors;
  struct Meetings;
  /// First point of each octant and, last, the end; children: how many octants hold points, 0 to leave the box whole.
  struct Cut {
    std::array<Index, 9> start{};
    int children = 0;
  };
  std::vector<Key> sort_points(const Points& x);
  void grow(const std::vector<Key>& keys, const Costs& costs, double min_side);
  Cut cut(const Box& box, Range same, Range coarse, const std::vector<Key>& keys, const Costs& costs) const;
  void add_children(int parent, const Cut& cut);
  void meet(int box, Range same, Range coarse, Meetings& meetings) const;
  void lay_out_places();
  void sum_small_boxes_directly(const Costs& costs, std::vector<Pair>& near);
  void gather_near(const std::vector<Pair>& near);

  Vec3 origin_ = Vec3::Zero();  ///< lower corner of the root
  double side_ = 1;             ///< of the root [m]
  std::vector<Box> boxes_;
  std::vector<int> levels_, leaves_;
  std::vector<Index> order_, place_;
  std::vector<std::size_t> near_start_;
  std::vector<int> near_;
  std::vector<Pair> far_, uneven_;
};

}  // namespace pithball::sim::fmm
