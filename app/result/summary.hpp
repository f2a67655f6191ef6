#pragma once
#include <optional>
#include <string>
#include <vector>

#include "app/result/not_known.hpp"
#include "optim/verdict/run_verdict.hpp"
#include "sim/constraint/constraint_record.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::app {

using sim::Index;

/// Common part of summary.json for all commands.
struct Summary {
  std::string program;         ///< "pithball 1.2.3"
  std::string command;         ///< "simulate", "fit", "identify", "plan", "compare",
                               ///< "scan" or "check-gradient"
  std::string name;            ///< of the experiment
  std::string status;          ///< word of a RunStatus
  bool complete = true;        ///< false: in progress, interrupted or killed
  double seconds = not_known;  ///< computing time
  int threads = 0;             ///< 0: not known
  std::string folder;          ///< path of the run folder

  /// How the run ended.
  optim::RunStatus ended() const { return optim::find_run_status(status); }
};

/// The program that made the steps of a simulation, and their time.
struct StepsBy {
  std::string name,                 ///< "pithball", or that of a backend
      version;                      ///< as the program reports it
  double seconds = not_known,       ///< of the steps alone, only for backends
      compile_seconds = not_known;  ///< of compiling them, likewise
};

/// Total cost of a simulation's steps.
struct StepCost {
  long force_evaluations = 0,  ///< evaluations of all explicit forces
      linear_solves = 0,       ///< solves with stage Hessians
      cg_iterations = 0,       ///< iterations within them
      capped_substeps = 0;     ///< substeps that an adaptive integrator would have made smaller
};

/// Error in the energy balance of a simulation.
struct EnergyError {
  double mean = not_known,  ///< over the snapshots, relative to the scale
      max = not_known;      ///< greatest, likewise
  double scale = 0;         ///< the exchanged energy [J]
};

/// Emitted and removed particles of a simulation.
struct PassingParticles {
  long emitted = 0,  ///< by emitters, since the start
      taken = 0,     ///< by sinks and at the end of their lifetime
      left = 0;      ///< number at the end
};

/// A broken link, and the step in which it broke.
struct BrokenInStep {
  Index step = 0;             ///< counted from 1
  sim::BrokenLink link = {};  ///< time, constraint, particles and tension
};

/// Which steps a simulation made.
struct StepNumbers {
  Index completed = 0,          ///< number of steps taken, with those before a resumption
      requested = 0;            ///< as the experiment requests
  std::optional<Index> failed,  ///< step in which the run failed; empty: it completed
      resumed_from;             ///< last stored step before the resumption; empty: not resumed
};

/// Contacts of particles with obstacles and one another in a simulation.
struct Contacts {
  Index most = 0;      ///< largest number of them in a step
  double deepest = 0;  ///< [m]
};

/// The model that a simulation steps.
struct SimulatedModel {
  Index particles = 0;                       ///< number in the initial state
  std::size_t springs = 0;                   ///< number of springs
  std::vector<std::string> changing_values;  ///< the values with key frames
};

/// How the steps of a simulation are made.
struct StepMethod {
  std::string integrator;     ///< as in the experiment file
  double time_step = 0;       ///< [s]
  std::string linear_solver;  ///< of implicit steps; empty: nothing was solved
};

/// Further content of the summary of a simulation.
struct SimulationOutcome {
  StepNumbers steps;                           ///< how far it came
  std::string why,                             ///< as in RunVerdict
      remedy;                                  ///< likewise
  std::vector<std::string> notes;              ///< for the user, one sentence each
  EnergyError energy_error;                    ///< integration error in the energy
  StepsBy steps_by;                            ///< by which program
  StepCost cost;                               ///< of the steps since the last resumption
  Contacts contacts;                           ///< of these steps
  std::vector<BrokenInStep> broken;            ///< in the order of time
  std::optional<PassingParticles> population;  ///< empty: the number of particles does not change
  SimulatedModel model;                        ///< what was simulated
  StepMethod method;                           ///< by which steps
};

/// Further content of the summary of a fit.
struct FitOutcome {
  std::string why,                        ///< as in RunVerdict
      remedy;                             ///< likewise
  std::size_t parameters = 0,             ///< number of fitted values
      recordings = 0;                     ///< number of recordings
  std::vector<std::string> trajectories;  ///< files in the folder
};

/// Further content of the summary of a comparison.
struct ComparisonOutcome {
  std::string explanation;         ///< what is wrong with the reference; empty if nothing
  Index particles = 0;             ///< number in the initial state
  std::size_t springs = 0;         ///< number of springs
  double duration = 0;             ///< [s]
  std::size_t methods = 0;         ///< number of methods, the reference not counted
  std::vector<double> time_steps;  ///< [s]
  std::string reference;           ///< its integrator
  double reference_step = 0;       ///< [s]
};

/// Further content of the summary of a scan.
struct ScanOutcome {
  std::string explanation;         ///< which references are wrong and why; empty: none
  std::vector<std::string> over;   ///< keys of the axes
  std::size_t points = 0,          ///< number of points of the grid
      methods = 0;                 ///< number of methods at each
  std::vector<double> time_steps;  ///< [s]
  std::string reference;           ///< its integrator
  double reference_step = 0;       ///< [s]
};

/// Further content of the summary of a gradient check.
struct GradientOutcome {
  Index steps = 0;          ///< number of steps of the run
  std::string explanation;  ///< why it did not pass, or why what passed is doubtful; else empty
  Index particles = 0;      ///< number of particles
  std::size_t springs = 0;  ///< number of springs
  std::string integrator;   ///< as in the experiment file
  double time_step = 0;     ///< [s]
};

/// Further content of the summary of `identify` or `plan`.
struct PredictionOutcome {
  std::string explanation;     ///< what cannot be simulated, or used as it is, and why; empty if nothing
  std::size_t recordings = 0,  ///< number of recordings
      parameters = 0;          ///< number of parameters
};

/// The part of summary.json about a run of any command.
void fields(FieldVisitor& v, Summary& summary);

// Overloads for the whole of summary.json of each command.

/// The whole of summary.json of `simulate`.
void fields(FieldVisitor& v, Summary& summary, SimulationOutcome& outcome);
/// The whole of summary.json of `fit`.
void fields(FieldVisitor& v, Summary& summary, FitOutcome& outcome);
/// The whole of summary.json of `compare`.
void fields(FieldVisitor& v, Summary& summary, ComparisonOutcome& outcome);
/// The whole of summary.json of `scan`.
void fields(FieldVisitor& v, Summary& summary, ScanOutcome& outcome);
/// The whole of summary.json of `check-gradient`.
void fields(FieldVisitor& v, Summary& summary, GradientOutcome& outcome);
/// The whole of summary.json of `identify` and `plan`.
void fields(FieldVisitor& v, Summary& summary, PredictionOutcome& outcome);

// Parts of a simulation's.

/// `backend`.
void fields(FieldVisitor& v, StepsBy& by);
/// `cost`.
void fields(FieldVisitor& v, StepCost& cost);
/// `contacts`.
void fields(FieldVisitor& v, Contacts& contacts);
/// `energy_error`.
void fields(FieldVisitor& v, EnergyError& error);
/// `population`.
void fields(FieldVisitor& v, PassingParticles& population);
/// An entry of `broken_links`.
void fields(FieldVisitor& v, BrokenInStep& broken);

}  // namespace pithball::app
