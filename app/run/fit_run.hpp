#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "app/experiment/fit_spec.hpp"
#include "app/result/fit_record.hpp"
#include "app/run/fit_screening.hpp"
#include "app/run_folder/run_folder.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "diff/rollout/rollout.hpp"

namespace pithball::app {

/// Names of a fit's files for its recordings: trajectory-<recording>.h5 and markers-<recording>.csv, with the
/// recordings' names in characters that every file system accepts, all different.
struct FittedFiles {
  std::string trajectory,  ///< file name in the run folder
      markers;             ///< file name in the run folder; written if a marker was recorded
};
/// One for each recording, in the order of the scenarios; later ones of equal names get a number.
std::vector<FittedFiles> fitted_files(const std::vector<diff::Scenario>& scenarios);

/// Writes the fitted motion of every recording during its simulation (`optim::ShowStep`).
class FittedTrajectories {
 public:
  /// Stores every `every`-th state and the last; `folder` must outlive this object.
  FittedTrajectories(RunFolder& folder, std::vector<FittedFiles> files, sim::Index every)
      : folder_(folder), files_(std::move(files)), every_(every) {}

  /// Can be called for several recordings concurrently. A run that begins again replaces what was kept of it.
  void keep(std::size_t recording, const diff::Scenario& fitted, const sim::Stepper& at);
  /// Call after the runs of these scenarios: closes the files, and creates those of runs that could not start.
  void finish(const std::vector<diff::Scenario>& fitted);

 private:
  struct Writer {
    datasets::H5mdWriter states;
    bool complete = false;
  };
  Writer& writer(std::size_t recording, const diff::Scenario& fitted);

  RunFolder& folder_;
  std::vector<FittedFiles> files_;
  sim::Index every_;
  std::mutex one_at_a_time_;  // HDF5 is not thread-safe
  std::map<std::size_t, Writer> writers_;
};

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
