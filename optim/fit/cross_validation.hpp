#pragma once
#include <vector>

#include "optim/fit/fit.hpp"

namespace pithball::optim {

/// How far a recording is from the forecast of a fit to all others.
struct CrossValidation {
  MinimizerStatus status = MinimizerStatus::Failed;  ///< of that fit
  RecordingErrors errors;  ///< of the recording's frames but those that its start was found from
};

/// Judges each fitted recording by a fit to the others (Stone, J. R. Stat. Soc. B 36, 1974, with a recording as the
/// unit); its own start, where that is free, is fitted to its first frames with the parameters held. One fit for each
/// recording; values that only one recording knows stay where its fit would start. Throws InvalidArgument where fewer
/// than two recordings are fitted.
std::vector<CrossValidation> cross_validate(const FitProblem& problem);

}  // namespace pithball::optim
