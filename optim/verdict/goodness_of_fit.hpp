#pragma once
#include <vector>

#include "optim/uncertainty/sensitivity_growth.hpp"
#include "optim/uncertainty/whiteness.hpp"
#include "optim/verdict/fit_quality.hpp"
#include "optim/verdict/misfit_causes.hpp"
#include "optim/verdict/position_errors.hpp"

namespace pithball::optim {

/// How a fitted model compares with the recordings.
struct GoodnessOfFit {
  FitErrors errors;                           ///< RMS errors of the model and of its baselines
  FitQuality quality;                         ///< misfit of the recordings compared with their noise
  std::vector<MisfitCause> causes;            ///< if it does not fit: cheapest test first
  std::vector<RecordingWhiteness> whiteness;  ///< of the fitted residuals, by recording
  /// Growth of sensitivity over the fitted frames, by recording; empty: unknown. Not in fit.json.
  std::vector<SensitivityGrowth> growth;
};

/// `errors`, `quality` and `whiteness` of fit.json.
void fields(FieldVisitor& v, GoodnessOfFit& goodness);

}  // namespace pithball::optim
