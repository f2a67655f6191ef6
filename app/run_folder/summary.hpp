#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "app/run_folder/not_known.hpp"
#include "sim/constraint/broken_link.hpp"

namespace pithball::app {

using sim::Index;

/// What the summary.json of every command tells.
struct Summary {
  std::string program;         ///< "pithball 1.2.3"
  std::string command;         ///< "simulate", "fit", "identify", "plan", "compare", "scan" or "check-gradient"
  std::string name;            ///< of the experiment
  std::string status;          ///< one word, as in RunVerdict
  bool complete = true;        ///< false: it goes on, was interrupted or was killed
  double seconds = not_known;  ///< of computing
  int threads = 0;             ///< 0: not known
  std::string folder;
};

/// Who made the steps of a simulation, and what these alone took.
struct StepsBy {
  std::string name, version;
  double seconds = not_known, compile_seconds = not_known;  ///< known of other programs only
};

/// What the steps of a simulation took, summed.
struct StepCost {
  long force_evaluations = 0, linear_solves = 0, cg_iterations = 0, capped_substeps = 0;
};

/// How far the energies of a simulation do not add up.
struct EnergyError {
  double mean = not_known, max = not_known;  ///< over the scale
  double scale = 0;                          ///< the energy that moves [J]
};

/// Who came and went in a simulation.
struct PassingParticles {
  long emitted = 0, taken = 0, left = 0;
};

/// A link that broke, and in which step.
struct BrokenInStep {
  Index step = 0;
  sim::BrokenLink link = {};
};

/// What the summary of a simulation tells besides.
struct SimulationOutcome {
  Index completed_steps = 0, requested_steps = 0;
  std::optional<Index> failed_step;
  std::string why, remedy;  ///< as in RunVerdict
  std::vector<std::string> notes;
  std::vector<std::string> changing_values;  ///< by key frames
  EnergyError energy_error;
  StepsBy steps_by;  ///< without a name in summaries of older programs
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

/// What the summary of a fit tells besides.
struct FitOutcome {
  std::string why, remedy;  ///< as in RunVerdict
  std::size_t parameters = 0, recordings = 0;
  std::vector<std::string> trajectories;  ///< files in the folder
};

/// What the summary of a comparison tells besides.
struct ComparisonOutcome {
  std::string explanation;  ///< what is wrong with the reference; empty: nothing
  Index particles = 0;
  std::size_t springs = 0;
  double duration = 0;  ///< [s]
  std::size_t methods = 0;
  std::vector<double> time_steps;  ///< [s]
  std::string reference;           ///< its method
  double reference_step = 0;       ///< [s]
};

/// What the summary of a scan tells besides.
struct ScanOutcome {
  std::string explanation;  ///< which references are wrong, and how; empty: none
  std::vector<std::string> over;
  std::size_t points = 0, methods = 0;
  std::vector<double> time_steps;  ///< [s]
  std::string reference;           ///< its method
  double reference_step = 0;       ///< [s]
};

/// What the summary of a gradient check tells besides.
struct GradientOutcome {
  Index steps = 0;
  std::string explanation;  ///< empty where it passed
  Index particles = 0;
  std::size_t springs = 0;
  std::string integrator;
  double time_step = 0;  ///< [s]
};

/// What the summary of an `identify` or a `plan` tells besides.
struct PredictionOutcome {
  std::string explanation;  ///< what cannot be simulated, and why; empty: nothing
  std::size_t recordings = 0, parameters = 0;
};

// summary.json of each command.
nlohmann::ordered_json to_json(const Summary& summary, const SimulationOutcome& outcome);
nlohmann::ordered_json to_json(const Summary& summary, const FitOutcome& outcome);
nlohmann::ordered_json to_json(const Summary& summary, const ComparisonOutcome& outcome);
nlohmann::ordered_json to_json(const Summary& summary, const ScanOutcome& outcome);
nlohmann::ordered_json to_json(const Summary& summary, const GradientOutcome& outcome);
nlohmann::ordered_json to_json(const Summary& summary, const PredictionOutcome& outcome);

// The inverse, in parts. They throw nlohmann's exceptions where the document is no such summary.
Summary read_summary(const nlohmann::ordered_json& json);
SimulationOutcome read_simulation_outcome(const nlohmann::ordered_json& json);
FitOutcome read_fit_outcome(const nlohmann::ordered_json& json);
ComparisonOutcome read_comparison_outcome(const nlohmann::ordered_json& json);
ScanOutcome read_scan_outcome(const nlohmann::ordered_json& json);
GradientOutcome read_gradient_outcome(const nlohmann::ordered_json& json);
PredictionOutcome read_prediction_outcome(const nlohmann::ordered_json& json);

}  // namespace pithball::app
