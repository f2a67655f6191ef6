#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "sim/coulomb/coulomb_sum.hpp"
#include "sim/coulomb/direct/pair_sums.hpp"
#include "sim/coulomb/fmm/operators.hpp"

namespace pithball::sim::fmm {

/// The accuracy required of a sum.
struct Accuracy {
  double tolerance = 1e-6,  ///< relative L2 error of the field
      softening = 0;        ///< ε ≥ 0 [m]

  /// Least side of a box [m]: those that interact through expansions, which neglect softening, lie at least a side of
  /// the smaller one apart, so that its neglect, 3/2 (ε/r)², is within the tolerance.
  double min_side() const;
};

/// The tree with its lists arranged for the kernels: pairs of boxes by the offset between them, pairs of points by
/// leaf.
///
/// The order of expansion depends on the charges too: it is settled by those that a structure is first used with, and
/// stays. So a structure that is used again gives a smooth function of positions and charges.
class FmmStructure final : public CoulombSum::Structure {
 public:
  /// How fields are summed, and whether that depends on the charges.
  struct Orders {
    std::shared_ptr<const Operators> operators;  ///< of the order, not null
    bool settled = false;                        ///< whether this order is kept whatever the charges are
    bool expansions = true;                      ///< false: all pairs are near
  };
  /// x [m], 3×N.
  FmmStructure(const Points& x, const Accuracy& accuracy, const Orders& orders);
  Index crossings(const Points& x) const override;

  const Accuracy& accuracy() const { return accuracy_; }  ///< the accuracy required of the sum
  /// The structure to be used in place of this one; null: this one; empty: no charges have been seen yet.
  std::optional<std::shared_ptr<const FmmStructure>> settled() const;
  /// Keeps `better`, or this structure if it is null, from now on. Only the first call has an effect.
  void settle(std::shared_ptr<const FmmStructure> better) const;

  const Operators& operators() const { return *operators_; }  ///< shared by all sums of this order
  const Octree& tree() const { return tree_; }                ///< the boxes and the plain lists
  /// The pairs of points that are summed directly.
  std::shared_ptr<const direct::PairPattern> near() const { return near_; }

  /// Far pairs of one offset.
  struct Group {
    int offset;                                          ///< `Translations::number_of` of target minus source
    const Octree::Pair *first,                           ///< first pair
        *last;                                           ///< one past the last one
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
  const Runs& uneven_by_box() const { return by_box_; }    ///< the pairs of an item share a target
  const Runs& uneven_by_leaf() const { return by_leaf_; }  ///< the pairs of an item share a leaf, their source

 private:
  void arrange_near();
  void cut_near();
  void group_far();

  Accuracy accuracy_;
  std::shared_ptr<const Operators> operators_;
  Octree tree_;
  std::shared_ptr<direct::PairPattern> near_;
  std::vector<Octree::Pair> far_;
  std::vector<std::vector<Group>> groups_;
  Runs by_box_, by_leaf_;
  mutable std::mutex mutex_;
  mutable std::optional<std::shared_ptr<const FmmStructure>> settled_;
};

}  // namespace pithball::sim::fmm
