#pragma once
#include "sim/coulomb/direct/channels.hpp"
#include "sim/coulomb/fmm/fmm_structure.hpp"

namespace pithball::sim::fmm {

/// Expansions of all boxes, one after another, made from the weights at all points.
struct Expansions {
  direct::Channels multipoles,  ///< effect of each box on others, one channel
      locals;                   ///< effect of all others on each box
};

/// The part of the sum that goes through expansions, in units without k_c. All arrays are by place.
class FarField {
 public:
  /// Both are kept as references: the positions [m] by place, three channels, with padding at finite points.
  FarField(const FmmStructure& structure, const direct::Channels& positions)
      : structure_(structure), tree_(structure.tree()), operators_(structure.operators()), x_(positions) {}

  /// False where all pairs are near.
  bool exists() const { return !tree_.far().empty() || !tree_.uneven().empty(); }
  /// The expansions of the weights at all points.
  Expansions expand(const Weights& weights) const;
  /// Adds the values of expansions at all points.
  void add_values(const Expansions& expansions, const Wanted& wanted, const Values& values) const;
  /// The field of expansions, three components, and their potential at the point with this place in leaf `leaf` (a
  /// number of a box).
  Eigen::Vector4d values_at(const Expansions& expansions, int leaf, Index place) const;

 private:
  Frame frame(const Box& b) const { return {tree_.center(b), tree_.side(b)}; }
  PointRange points(const Box& b) const { return {{x_[0], x_[1], x_[2]}, b.place_begin, b.place_end}; }
  template <class Number>
  Number* of(Number* expansions, int box) const {
    return expansions + operators_.stride() * box;
  }

  void make_multipoles(const Weights& weights, double* multipoles) const;
  void make_locals(const Weights& weights, double* multipoles, double* locals) const;
  /// work(leaf) for all leaves.
  template <class Work>
  void for_leaves(Work work) const;
  /// work(box, leaf) for all uneven pairs.
  template <class Work>
  void for_runs(const FmmStructure::Runs& runs, Work work) const;
  /// Moves expansions between the boxes of a level and their children: `from(parent, child)` to `to(parent, child)`.
  template <class From, class To>
  void move_octants(int level, bool up, From from, To to) const;

  const FmmStructure& structure_;
  const Octree& tree_;
  const Operators& operators_;
  const direct::Channels& x_;
};

}  // namespace pithball::sim::fmm
