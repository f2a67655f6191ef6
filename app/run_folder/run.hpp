#pragma once
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "app/experiment/experiment.hpp"
#include "app/result/compare_record.hpp"
#include "app/result/fit_record.hpp"
#include "app/result/gradient_record.hpp"
#include "app/result/prediction_record.hpp"
#include "app/result/summary.hpp"
#include "datasets/trajectory/h5md_reader.hpp"
#include "optim/observation/marker_tracks.hpp"

namespace pithball::app {

/// In place of results: the run is in progress or was killed, and contains only its experiment.
struct NoResults {
  std::string explanation;  ///< what the report says in place of results
};

/// Results of a simulation.
struct SimulationResults {
  SimulationOutcome outcome;           ///< from summary.json
  std::vector<sim::EnergyRow> energy;  ///< energy.csv, a row for each snapshot
  datasets::H5mdReader motion;         ///< trajectory.h5
};

/// Results of a fit.
struct FitResults {
  FitOutcome outcome;                         ///< from summary.json
  FitRecord fit;                              ///< fit.json
  std::vector<datasets::H5mdReader> motions;  ///< one for each recording, in order
  std::vector<optim::MarkerTracks> tracks;    ///< markers-*.csv, likewise
};

/// Results of a comparison.
struct CompareResults {
  ComparisonOutcome outcome;  ///< from summary.json
  CompareRecord compare;      ///< compare.json
};

/// Results of a scan.
struct ScanResults {
  ScanOutcome outcome;  ///< from summary.json
  ScanRecord scan;      ///< scan.json
};

/// Results of a gradient check.
struct GradientResults {
  GradientOutcome outcome;  ///< from summary.json
  GradientRecord gradient;  ///< gradient.json
};

/// Results of `identify`.
struct IdentifyResults {
  PredictionOutcome outcome;  ///< from summary.json
  IdentifyRecord identify;    ///< identify.json
};

/// Results of `plan`.
struct PlanResults {
  PredictionOutcome outcome;                  ///< from summary.json
  PlanRecord plan;                            ///< plan.json
  std::vector<datasets::H5mdReader> motions;  ///< of `--optimize`, one for each designed recording, in order
  std::vector<optim::MarkerTracks> tracks;    ///< their markers, likewise
};

/// A run folder that was read.
struct Run {
  std::filesystem::path folder;  ///< as given
  std::string yaml;              ///< text of run.yaml
  ExperimentDocument document;   ///< the same as a tree, including `provenance:`
  Experiment experiment;         ///< built from it; for a fit, the initial model of its recordings
  Summary summary;               ///< summary.json, the part of all commands
  std::variant<NoResults, SimulationResults, FitResults, CompareResults, ScanResults, GradientResults, IdentifyResults,
               PlanResults>
      results;  ///< of the command that made the run
};

/// Reads a run folder, also of a run that is in progress or was killed. Throws InvalidArgument if it is not a run
/// folder, or a file is missing or damaged.
Run read_run(const std::filesystem::path& folder);

}  // namespace pithball::app
