#pragma once
#include <limits>
#include <string>
#include <vector>

#include "optim/search/minimizer.hpp"
#include "optim/verdict/goodness_of_fit.hpp"
#include "optim/verdict/run_verdict.hpp"
#include "sim/core/doubt.hpp"

namespace pithball::optim {

/// Estimates of a fit at half the time step.
struct HalvedStep {
  /// A parameter there, and by how much it differs from the estimate of the fit.
  struct Change {
    std::string name;                                            ///< of the parameter
    double estimate = std::numeric_limits<double>::quiet_NaN();  ///< physical value at half the step
    /// Its change / standard error; NaN: not identifiable.
    double in_standard_errors = std::numeric_limits<double>::quiet_NaN();
  };
  MinimizerStatus status = MinimizerStatus::Failed;  ///< how its search ended
  std::vector<Change> parameters;                    ///< in the order of the fit's own
  /// It ended in another minimum, so the comparison does not measure the effect of the step: the estimates deviate from
  /// the prediction of one run at half the step by more than 3 standard errors and more than the predicted change.
  bool another_minimum = false;
};

/// A minimum that the recordings do not distinguish from the estimates.
struct OtherMinimum {
  std::string values;           ///< "stiffness = 35.5 N/m": the first requested ones
  double delta_chi_square = 0;  ///< its χ² minus that of the estimates
  Index searches = 0;           ///< number of searches of the last stage that ended there
};

/// Number of other minima listed in a sentence.
inline constexpr std::size_t listed_alternatives = 3;

/// "Δχ² = 2.3", or "Δχ² < 0.01", below which differences are meaningless.
std::string say_delta(double delta);

/// All that a verdict on a fit depends on.
struct FitEvidence {
  MinimizerStatus status;                  ///< how the best search of the last stage ended
  std::string message;                     ///< why, in a sentence
  std::size_t searches;                    ///< number of searches of that stage
  bool is_prediction;                      ///< nothing was fitted
  std::vector<OtherMinimum> others;        ///< best first
  const GoodnessOfFit& goodness;           ///< of the estimates
  const HalvedStep* halved = nullptr;      ///< the fit at half the time step; null: not requested
  std::vector<sim::Doubt> gradients = {};  ///< why the search's derivatives are not those of the motion
};

/// Verdict on a fit: how its search ended, and why its estimates may be wrong although the search converged.
RunVerdict judge_fit(const FitEvidence& evidence);

/// `halved_step` of fit.json, which a report shows unchanged.
void fields(FieldVisitor& v, HalvedStep& halved);
/// An entry of `halved_step.parameters` in fit.json.
void fields(FieldVisitor& v, HalvedStep::Change& change);

}  // namespace pithball::optim
