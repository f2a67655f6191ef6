#pragma once
#include <functional>
#include <string>
#include <vector>

#include "diff/loss/trajectory_loss.hpp"
#include "diff/rollout/rollout.hpp"

namespace pithball::diff {

/// How closely the three derivatives must agree, relative to the block's largest entry.
struct GradientCheckOptions {
  double tangent_tolerance = 1e-8;  ///< adjoint against tangent: both exact up to the solves' 1e-12
  double difference_tolerance =
      1e-6;                 ///< adjoint against finite differences, beyond what these know of their own error
  Index entries = 6;        ///< entries checked singly in each block, the largest among them; all of small blocks
  double budget_mb = 1024;  ///< memory for tapes
  /// Called as the check proceeds with the share of the work that is done, from 0 to 1.
  std::function<void(double)> on_progress = {};
};

/// One block of physical values under check.
struct GradientBlock {
  std::string name;
  Index size = 0;
  double largest = 0;             ///< largest entry of the adjoint gradient; 0: the loss does not depend on the block
  double adjoint_vs_tangent = 0;  ///< worst difference, relative to `largest`
  double adjoint_vs_difference = 0;
  double difference_error = 0;  ///< what the finite differences say of their own error, same scale
  std::string worst;            ///< the entry or direction that disagrees most, with the three numbers
  bool passed = false;
};

struct GradientCheck {
  bool passed = false;
  RolloutStatus status;
  double loss = 0;
  std::vector<GradientBlock> blocks;
  /// How many particles the finite differences took, at most at one time, out of the cells of an approximate force (see
  /// `ForceTerm::frozen`).
  Index crossings = 0;
};

/// Compares adjoint, tangent and finite differences block by block: for each block its largest entry, a few others and
/// one direction through all entries. Approximate forces and integrators that choose their substeps are frozen for it:
/// they keep, at each time, the cells and the substeps that the reference run had. Blocks that the loss does not depend
/// on must be zero in all three; if no block has a derivative, the check fails. Costs one adjoint, one tangent of all
/// directions and about 14 forward runs for each direction.
GradientCheck check_gradient(const Scenario& scenario, const TrajectoryLoss& loss,
                             const GradientCheckOptions& options = {});

}  // namespace pithball::diff
