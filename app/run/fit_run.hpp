#pragma once
#include <filesystem>

#include "app/run/run_verdict.hpp"
#include "app/run_folder/fit_record.hpp"
#include "app/run_folder/run_folder.hpp"
#include "app/spec/fit_spec.hpp"

namespace pithball::app {

/// What a fit leaves besides its files.
struct FitResult {
  optim::FitReport report;
  FitRecord record;    ///< fit.json
  bool ok = false;     ///< converged, be it to a doubtful place, and fits, or need not (fit.accept_misfit)
  RunVerdict verdict;  ///< "converged"; "doubtful" or "does not fit": converged, but not to an answer; or how the
                       ///< search ended
  std::filesystem::path folder;  ///< where it is found: under its name, or an interrupted one perhaps beside it
};

/// How a fit is run.
struct FitOrder {
  RunOrder run;
  bool halve_step = false;  ///< fit again at half the step, to see how far the estimates move
};

/// Fits, and leaves a run folder with run.yaml, fit.json, summary.json and, for each recording, its fitted motion
/// trajectory-<recording>.h5 and its markers markers-<recording>.csv (marker_table.hpp). With `halve_step`, fits again
/// at half the step and reports how far the estimates move. While it searches, the folder's journal keeps every
/// evaluation; those of an interrupted fit that is resumed are not computed again.
FitResult run_fit(const FitSpec& spec, const FitOrder& order);

}  // namespace pithball::app
