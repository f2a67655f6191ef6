#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/result/fitted_values.hpp"
#include "app/result/not_known.hpp"
#include "app/result/screening_record.hpp"
#include "optim/fit/report.hpp"

namespace pithball::app {

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

/// Results for one recording, and the names of its files.
struct FittedRecording {
  std::string name,                          ///< as in the experiment file
      trajectory;                            ///< file name of its fitted motion
  std::vector<FoundAttachment> attachments;  ///< of the markers that were attached automatically
  std::string markers;                       ///< empty: no marker was recorded
  std::vector<FittedValues> fitted_values;   ///< by block of the model's values
  /// By marker of that table: standard deviation of each component in the model's frame of reference [m] used by the
  /// fit.
  std::vector<std::array<double, 3>> sigma;
};

/// fit.json.
struct FitRecord {
  optim::RunVerdict verdict;                      ///< status, why and remedy
  optim::Estimates estimates;                     ///< the table of results
  optim::GoodnessOfFit goodness;                  ///< how the model compares with the recordings; without `growth`
  optim::FitSearch search;                        ///< how the search went; its status is that of the verdict
  std::vector<RecordingFinding> findings;         ///< about the recordings, before the search
  std::vector<std::string> notes;                 ///< for the user, one sentence each
  double seconds = not_known;                     ///< duration of the fit, by the wall clock [s]
  std::optional<optim::HalvedStep> halved_step;   ///< empty: not requested
  std::vector<JudgedRecording> cross_validation;  ///< empty: not requested
  std::vector<FittedRecording> recordings;        ///< in the order of the experiment file
};

/// An entry of `cross_validation` in fit.json.
void fields(FieldVisitor& v, JudgedRecording& judged);
/// An entry of `recordings[].attachments` in fit.json.
void fields(FieldVisitor& v, FoundAttachment& found);
/// An entry of `recordings` in fit.json.
void fields(FieldVisitor& v, FittedRecording& recording);
/// The whole of fit.json.
void fields(FieldVisitor& v, FitRecord& record);

}  // namespace pithball::app
