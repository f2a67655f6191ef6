#pragma once
#include <array>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/run_folder/alternatives_record.hpp"
#include "app/run_folder/fitted_values.hpp"
#include "app/run_folder/not_known.hpp"
#include "app/run_folder/quality_record.hpp"
#include "app/run_folder/uncertainty_record.hpp"
#include "optim/fit/fit.hpp"

namespace pithball::app {

using sim::Index;

/// How far the model is from the markers, pooled over all recordings, and by recording and part [m].
struct FitErrors {
  optim::PositionErrors fit, validation_frames, validation_markers;  ///< without numbers of samples
  std::vector<optim::RecordingErrors> recordings;
};

/// How often a fit asked for the model and its derivatives.
struct FitEvaluations {
  optim::EvaluationCounts counts;
  int failed = 0;
};

/// Where a search from one start ended in one stage.
struct FitMinimum {
  Index start = 0;
  std::string status;
  double cost = not_known;
  std::size_t iterations = 0;
  std::vector<std::pair<std::string, double>> parameters;  ///< by name; empty where there was one start only
  Index place = -1;                                        ///< as in optim::FoundMinimum
};

/// What a stage of a search found.
struct FitStage {
  double horizon = not_known;  ///< [s]; not known: none
  std::string integrator;      ///< empty: the scenarios' own
  double time_step = not_known;
  Index segments = 1;
  std::vector<FitMinimum> minima;
};

/// The estimates of a fit at half the step.
struct HalvedStep {
  struct Change {
    std::string name;
    double estimate = not_known, in_standard_errors = not_known;
  };
  std::string status;
  std::vector<Change> parameters;
  bool another_minimum = false;  ///< it found another one, which says nothing of the step
};

/// How far a recording is from the forecast of a fit to the others.
struct JudgedRecording {
  std::string status;  ///< of that fit
  optim::RecordingErrors errors;
};

/// Where a marker sits that found its own place.
struct FoundAttachment {
  std::string marker;
  std::vector<Index> vertices;
  std::vector<double> weights;
  double distance = 0;  ///< [m]
};

/// What a fit tells of one recording, and the files that hold more.
struct FittedRecording {
  std::string name, trajectory;
  std::vector<FoundAttachment> attachments;
  std::string markers;  ///< empty: no marker was seen
  std::vector<FittedValues> fitted_values;
  /// By marker of that table: standard deviation of each component in the model's frame [m], as the fit used it. Empty:
  /// not known of older fits.
  std::vector<std::array<double, 3>> sigma;
};

/// fit.json.
struct FitRecord {
  std::string status, message;
  double confidence = 0.95;
  std::vector<optim::FittedParameter> parameters;
  std::vector<std::vector<double>> correlation;       ///< P×P; empty: not computed
  std::vector<optim::WeakDirection> weak_directions;  ///< names and singular values only
  double condition = not_known, residual_scale = not_known;
  long degrees_of_freedom = 0;
  std::optional<optim::ErrorReport> uncertainty;  ///< not known of older fits
  std::vector<double> cost_history;
  std::vector<std::vector<double>> path;  ///< the parameters after each iteration; empty: too many, or an older fit
  FitErrors errors;
  std::optional<QualityRecord> quality;  ///< not known of older fits
  std::vector<optim::RecordingWhiteness> whiteness;
  std::vector<optim::FittedProfile> profiles;
  FitEvaluations evaluations;
  std::vector<std::string> notes;
  double seconds = not_known;
  std::vector<FitStage> search;
  std::vector<std::string> search_summary;      ///< what the search was and found, a sentence each
  std::vector<AlternativeRecord> alternatives;  ///< the best first
  std::optional<HalvedStep> halved_step;
  std::vector<JudgedRecording> cross_validation;  ///< empty: none was wanted
  std::string why, remedy;                        ///< as in RunVerdict
  std::vector<FittedRecording> recordings;
};

// Parts of fit.json that a report shows as they are.
nlohmann::ordered_json to_json(const optim::FittedParameter& parameter);
nlohmann::ordered_json to_json(const HalvedStep& halved);
/// The inverse of the first. Throws nlohmann's exceptions where the document is no such parameter.
optim::FittedParameter read_fitted_parameter(const nlohmann::ordered_json& json);

nlohmann::ordered_json to_json(const FitRecord& record);
/// The inverse. Throws nlohmann's exceptions where the document is no such record.
FitRecord read_fit_record(const nlohmann::ordered_json& json);

}  // namespace pithball::app
