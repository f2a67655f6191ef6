#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/run_folder/not_known.hpp"
#include "sim/constraint/broken_link.hpp"

namespace pithball::app {

using sim::Index;

/// Common part of summary.json for all commands.
struct Summary {
  std::string program;         ///< "pithball 1.2.3"
  std::string command;         ///< "simulate", "fit", "identify", "plan", "compare", "scan" or "check-gradient"
  std::string name;            ///< of the experiment
  std::string status;          ///< one word, as in RunVerdict
  bool complete = true;        ///< false: in progress, interrupted or killed
  double seconds = not_known;  ///< computing time
  int threads = 0;             ///< 0: not known
  std::string folder;
};

/// The program that made the steps of a simulation, and their time.
struct StepsBy {
  std::string name, version;
  double seconds = not_known, compile_seconds = not_known;  ///< only for backends
};

/// Total cost of a simulation's steps.
struct StepCost {
  long force_evaluations = 0, linear_solves = 0, cg_iterations = 0, capped_substeps = 0;
};

/// Error in the energy balance of a simulation.
struct EnergyError {
  double mean = not_known, max = not_known;  ///< relative to the scale
  double scale = 0;                          ///< the exchanged energy [J]
};

/// Emitted and removed particles of a simulation.
struct PassingParticles {
  long emitted = 0, taken = 0, left = 0;
};

/// A broken link, and the step in which it broke.
struct BrokenInStep {
  Index step = 0;
  sim::BrokenLink link = {};
};

/// Further content of the summary of a simulation.
struct SimulationOutcome {
  Index completed_steps = 0, requested_steps = 0;
  std::optional<Index> failed_step;
  std::string why, remedy;  ///< as in RunVerdict
  std::vector<std::string> notes;
  std::vector<std::string> changing_values;  ///< those with key frames
  EnergyError energy_error;
  StepsBy steps_by;  ///< without a name in summaries of older versions
  StepCost cost;
  Index most_contacts = 0;
  double deepest_contact = 0;  ///< [m]
  std::vector<BrokenInStep> broken;
  std::optional<PassingParticles> population;
  std::optional<Index> resumed_from_step;
  Index particles = 0;
  std::size_t springs = 0;
  std::string integrator;
  double time_step = 0;  ///< [s]
  std::string linear_solver;
};

/// Further content of the summary of a fit.
struct FitOutcome {
  std::string why, remedy;  ///< as in RunVerdict
  std::size_t parameters = 0, recordings = 0;
  std::vector<std::string> trajectories;  ///< files in the folder
};

/// Further content of the summary of a comparison.
struct ComparisonOutcome {
  std::string explanation;  ///< what is wrong with the reference; empty if nothing
  Index particles = 0;
  std::size_t springs = 0;
  double duration = 0;  ///< [s]
  std::size_t methods = 0;
  std::vector<double> time_steps;  ///< [s]
  std::string reference;           ///< its integrator
  double reference_step = 0;       ///< [s]
};

/// Further content of the summary of a scan.
struct ScanOutcome {
  std::string explanation;  ///< which references are wrong and why; empty: none
  std::vector<std::string> over;
  std::size_t points = 0, methods = 0;
  std::vector<double> time_steps;  ///< [s]
  std::string reference;           ///< its integrator
  double reference_step = 0;       ///< [s]
};

/// Further content of the summary of a gradient check.
struct GradientOutcome {
  Index steps = 0;
  std::string explanation;  ///< empty if it passed
  Index particles = 0;
  std::size_t springs = 0;
  std::string integrator;
  double time_step = 0;  ///< [s]
};

/// Further content of the summary of `identify` or `plan`.
struct PredictionOutcome {
  std::string explanation;  ///< what cannot be simulated and why; empty if nothing
  std::size_t recordings = 0, parameters = 0;
};

// Writers of summary.json for each command.

/// summary.json of `simulate`.
nlohmann::ordered_json to_json(const Summary& summary, const SimulationOutcome& outcome);
/// summary.json of `fit`.
nlohmann::ordered_json to_json(const Summary& summary, const FitOutcome& outcome);
/// summary.json of `compare`.
nlohmann::ordered_json to_json(const Summary& summary, const ComparisonOutcome& outcome);
/// summary.json of `scan`.
nlohmann::ordered_json to_json(const Summary& summary, const ScanOutcome& outcome);
/// summary.json of `check-gradient`.
nlohmann::ordered_json to_json(const Summary& summary, const GradientOutcome& outcome);
/// summary.json of `identify` and `plan`.
nlohmann::ordered_json to_json(const Summary& summary, const PredictionOutcome& outcome);

// Readers, by part. They throw nlohmann's exceptions on another document.

/// What summary.json says of a run of any command.
Summary read_summary(const nlohmann::ordered_json& json);
/// What it says besides of a simulation; summaries of older versions lack some of it.
SimulationOutcome read_simulation_outcome(const nlohmann::ordered_json& json);
/// What it says besides of a fit.
FitOutcome read_fit_outcome(const nlohmann::ordered_json& json);
/// What it says besides of a comparison.
ComparisonOutcome read_comparison_outcome(const nlohmann::ordered_json& json);
/// What it says besides of a scan.
ScanOutcome read_scan_outcome(const nlohmann::ordered_json& json);
/// What it says besides of a gradient check.
GradientOutcome read_gradient_outcome(const nlohmann::ordered_json& json);
/// What it says besides of `identify` and `plan`.
PredictionOutcome read_prediction_outcome(const nlohmann::ordered_json& json);

}  // namespace pithball::app
