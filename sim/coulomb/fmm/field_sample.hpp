#pragma once
#include <vector>

#include "sim/coulomb/direct/channels.hpp"
#include "sim/coulomb/fmm/fmm_structure.hpp"

namespace pithball::sim::fmm {

/// Field and potential of charges at a few points of a tree, summed directly, in units without k_c: what expansions are
/// compared with.
class FieldSample {
 public:
  /// x, charge: positions [m] (three channels) and charges of all points, by place; `points`: the few, ascending, as
  /// numbers in tree order.
  FieldSample(const FmmStructure& structure, const direct::Channels& x, const double* charge,
              std::vector<Index> points);

  Index size() const { return points_.size(); }                     ///< number of the few points
  Index place(Index s) const { return tree_.place()[points_[s]]; }  ///< of point s, 0 ≤ s < size()
  int leaf(Index s) const { return tree_.leaves()[leaf_[s]]; }      ///< number of the box that point s is in
  /// Three components of the field and the potential, one column for each point.
  using Values = Eigen::Matrix<double, 4, Eigen::Dynamic>;
  Values whole() const;  ///< of all charges
  Values near() const;   ///< of those in near boxes

 private:
  void add_box(int box, Index s, double* sum) const;

  const Octree& tree_;
  std::vector<Index> points_;
  std::vector<std::size_t> leaf_;
  direct::Channels x_;           // of the points, padded by the last
  std::vector<double> records_,  // of all sources, in tree order
      target_;                   // which of the points each is, as the kernels compare it
  std::vector<Index> before_;    // number of sources before each point of the tree, and in all
  double softening2_;
};

}  // namespace pithball::sim::fmm
