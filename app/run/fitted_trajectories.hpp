#pragma once
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "app/run_folder/run_folder.hpp"
#include "datasets/trajectory/h5md.hpp"
#include "diff/rollout/rollout.hpp"

namespace pithball::app {

/// The files of a fit's recordings in its folder: trajectory-<recording>.h5 and markers-<recording>.csv, the
/// recordings' names in letters that every file system takes, each another.
struct FittedFiles {
  std::string trajectory, markers;
};
std::vector<FittedFiles> fitted_files(const std::vector<diff::Scenario>& scenarios);

/// Writes the fitted motion of every recording while it is simulated (`optim::ShowStep`).
class FittedTrajectories {
 public:
  /// Keeps every so many states, and the last; `folder` must outlive this object.
  FittedTrajectories(RunFolder& folder, std::vector<FittedFiles> files, sim::Index every)
      : folder_(folder), files_(std::move(files)), every_(every) {}

  /// May be called for several recordings at once.
  void keep(std::size_t recording, const diff::Scenario& fitted, const sim::Stepper& at);
  /// After the runs of these scenarios: closes the files, and makes those of runs that had no start.
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
  std::mutex one_at_a_time_;  // HDF5 is not made for more
  std::map<std::size_t, Writer> writers_;
};

}  // namespace pithball::app
