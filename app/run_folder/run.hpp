#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/spec/experiment.hpp"
#include "datasets/trajectory/h5md_reader.hpp"
#include "optim/observation/marker_tracks.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

/// A run folder, read back.
struct Run {
  std::filesystem::path folder;
  std::string yaml;                ///< run.yaml as it is written
  ExperimentDocument document;     ///< the same as data, its part `provenance:` included
  Experiment experiment;           ///< built from it; of a fit, what its recordings start from
  nlohmann::ordered_json summary;  ///< summary.json
  std::optional<nlohmann::ordered_json> fit, gradient, compare;  ///< fit.json, …
  std::vector<sim::EnergyRow> energy;                            ///< energy.csv, a row for each kept state
  std::vector<datasets::H5mdReader> motions;   ///< of a simulation one; of a fit one for each recording, in order
  std::vector<optim::MarkerTracks> tracks;     ///< of a fit: markers-*.csv, likewise
  std::optional<nlohmann::ordered_json> scan;  ///< scan.json
  bool has_results = true;  ///< false: it goes on or was killed, and holds nothing yet but its experiment

  /// "simulate", "fit", "compare", "scan" or "check-gradient".
  std::string command() const { return summary.at("command").get<std::string>(); }
};

/// Reads the folder of a run, one that goes on or was killed included. Throws InvalidArgument if it is no run folder,
/// or a file of it is missing or damaged.
Run read_run(const std::filesystem::path& folder);

/// Calls `read`; what does not fit into the JSON of a run's files is told as their damage, by InvalidArgument.
template <class Read>
auto reading_json(const std::filesystem::path& place, Read read) {
  try {
    return read();
  } catch (const nlohmann::json::exception& error) {
    throw InvalidArgument({place.string(), "", "must be as the program wrote it", error.what(), "run it again"});
  }
}

}  // namespace pithball::app
