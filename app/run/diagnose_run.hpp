#pragma once
#include <filesystem>

#include "app/run_folder/diagnosis_record.hpp"
#include "app/run_folder/run.hpp"

namespace pithball::app {

/// Tests what the model of a finished fit lacks (optim::diagnose): forces of the registry that it does not have, values
/// that it holds, and the attachments of markers. Throws InvalidArgument if the run is no finished fit, or its files were
/// changed.
DiagnosisRecord diagnose_run(const Run& run, const optim::DiagnosisOptions& options);

/// Leaves diagnosis.json in the run folder of the fit, where the report reads it; an earlier one is replaced.
void write_diagnosis(const std::filesystem::path& folder, const DiagnosisRecord& record);

}  // namespace pithball::app
