#pragma once
#include "app/result/diagnosis_record.hpp"
#include "app/spec/experiment.hpp"

namespace pithball::app {

/// The experiment of a diagnosed fit, which fits what the finding says as well: its force is added, its value becomes a
/// parameter that starts at the predicted value, and is taken out of a parameter that covers it. Throws InvalidArgument
/// for the attachment of a marker, which is corrected in the file. Of a finding about a measurement, its key is
/// written.
ExperimentDocument with_finding(ExperimentDocument document, const DiagnosisRecord& record,
                                const optim::TestedCandidate& finding);

}  // namespace pithball::app
