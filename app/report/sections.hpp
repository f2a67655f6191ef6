#pragma once
#include "app/report/section.hpp"
#include "app/run_folder/run.hpp"

namespace pithball::app {

/// What the author of a report may choose.
struct ReportOptions {
  double motion_size = 8;  ///< of all motions' packed arrays [MB]; beyond it frames are left out
};

/// All sections of a run's report. Throws InvalidArgument if the run's files do not hold what their command writes.
Sections make_sections(const Run& run, const ReportOptions& options);

// The subjects; each is empty for a run that has nothing to tell of it.
Sections summary_sections(const Run& run);
Sections motion_sections(const Run& run, const ReportOptions& options);  ///< of a simulation
Sections fit_sections(const Run& run, const ReportOptions& options);
Sections note_sections(const Run& run);       ///< what a simulation or fit says of itself besides its status
Sections key_frame_sections(const Run& run);  ///< values that change during a simulation
Sections energy_sections(const Run& run);
Sections compare_sections(const Run& run);
Sections scan_sections(const Run& run);
Sections gradient_sections(const Run& run);
Sections experiment_sections(const Run& run);

}  // namespace pithball::app
