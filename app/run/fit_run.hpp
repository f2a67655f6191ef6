#pragma once
#include <filesystem>
#include <functional>

#include "app/result/fit_record.hpp"
#include "app/run/fit_screening.hpp"
#include "app/run_folder/run_folder.hpp"
#include "app/spec/fit_spec.hpp"

namespace pithball::app {

/// Result of a fit besides its files.
struct FitResult {
  FitRecord record;              ///< fit.json
  bool ok = false;               ///< converged (even if doubtful), and fits or need not fit (fit.accept_misfit)
  std::filesystem::path folder;  ///< its final folder, or the partial one after an interruption
};

/// Options of a fit.
struct FitOrder {
  RunOrder run;             ///< target folder, provenance and progress
  bool halve_step = false;  ///< fit again at half the time step, to see how much the estimates change
  std::function<void(const FitScreening&)> screened = {};  ///< called before the search; may be empty
};

/// Fits and leaves a run folder with run.yaml, fit.json, summary.json and, for each recording, its fitted motion
/// trajectory-<recording>.h5 and its markers markers-<recording>.csv (marker_table.hpp). With `halve_step`, fits again
/// at half the time step and reports the change of the estimates. During the search, the folder's journal stores every
/// evaluation; resuming an interrupted fit does not repeat them.
FitResult run_fit(const FitSpec& spec, const FitOrder& order);

}  // namespace pithball::app
