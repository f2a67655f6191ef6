#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>

#include "experiments/run/run_folder.hpp"
#include "experiments/spec/fit_spec.hpp"

namespace pithball::experiments {

/// What a fit leaves besides its files.
struct FitResult {
  optim::FitReport report;
  nlohmann::ordered_json json;  ///< as in fit.json
  bool ok = false;              ///< converged
};

/// Fits, and leaves a run folder with run.yaml, fit.json, summary.json and, for each recording, its fitted motion
/// trajectory-<recording>.h5 and its markers markers-<recording>.csv (marker_table.hpp). With `halve_step`, fits again
/// at half the step and reports how far the estimates move. While it searches, the folder's journal keeps every
/// evaluation; with `resume`, those of an interrupted fit of the same experiment are not computed again.
FitResult run_fit(const FitSpec& spec, const std::filesystem::path& target, const Provenance& provenance,
                  bool halve_step, bool resume, bool progress);

/// fit.json of a report; null where a value is infinite or unknown.
nlohmann::ordered_json to_json(const optim::FitReport& report);

}  // namespace pithball::experiments
