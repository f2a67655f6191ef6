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
Sections summary_sections(const Run& run);
Sections experiment_sections(const Run& run);
// For a simulation:
Sections motion_sections(const Run& run, const SimulationResults& simulation, const ReportOptions& options);
Sections note_sections(const SimulationResults& simulation);  ///< its notes
Sections energy_sections(const SimulationResults& simulation);
Sections key_frame_sections(const Run& run,
                            const SimulationResults& simulation);  ///< values that change during the run
// For the other commands:
Sections fit_sections(const Run& run, const FitResults& fit, const ReportOptions& options);
Sections note_sections(const FitResults& fit);
Sections compare_sections(const CompareRecord& compare);
Sections scan_sections(const ScanRecord& scan);
Sections identify_sections(const IdentifyRecord& identify);
Sections plan_sections(const PlanRecord& plan);
Sections gradient_sections(const GradientRecord& check);

}  // namespace pithball::app
