#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "sim/coulomb/ddef/ddef_structure.hpp"
#include "sim/coulomb/direct/channels.hpp"

namespace pithball::sim {

/// Channels for n targets, all 0.
inline direct::Channels zero_channels(int channels, Index n) {
  direct::Channels zero(channels, direct::padded_size(n));
  zero.set_zero();
  return zero;
}

/// A kernel with the records of its sources.
struct KernelSources {
  /// `count` sources; all records are 0, and none acts.
  KernelSources(direct::Kernel k, Index count) : kernel(k), records(count * record()), acts(count) {}
  Index record() const { return direct::shape_of(kernel).record; }  ///< length of a source's record, position included
  int sums() const { return direct::shape_of(kernel).sums; }        ///< numbers that the kernel adds for each target
  /// The record of source j: position [m], then what the kernel's comment lists.
  double* at(Index j) { return records.data() + j * record(); }
  const double* at(Index j) const { return records.data() + j * record(); }  ///< the same, read-only

  direct::Kernel kernel;        ///< which sums the sources contribute to
  std::vector<double> records;  ///< one after another, without gaps
  std::vector<char> acts;       ///< whether the source contributes at all: has a charge, a dipole, …
};

/// Adds the sums over sources first ≤ j < last to all targets, none of which is a source.
void add_sums(const KernelSources& sources, Index first, Index last, const direct::Channels& targets, double softening2,
              direct::Channels& sums);

/// Σ over all sources but those in blocks that the target leaves out, for `count` targets. Block b holds the sources
/// block_begin[b] ≤ j < block_begin[b + 1]. What is left out is never added, so nothing is lost to cancellation.
/// Parallel over targets, the same to the last bit for any number of threads.
direct::Channels sum_with_gaps(const KernelSources& sources, const std::vector<Index>& block_begin,
                               const direct::Channels& targets, Index count,
                               const std::function<std::span<const Index>(Index target)>& left_out, double softening2);

/// The sums of DDEF for one structure and one set of positions. All arrays over points are in the structure's slots.
class DdefPlan final : public CoulombSum::Plan {
 public:
  /// x [m] for as many points as the structure's, options those it was made with; ε ≥ 0 [m].
  DdefPlan(const Points& x, std::shared_ptr<const DdefStructure> structure, const DdefOptions& options,
           double softening);
  void evaluate(const CoulombSources& sources, const CoulombResult& result) const override;
  void force_jvp(const Vector& charge, const Points& dx, const Vector& dcharge, Points& df) const override;
  void force_vjp(const Vector& charge, const Points& w, Points& dx, Vector& dcharge) const override;

 private:
  /// Column 4 c + a: the sums of a kernel at corner a of cell c.
  using CornerSums = Eigen::MatrixXd;

  /// Sources at all slots; `fill(point, s)` writes what a record holds after its position and says whether it acts.
  KernelSources make_sources(direct::Kernel kernel, const std::function<bool(Index point, double* s)>& fill) const;
  KernelSources charges(direct::Kernel kernel, const Vector& charge) const;
  KernelSources dipoles(direct::Kernel kernel, const Points& dipole) const;
  /// Sums of the far sources at the corners of each cell.
  CornerSums far_sums(const KernelSources& sources) const;
  /// The transpose, with respect to charges: sum over far (cell, corner) of the field and potential of dipoles W at the
  /// corners.
  direct::Channels far_dipoles(const CornerSums& dipoles) const;
  /// Sums of the near sources at each slot. Kernels of pairs read the channels after the position from `more`.
  direct::Channels near_sums(const KernelSources& sources, const direct::Channels* more = nullptr) const;
  /// Σ_a λ_a(x_i) S_a for all slots, added to the sums.
  void add_interpolated(const CornerSums& corner_sums, direct::Channels& sums) const;

  Points vertex_points(std::span<const Index> vertices) const;
  template <class Work>
  void for_cells(Work work) const;

  std::shared_ptr<const DdefStructure> structure_;
  bool interpolates_;
  double softening2_;
  Index n_;
  direct::Channels x_;                                        ///< positions by slot
  Eigen::Matrix<double, 4, Eigen::Dynamic> weight_;           ///< λ_a of each slot
  Eigen::Matrix<double, 3, Eigen::Dynamic> weight_gradient_;  ///< column 4 c + a: ∇λ_a of cell c
};

}  // namespace pithball::sim
