#pragma once
#include <memory>
#include <vector>

#include "sim/coulomb/coulomb_sum.hpp"
#include "sim/coulomb/direct/pair_sums.hpp"
#include "sim/coulomb/fmm/operators.hpp"

namespace pithball::sim::fmm {

/// The tree with its lists arranged for the kernels: pairs of boxes by the offset between them, pairs of points by
/// leaf.
class FmmStructure final : public CoulombSum::Structure {
 public:
  /// x [m], 3×N; operators of the wanted order, not null; no box becomes smaller than `min_side` [m].
  FmmStructure(const Points& x, std::shared_ptr<const Operators> operators, double min_side);
  Index crossings(const Points& x) const override { return tree_.crossings(x); }

  const Operators& operators() const { return *operators_; }  ///< shared by all sums of this order
  const Octree& tree() const { return tree_; }                ///< the boxes and the plain lists
  /// The pairs of points that are summed directly.
  std::shared_ptr<const direct::PairPattern> near() const { return near_; }

  /// Far pairs of one offset.
  struct Group {
    int offset;                                          ///< `Translations::number_of` of target minus source
    const Octree::Pair *first,                           ///< first pair
        *last;                                           ///< behind the last one
    const Octree::Pair* begin() const { return first; }  ///< for range loops
    const Octree::Pair* end() const { return last; }     ///< for range loops
  };
  /// The far pairs in chunks that share no target, each in groups by offset, so that chunks can go to different threads
  /// and a target adds up its sources in the same order however the chunks are cut.
  const std::vector<std::vector<Group>>& far() const { return groups_; }

  /// The uneven pairs by their (smaller) target, and the same by their leaf: item k is runs[k] … runs[k + 1] − 1.
  struct Runs {
    std::vector<Octree::Pair> pairs;  ///< sorted by the box that the list is for
    std::vector<std::size_t> start;   ///< where each item begins in `pairs`, and at the end their number
    /// Number of items: boxes or leaves that have an uneven pair.
    std::size_t size() const { return start.size() - 1; }
  };
  const Runs& uneven_by_box() const { return by_box_; }    ///< items share a target
  const Runs& uneven_by_leaf() const { return by_leaf_; }  ///< items share a leaf, the source

 private:
  void arrange_near();
  void cut_near();
  void group_far();

  std::shared_ptr<const Operators> operators_;
  Octree tree_;
  std::shared_ptr<direct::PairPattern> near_;
  std::vector<Octree::Pair> far_;
  std::vector<std::vector<Group>> groups_;
  Runs by_box_, by_leaf_;
};

}  // namespace pithball::sim::fmm
