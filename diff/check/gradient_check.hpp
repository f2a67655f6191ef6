#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "diff/loss/trajectory_loss.hpp"
#include "diff/rollout/rollout.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::diff {

/// A derivative by finite differences, with the error estimated by its extrapolation table.
struct DifferenceEstimate {
  double value = 0;  ///< f'(0), in units of f (s has none)
  double error = 0;  ///< estimated error of `value`, in its unit
};

/// f'(0) by Ridders' method (1982): differences with steps first_step/2^k, extrapolated to step 0 (Neville); the entry
/// of the table with the smallest estimated error is used. Central differences, or one-sided ones for f defined at s >=
/// 0 only. Empty if f cannot be evaluated (returns nothing) at any step.
std::optional<DifferenceEstimate> differentiate(const std::function<std::optional<double>(double)>& f,
                                                double first_step, bool one_sided = false);

/// Settings of a gradient check; tolerances are relative to the block's largest entry.
struct GradientCheckOptions {
  double tangent_tolerance = 1e-8;     ///< adjoint against tangent: both are exact up to the 1e-12 of the linear solves
  double difference_tolerance = 1e-6;  ///< adjoint against finite differences, in addition to their estimated error
  Index entries = 6;        ///< entries checked individually in each block, including the largest; all of small blocks
  double budget_mb = 1024;  ///< memory for tapes
  /// Called during the check with the completed fraction, from 0 to 1.
  std::function<void(double)> on_progress = {};
};

/// What the check of a block found.
enum class BlockVerdict {
  Ok,           ///< all three derivatives agree
  Zero,         ///< all of them are 0, or zero up to the rounding of the loss: there is nothing to compare
  NotResolved,  ///< they differ by more than a tolerance, which the rounding of the loss explains
  Failed,       ///< they differ by more than the tolerances and rounding, or are not numbers
};

/// "ok", "zero", "not resolved" or "failed".
const char* to_string(BlockVerdict);

/// Check of one block of physical values.
struct GradientBlock {
  std::string name;    ///< name of a block of Model::values(), or "position" or "velocity" of the initial state
  Index size = 0;      ///< number of entries; 0: the block is empty and passes
  double largest = 0;  ///< largest entry of the adjoint gradient; 0: the loss does not depend on the block
  double adjoint_vs_tangent = 0;     ///< worst difference, relative to `largest`
  double adjoint_vs_difference = 0;  ///< likewise, against finite differences; ∞ if none could be computed
  double difference_error = 0;       ///< estimated error of the finite differences, on the same scale
  double floor = 0;                  ///< rounding of the finite differences where it is largest, on the same scale
  std::string worst;                 ///< the entry or direction with the largest disagreement, with the three numbers
  BlockVerdict verdict = BlockVerdict::Zero;  ///< what the check found
  bool passed = false;                        ///< it is not `Failed`
};

/// Result of a comparison of adjoint, tangent and finite-difference derivatives of a loss.
struct GradientCheck {
  bool passed = false;                ///< every block passed, and at least one is `Ok`
  RolloutStatus status;               ///< how the recorded forward run ended; if not Ok, there are no blocks
  double loss = 0;                    ///< L of that run
  std::vector<GradientBlock> blocks;  ///< those of Model::values(), then "position" and "velocity"
  /// Largest number of particles that the finite differences moved out of the cells of an approximate force at one time
  /// (see `ForceTerm::frozen`).
  Index crossings = 0;
};

/// Compares adjoint, tangent and finite differences block by block: for each block its largest entry, a few others and
/// one direction through all entries. Approximate forces and adaptive integrators are frozen: at each time they keep
/// the cells and substeps of the reference run. Blocks on which the loss does not depend must be zero in all three; if
/// the derivatives of no block can be compared, the check fails. Costs one adjoint, one tangent of all directions and
/// about 14 forward runs for each direction.
GradientCheck check_gradient(const Scenario& scenario, const TrajectoryLoss& loss,
                             const GradientCheckOptions& options = {});

/// An entry of `blocks` in gradient.json.
void fields(FieldVisitor& v, GradientBlock& block);

}  // namespace pithball::diff
