#pragma once
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/result/fit_uncertainty.hpp"
#include "app/result/fitted_parameter.hpp"
#include "app/result/fitted_values.hpp"
#include "app/result/not_known.hpp"
#include "app/result/quality_record.hpp"
#include "app/result/run_status.hpp"
#include "app/result/screening_record.hpp"
#include "optim/fit/report.hpp"

namespace pithball::app {

using sim::Index;

/// Position errors, over all recordings and by recording and part [m].
struct FitErrors {
  optim::PositionErrors fit,                       ///< of all fitted samples, without their number
      validation_frames,                           ///< of all validation frames, likewise
      validation_markers;                          ///< of all validation markers, likewise
  std::vector<optim::RecordingErrors> recordings;  ///< by recording and part
};

/// Number of evaluations of the model and its derivatives.
struct FitEvaluations {
  optim::EvaluationCounts counts;  ///< of the model and its derivatives
  int failed = 0;                  ///< points at which a simulation failed
};

/// End of the search from one start in one stage.
struct FitMinimum {
  Index start = 0;                                         ///< index of the start; 0: the given one
  std::string status;                                      ///< word for MinimizerStatus
  double cost = not_known;                                 ///< L at its end
  std::size_t iterations = 0;                              ///< number of iterations
  std::vector<std::pair<std::string, double>> parameters;  ///< by name; empty if there was only one start
  Index place = -1;                                        ///< as in optim::FoundMinimum
};

/// Result of a stage.
struct FitStage {
  double horizon = not_known;      ///< [s]; not known: none
  std::string integrator;          ///< empty: the scenarios' own
  double time_step = not_known;    ///< [s]; not known: the scenarios' own
  Index segments = 1;              ///< more than 1: multiple shooting
  std::vector<FitMinimum> minima;  ///< one for each start, lowest cost first
};

/// Estimates of a fit at half the time step.
struct HalvedStep {
  /// A parameter there, and by how much it differs from the estimate of the fit.
  struct Change {
    std::string name;                    ///< of the parameter
    double estimate = not_known,         ///< physical value at half the step
        in_standard_errors = not_known;  ///< its change / standard error
  };
  std::string status;              ///< word for MinimizerStatus
  std::vector<Change> parameters;  ///< in the order of the fit's own
  bool another_minimum =
      false;  ///< it ended in another minimum, so the comparison does not measure the effect of the step
};

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
  /// fit. Empty: an older fit, which did not store it.
  std::vector<std::array<double, 3>> sigma;
};

/// fit.json.
struct FitRecord {
  std::string status,                                 ///< word of a RunStatus
      message;                                        ///< why the search ended, in a sentence
  double confidence = 0.95;                           ///< level of the intervals
  std::vector<optim::FittedParameter> parameters;     ///< P, in the order of θ
  std::vector<std::vector<double>> correlation;       ///< P×P; empty: not computed
  std::vector<optim::WeakDirection> weak_directions;  ///< names and singular values only
  double condition = not_known,                       ///< largest / smallest singular value of the scaled Jacobian
      residual_scale = not_known;                     ///< s: 1 if sigma and model are right
  long degrees_of_freedom = 0;                        ///< number of residuals − number of values that they determine
  std::optional<optim::ErrorReport> uncertainty;      ///< empty for older fits
  std::vector<double> cost_history;                   ///< L after each iteration of the last stage, from its start on
  std::vector<std::vector<double>> path;  ///< the parameters after each iteration; empty: too many, or an older fit
  FitErrors errors;                       ///< of the positions [m], or in the unit of the measurement kind
  std::optional<QualityRecord> quality;   ///< empty for older fits
  std::vector<optim::RecordingWhiteness> whiteness;  ///< of the fitted residuals, by recording
  std::vector<optim::FittedProfile> profiles;        ///< requested ones, and those of values that are not linear enough
  FitEvaluations evaluations;                        ///< of the search and of what was computed after it
  std::vector<RecordingFinding> findings;            ///< about the recordings, before the search; empty in older fits
  std::vector<std::string> notes;                    ///< for the user, one sentence each
  double seconds = not_known;                        ///< duration of the fit, by the wall clock [s]
  std::vector<FitStage> search;                      ///< every minimum found, by stage
  std::vector<std::string> search_summary;           ///< how the search went and what it found, one sentence each
  std::vector<optim::AlternativeEstimate> alternatives;  ///< best first
  std::optional<HalvedStep> halved_step;                 ///< empty: not requested
  std::vector<JudgedRecording> cross_validation;         ///< empty: not requested
  std::string why,                                       ///< as in RunVerdict
      remedy;                                            ///< likewise
  std::vector<FittedRecording> recordings;               ///< in the order of the experiment file

  /// How the fit ended.
  RunStatus ended() const { return find_run_status(status); }
};

/// Errors of markers in fit.json.
void fields(FieldVisitor& v, optim::PositionErrors& e);
/// An entry of `errors.recordings` in fit.json.
void fields(FieldVisitor& v, optim::RecordingErrors& e);
/// `errors` of fit.json.
void fields(FieldVisitor& v, FitErrors& errors);
/// An entry of `search[].minima` in fit.json.
void fields(FieldVisitor& v, FitMinimum& minimum);
/// An entry of `search` in fit.json.
void fields(FieldVisitor& v, FitStage& stage);
/// `halved_step` of fit.json, which a report shows unchanged.
void fields(FieldVisitor& v, HalvedStep& halved);
/// An entry of `halved_step.parameters` in fit.json.
void fields(FieldVisitor& v, HalvedStep::Change& change);
/// An entry of `cross_validation` in fit.json.
void fields(FieldVisitor& v, JudgedRecording& judged);
/// An entry of `recordings[].attachments` in fit.json.
void fields(FieldVisitor& v, FoundAttachment& found);
/// An entry of `recordings` in fit.json.
void fields(FieldVisitor& v, FittedRecording& recording);
/// The whole of fit.json.
void fields(FieldVisitor& v, FitRecord& record);

}  // namespace pithball::app
