#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/result/diagnosis_record.hpp"
#include "app/result/fit_record.hpp"
#include "app/run_folder/run.hpp"

namespace pithball::app {

/// fit.json of a run. Throws InvalidArgument if the run is not a finished fit, or none in which a value was fitted.
const FitRecord& finished_fit(const Run& run);

/// diagnosis.json of a fit's run folder; empty: it was not diagnosed. Throws InvalidArgument if the file is damaged.
std::optional<DiagnosisRecord> find_diagnosis(const std::filesystem::path& folder);

/// The run of a fit reduced to one recording: that recording's experiment, with its `set:`, as before the fit; without
/// motions, markers and results.
Run own_run(const Run& run, std::size_t recording);

/// The run of `plan --optimize` reduced to one designed recording of planned.yaml, with its `set:`; likewise.
Run designed_run(const Run& run, const std::string& recording);

/// The fitted values of a recording's model, that of its `own_run`. Throws InvalidArgument if fit.json contains values
/// that the model does not have.
std::vector<FittedValues> own_fitted_values(const FittedRecording& recording, const sim::Model& model);

}  // namespace pithball::app
