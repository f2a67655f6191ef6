#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/result/not_known.hpp"
#include "optim/fit/report.hpp"
#include "optim/identity/identity_report.hpp"
#include "optim/parameter/parameter_map.hpp"
#include "optim/screening/finding.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::app {

/// A finding about a recording of a fit, and whether the file answers it.
struct RecordingFinding {
  std::string recording;   ///< as in the experiment file
  optim::Finding finding;  ///< what was found
  bool answered = false;   ///< the file accepts it, or has the key that it names

  /// Whether it makes the fit doubtful.
  bool is_open_fault() const { return optim::is_fault(finding.kind) && !answered; }
  /// "tracks: frames 20 to 22 of marker 'A' are exactly (0, 0)", without the key.
  std::string sentence() const { return recording + ": " + finding.sentence; }
  /// "write `missing: [0]` in recording 'tracks', or `accept_findings: [placeholder]`".
  std::string remedy() const;
  /// Both, as a note with results.
  std::string note() const { return sentence() + "; " + remedy(); }
};

/// Those that make a fit doubtful, in order.
std::vector<RecordingFinding> open_faults(const std::vector<RecordingFinding>& findings);

/// An entry of `findings` in fit.json.
void fields(FieldVisitor& v, RecordingFinding& one);

/// Estimates for one block of a model's values: fit.json's `recordings[].fitted_values`.
struct FittedValues {
  optim::Index block = 0;                      ///< number in Model::values()
  std::string value,                           ///< name of the block: "charge"
      unit;                                    ///< in base units of SI: "C"
  sim::ValueOwner of = sim::ValueOwner::Term;  ///< what the entries belong to
  sim::Vector estimates;                       ///< one for each entry of the block; NaN: not fitted

  /// Whether the fitted entries differ.
  bool vary() const;
};

/// Estimates for every block that a parameter changes in a scenario; `fitted`: that scenario with the estimates.
std::vector<FittedValues> find_fitted_values(const optim::ParameterMap& map, const diff::Scenario& fitted,
                                             optim::Index scenario);

/// An entry of `recordings[].fitted_values` in fit.json; a number shared by all entries is read as a single one.
void fields(FieldVisitor& v, FittedValues& fitted);

/// Expands what was read to an estimate for each entry of a model like the fitted one. Throws InvalidArgument if the
/// model has no such block.
FittedValues spread_over(const sim::Model& model, const FittedValues& stored);

/// The model with these values.
sim::Model with_fitted_values(const sim::Model& model, const std::vector<FittedValues>& fitted);

using sim::Index;

/// Errors of a recording predicted by a fit to the others.
struct JudgedRecording {
  std::string status;             ///< of that fit
  optim::RecordingErrors errors;  ///< of its frames, none of which were fitted
};

/// Attachment of a marker that was attached automatically.
struct FoundAttachment {
  std::string marker;           ///< as in the experiment file
  std::vector<Index> vertices;  ///< particles that it follows
  std::vector<double> weights;  ///< of each of them, with sum 1
  double distance = 0;          ///< [m]
};

/// Where a camera stood in the fit, in the model's frame: directions of the picture have length 1.
struct FittedCamera {
  std::array<double, 3> position{},  ///< of its center [m]
      right{},                       ///< of the picture
      down{},                        ///< likewise
      ahead{};                       ///< into the scene
  /// Tangents of half the angles of view, for a picture with the principal point in its middle.
  double half_width = 0,  ///< across
      half_height = 0;    ///< down
};

/// The results of one recording.
struct FittedRecording {
  std::string name,                          ///< as in the experiment file
      trajectory;                            ///< file name of its fitted motion
  std::vector<FoundAttachment> attachments;  ///< of the markers that were attached automatically
  std::string markers;                       ///< empty: no marker was recorded
  std::vector<FittedValues> fitted_values;   ///< by block of the model's values
  /// By marker of that table: standard deviation of each component in the model's frame of reference [m] used by the
  /// fit.
  std::vector<std::array<double, 3>> sigma;
  std::optional<FittedCamera> camera;  ///< that filmed it; empty: none did, or one that is infinitely far away
};

/// fit.json.
struct FitRecord {
  optim::RunVerdict verdict;                           ///< status, why and remedy
  optim::Estimates estimates;                          ///< the table of results
  optim::GoodnessOfFit goodness;                       ///< how the model compares with the recordings; without `growth`
  optim::FitSearch search;                             ///< how the search went; its status is that of the verdict
  std::vector<RecordingFinding> findings;              ///< about the recordings, before the search
  std::vector<std::string> notes;                      ///< for the user, one sentence each
  double seconds = not_known;                          ///< duration of the fit, by the wall clock [s]
  std::optional<optim::HalvedStep> halved_step;        ///< empty: not requested
  std::vector<JudgedRecording> cross_validation;       ///< empty: not requested
  std::vector<FittedRecording> recordings;             ///< in the order of the experiment file
  std::vector<optim::RecordingIdentities> identities;  ///< of recordings whose identities the fit found
};

/// An entry of `cross_validation` in fit.json.
void fields(FieldVisitor& v, JudgedRecording& judged);
/// An entry of `recordings[].attachments` in fit.json.
void fields(FieldVisitor& v, FoundAttachment& found);
/// `recordings[].camera` in fit.json.
void fields(FieldVisitor& v, FittedCamera& camera);
/// An entry of `recordings` in fit.json.
void fields(FieldVisitor& v, FittedRecording& recording);
/// The whole of fit.json.
void fields(FieldVisitor& v, FitRecord& record);

}  // namespace pithball::app
