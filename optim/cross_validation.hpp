#pragma once
#include <vector>

#include "optim/fit/problem.hpp"
#include "optim/verdict/position_errors.hpp"

namespace pithball::optim {

/// Errors of a recording predicted by a fit to all others.
struct CrossValidation {
  MinimizerStatus status = MinimizerStatus::Failed;  ///< how that fit ended
  RecordingErrors errors;  ///< of the recording's frames, except those that determined its initial state
};

/// Predicts each fitted recording with a fit to the others (Stone, J. R. Stat. Soc. B 36, 1974, with a recording as the
/// unit); its own initial state, if free, is fitted to its first frames with the parameters held. One fit per
/// recording; values that only one recording determines keep their initial values. Throws InvalidArgument if fewer than
/// two recordings are fitted.
std::vector<CrossValidation> cross_validate(const FitProblem& problem, const MinimizerWatch& watch = {});

}  // namespace pithball::optim
