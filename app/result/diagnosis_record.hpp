#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/candidate_forces.hpp"
#include "app/result/not_known.hpp"
#include "optim/diagnosis/diagnosis.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::app {

/// A candidate that was not tested, and why.
struct UntestedCandidate {
  std::string name,  ///< "quadratic_drag"
      reason;        ///< why, in a phrase
};

/// diagnosis.json.
struct DiagnosisRecord {
  std::string name,  ///< of the experiment
      run;           ///< run folder of the fit
  std::string fit;   ///< how the fit ended, in a phrase: "the misfit is within the noise"
  std::vector<std::string> faults =
      {};                           ///< what screening found in the recordings, and what to write: to correct first
  optim::Diagnosis diagnosis;       ///< of all candidates, what is lacking first
  std::vector<IdleAddition> added;  ///< what the fit does not have, in the order of its candidates
  std::vector<UntestedCandidate> untested;  ///< candidates that this experiment cannot have

  /// What was added for a candidate; null: it is a value of the fit's own
  /// model.
  const IdleAddition* addition_of(const optim::Candidate& candidate) const;
  /// The place of a candidate of which there are several: "image_plane: {point:
  /// …}"; empty: its name is sufficient.
  std::string place_of(const optim::Candidate& candidate) const;
  /// "the misfit is within the noise, yet the model lacks quadratic_drag = 0.0021(2) kg/m (p = 3e-9)"
  std::string verdict() const;

 private:
  /// The same without the faults.
  std::string finding_text() const;
};

/// Verdict on a finding: "lacking", or "to rule out first" for one that concerns the measurement; "also lacking" for
/// those besides the first; "significant alone"; or empty.
const char* verdict_on(const optim::TestedCandidate& finding, const optim::Diagnosis& diagnosis);

/// β added to the value that the fit holds: "12.3(4) N/m"; of a vector "[0, 0,
/// −9.8] m/s^2"; of more numbers their root mean square.
std::string predicted_text(const optim::TestedCandidate& finding);

/// An entry of `untested` in diagnosis.json.
void fields(FieldVisitor& v, UntestedCandidate& one);
/// An entry of `added` in diagnosis.json.
void fields(FieldVisitor& v, IdleAddition& one);
/// The whole of diagnosis.json.
void fields(FieldVisitor& v, DiagnosisRecord& record);

}  // namespace pithball::app
