#pragma once
#include "sim/coulomb/direct/direct_coulomb_sum.hpp"
#include "sim/coulomb/direct/pair_sums.hpp"

namespace pithball::sim::direct {

/// The sum over all pairs of points. Chooses among the kernels: each pair once where all points are charged and there
/// are enough of them (only these can be in single precision), one-sided otherwise; the choice never depends on the
/// number of threads.
class DirectPlan final : public PairSums {
 public:
  /// x [m], 3×N; ε ≥ 0 [m].
  DirectPlan(const Points& x, double softening, Precision precision);

 protected:
  Channels run(Kernel kernel, const Channels& points) const override;

 private:
  bool pays_each_pair_once(Kernel kernel, const Channels& points) const;
  Channels run_each_pair_once(Kernel kernel, const Channels& points) const;
  Channels run_each_pair_once_in_single(Kernel kernel, const double* charge) const;

  Index n_;
  Precision precision_;
};

}  // namespace pithball::sim::direct
