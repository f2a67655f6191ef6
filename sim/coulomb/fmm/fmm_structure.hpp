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
  FmmStructure(const Points& x, std::shared_ptr<const Operators> operators, double min_side);
  Index crossings(const Points& x) const override { return tree_.crossings(x); }

  const Operators& operators() const { return *operators_; }
  const Octree& tree() const { return tree_; }
  /// The pairs of points that are summed directly.
  std::shared_ptr<const direct::PairPattern> near() const { return near_; }

  /// Far pairs of one offset.
  struct Group {
    int offset;
    const Octree::Pair *first, *last;
    const Octree::Pair* begin() const { return first; }
    const Octree::Pair* end() const { return last; }
  };
  /// The far pairs in chunks that share no target, each in groups by offset, so that chunks can go to different threads
  /// and a target adds up its sources in the same order however the chunks are cut.
  const std::vector<std::vector<Group>>& far() const { return groups_; }

  /// The uneven pairs by their (smaller) target, and the same by their leaf: item k is runs[k] … runs[k + 1] − 1.
  struct Runs {
    std::vector<Octree::Pair> pairs;
    std::vector<std::size_t> start;
    std::size_t size() const { return start.size() - 1; }
  };
  const Runs& uneven_by_box() const { return by_box_; }
  const Runs& uneven_by_leaf() const { return by_leaf_; }

 private:
  void arrange_near();
  void group_far();

  std::shared_ptr<const Operators> operators_;
  Octree tree_;
  std::shared_ptr<direct::PairPattern> near_;
  std::vector<Octree::Pair> far_;
  std::vector<std::vector<Group>> groups_;
  Runs by_box_, by_leaf_;
};

}  // namespace pithball::sim::fmm
