#pragma once
#include "app/report/section.hpp"
#include "app/run_folder/run.hpp"

namespace pithball::app {

/// Options of a report.
struct ReportOptions {
  double motion_size = 8;  ///< size limit of all motions' packed arrays [MB]; frames are omitted beyond it
  Sections further = {};   ///< shown after the summary
};

/// All sections of a run's report. Throws InvalidArgument if the run's files do not hold what their command writes.
Sections make_sections(const Run& run, const ReportOptions& options);

// The sections by subject; empty if there is nothing to show.

/// How the run ended, with its main figures and a remedy where something is wrong.
Sections summary_sections(const Run& run);
/// The experiment file with all defaults, ready to be run again.
Sections experiment_sections(const Run& run);
// For a simulation:

/// The motion in 3D.
Sections motion_sections(const Run& run, const SimulationResults& simulation, const ReportOptions& options);
Sections note_sections(const SimulationResults& simulation);  ///< its notes
/// Each kind of energy over time, and the drift of their sum.
Sections energy_sections(const SimulationResults& simulation);
Sections key_frame_sections(const Run& run,
                            const SimulationResults& simulation);  ///< values that change during the run
// For the other commands:

/// Requested estimates, and the recorded and fitted motion.
Sections fit_sections(const Run& run, const FitResults& fit, const ReportOptions& options);
/// Notes of the fit.
Sections note_sections(const FitResults& fit);
/// Nuisance parameters, residuals, and the course of the search.
Sections evidence_sections(const Run& run, const FitResults& fit);
/// Errors and cost of each method and time step.
Sections compare_sections(const CompareRecord& compare);
/// Errors at each point of the grid.
Sections scan_sections(const ScanRecord& scan);
/// Predicted standard errors and the directions that the recordings do not determine.
Sections identify_sections(const IdentifyRecord& identify);
/// Predicted standard errors of the designs side by side; for the optimized one, its gain and the places of its
/// markers.
Sections plan_sections(const Run& run, const PlanResults& results, const ReportOptions& options);
/// The three derivatives of each block, and where they differ most.
Sections gradient_sections(const GradientRecord& check);

}  // namespace pithball::app
