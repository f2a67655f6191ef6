#pragma once
#include <filesystem>

#include "app/experiment/candidate_forces.hpp"
#include "app/experiment/experiment.hpp"
#include "app/result/diagnosis_record.hpp"
#include "app/run_folder/run.hpp"

namespace pithball::app {

/// What the model of a fit lacks, and the fit with all that was tested.
struct ExtendedDiagnosis {
  optim::Diagnosis diagnosis;  ///< of all candidates, what is lacking first
  ExtendedFit extended;        ///< the fit with everything that it lacked, without effect
};

/// The end of a fit that is diagnosed.
struct DiagnosedEnd {
  optim::Vector theta;                         ///< its estimates θ
  optim::ResidualScales scales;                ///< of its residuals
  bool fits = true;                            ///< whether the fit fits its recordings
  std::vector<optim::PriorWidth> widths = {};  ///< that the fit found for its priors
};

/// Tests what the model of a fit lacks (optim::diagnose): forces of the registry that it does not have, values that it
/// holds, and the attachments of markers; for a fit that does not fit and shows no cause, in an early part of its
/// recordings (optim::diagnose_early). `spec`: the fit of the document.
ExtendedDiagnosis diagnose_fit(const ExperimentDocument& document, const FitSpec& spec, const DiagnosedEnd& end,
                               const optim::DiagnosisOptions& options);

/// The same for the run folder of a finished fit. Throws InvalidArgument if it is not one, or its files were changed.
DiagnosisRecord diagnose_run(const Run& run, const optim::DiagnosisOptions& options);

/// Leaves diagnosis.json in the run folder of the fit, where the report reads it; an earlier one is replaced.
void write_diagnosis(const std::filesystem::path& folder, const DiagnosisRecord& record);

/// The experiment of a diagnosed fit, which fits what the finding says as well: its force is added, its value becomes a
/// parameter that starts at the predicted value, and is taken out of a parameter that covers it. Throws InvalidArgument
/// for the attachment of a marker, which is corrected in the file. For a finding about a measurement, its key is
/// written.
ExperimentDocument with_finding(ExperimentDocument document, const DiagnosisRecord& record,
                                const optim::TestedCandidate& finding);

}  // namespace pithball::app
