#pragma once
#include <functional>
#include <memory>

#include "sim/coulomb/ddef/ddef_structure.hpp"
#include "sim/coulomb/ddef/gap_sums.hpp"

namespace pithball::sim {

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

  /// Sources at all slots; `fill(point, s)` writes what a record holds behind its position and says whether it acts.
  KernelSources make_sources(direct::Kernel kernel, const std::function<bool(Index point, double* s)>& fill) const;
  KernelSources charges(direct::Kernel kernel, const Vector& charge) const;
  KernelSources dipoles(direct::Kernel kernel, const Points& dipole) const;
  /// What far sources do at the corners of each cell.
  CornerSums far_sums(const KernelSources& sources) const;
  /// The transpose, as charges see it: sum over far (cell, corner) of the field and potential of dipoles W at the
  /// corners.
  direct::Channels far_dipoles(const CornerSums& dipoles) const;
  /// What near sources do at each slot. Kernels of pairs find channels behind the position in `more`.
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
