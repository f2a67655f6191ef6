#pragma once
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "app/run_folder/compare_record.hpp"
#include "app/run_folder/fit_record.hpp"
#include "app/run_folder/gradient_record.hpp"
#include "app/run_folder/prediction_record.hpp"
#include "app/run_folder/scan_record.hpp"
#include "app/run_folder/summary.hpp"
#include "app/spec/experiment.hpp"
#include "datasets/trajectory/h5md_reader.hpp"
#include "optim/observation/marker_tracks.hpp"

namespace pithball::app {

/// In place of results: the run goes on or was killed, and holds nothing yet but its experiment.
struct NoResults {
  std::string explanation;
};

/// What a simulation left.
struct SimulationResults {
  SimulationOutcome outcome;
  std::vector<sim::EnergyRow> energy;  ///< energy.csv, a row for each snapshot
  datasets::H5mdReader motion;
};

/// What a fit left.
struct FitResults {
  FitOutcome outcome;
  FitRecord fit;
  std::vector<datasets::H5mdReader> motions;  ///< one for each recording, in order
  std::vector<optim::MarkerTracks> tracks;    ///< markers-*.csv, likewise
};

/// What a comparison left.
struct CompareResults {
  ComparisonOutcome outcome;
  CompareRecord compare;
};

/// What a scan left.
struct ScanResults {
  ScanOutcome outcome;
  ScanRecord scan;
};

/// What a gradient check left.
struct GradientResults {
  GradientOutcome outcome;
  GradientRecord gradient;
};

/// What a prediction of one experiment left.
struct IdentifyResults {
  PredictionOutcome outcome;
  IdentifyRecord identify;
};

/// What a prediction of several ways to do an experiment left.
struct PlanResults {
  PredictionOutcome outcome;
  PlanRecord plan;
};

/// A run folder, read back.
struct Run {
  std::filesystem::path folder;
  std::string yaml;             ///< run.yaml as it is written
  ExperimentDocument document;  ///< the same as data, its part `provenance:` included
  Experiment experiment;        ///< built from it; of a fit, what its recordings start from
  Summary summary;
  std::variant<NoResults, SimulationResults, FitResults, CompareResults, ScanResults, GradientResults, IdentifyResults,
               PlanResults>
      results;
};

/// Reads the folder of a run, one that goes on or was killed included. Throws InvalidArgument if it is no run folder,
/// or a file of it is missing or damaged.
Run read_run(const std::filesystem::path& folder);

}  // namespace pithball::app
