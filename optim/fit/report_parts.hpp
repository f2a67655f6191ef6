#pragma once
#include <optional>
#include <string>
#include <vector>

#include "optim/fit/bounded_errors.hpp"
#include "optim/fit/half_step.hpp"
#include "optim/fit/intervals.hpp"
#include "optim/fit/minima.hpp"
#include "optim/fit/run_statistics.hpp"
#include "optim/fit/search.hpp"
#include "sim/core/doubt.hpp"

namespace pithball::optim {

/// The run of all recordings at the optimum.
struct FinalRun {
  WholeRun run;                            ///< residuals, derivatives and tracks
  std::vector<FoundStart> started;         ///< the starts of recordings that are only judged
  std::vector<std::string> notes;          ///< on those starts
  std::vector<sim::Doubt> gradients = {};  ///< why derivatives of the motion are of no use, once all searches ended
};

/// Errors of θ, by the way in which they were computed; at most one of them.
struct ThetaErrors {
  std::optional<BoundedErrors> full;  ///< from the whole Jacobian
  std::optional<ManyErrors> sampled;  ///< from random samples
  std::vector<std::string> notes;     ///< why there are none
};

/// What the residuals reveal about faults of the model.
struct ResidualClues {
  std::vector<MisfitCause> causes;  ///< why it does not fit, or not well
  BlockAgreement agreement;         ///< of estimates along the recordings, where the statistics call for it
  SuspectSearch suspect;            ///< what one value would explain
};

/// The values that a fit consists of, each made once from those before it.
struct ReportParts {
  const ResolvedFit& fit;                      ///< the problem
  FitOptimum optimum;                          ///< the end of all searches; if they failed, there is nothing else
  FinalRun last = {};                          ///< of the optimum
  MotionAliases motion = {};                   ///< of that run
  ThetaErrors errors = {};                     ///< of the optimum
  ResidualStatistics statistics = {};          ///< of the final run
  Intervals intervals = {};                    ///< from the errors and statistics
  std::optional<HalfStepShift> halved = {};    ///< from full errors
  std::vector<SensitivityGrowth> growth = {};  ///< likewise
  ComparedMinima minima = {};                  ///< of the searches
  ResidualClues clues = {};                    ///< from the statistics and full errors
  HeldBudget held = {};                        ///< from full errors of a fit that fits
};

/// Puts the parts together: the only place where a report is written.
FitReport make_report(ReportParts parts);

}  // namespace pithball::optim
