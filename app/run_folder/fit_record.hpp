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

/// Position errors, over all recordings and by recording and part [m].
struct FitErrors {
  optim::PositionErrors fit, validation_frames, validation_markers;  ///< without numbers of samples
  std::vector<optim::RecordingErrors> recordings;
};

/// Number of evaluations of the model and its derivatives.
struct FitEvaluations {
  optim::EvaluationCounts counts;
  int failed = 0;
};

/// End of the search from one start in one stage.
struct FitMinimum {
  Index start = 0;
  std::string status;
  double cost = not_known;
  std::size_t iterations = 0;
  std::vector<std::pair<std::string, double>> parameters;  ///< by name; empty if there was only one start
  Index place = -1;                                        ///< as in optim::FoundMinimum
};

/// Result of a stage.
struct FitStage {
  double horizon = not_known;  ///< [s]; not known: none
  std::string integrator;      ///< empty: the scenarios' own
  double time_step = not_known;
  Index segments = 1;
  std::vector<FitMinimum> minima;
};

/// Estimates of a fit at half the time step.
struct HalvedStep {
  /// A parameter there, and by how much it differs from the estimate of the fit.
  struct Change {
    std::string name;
    double estimate = not_known, in_standard_errors = not_known;
  };
  std::string status;
  std::vector<Change> parameters;
  bool another_minimum =
      false;  ///< it ended in another minimum, so the comparison does not measure the effect of the step
};

/// Errors of a recording predicted by a fit to the others.
struct JudgedRecording {
  std::string status;  ///< of that fit
  optim::RecordingErrors errors;
};

/// Attachment of a marker that was attached automatically.
struct FoundAttachment {
  std::string marker;
  std::vector<Index> vertices;
  std::vector<double> weights;
  double distance = 0;  ///< [m]
};

/// Results for one recording, and the names of its files.
struct FittedRecording {
  std::string name, trajectory;
  std::vector<FoundAttachment> attachments;
  std::string markers;  ///< empty: no marker was recorded
  std::vector<FittedValues> fitted_values;
  /// By marker of that table: standard deviation of each component in the model's frame of reference [m] used by the
  /// fit. Empty: an older fit, which did not store it.
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
  std::optional<optim::ErrorReport> uncertainty;  ///< empty for older fits
  std::vector<double> cost_history;
  std::vector<std::vector<double>> path;  ///< the parameters after each iteration; empty: too many, or an older fit
  FitErrors errors;
  std::optional<QualityRecord> quality;  ///< empty for older fits
  std::vector<optim::RecordingWhiteness> whiteness;
  std::vector<optim::FittedProfile> profiles;
  FitEvaluations evaluations;
  std::vector<std::string> notes;
  double seconds = not_known;
  std::vector<FitStage> search;
  std::vector<std::string> search_summary;      ///< how the search went and what it found, one sentence each
  std::vector<AlternativeRecord> alternatives;  ///< best first
  std::optional<HalvedStep> halved_step;
  std::vector<JudgedRecording> cross_validation;  ///< empty: not requested
  std::string why, remedy;                        ///< as in RunVerdict
  std::vector<FittedRecording> recordings;
};

/// An entry of `parameters` in fit.json, which a report shows unchanged.
nlohmann::ordered_json to_json(const optim::FittedParameter& parameter);
/// `halved_step` of fit.json, which a report shows unchanged.
nlohmann::ordered_json to_json(const HalvedStep& halved);
/// Reads the first back. Throws nlohmann's exceptions on another document.
optim::FittedParameter read_fitted_parameter(const nlohmann::ordered_json& json);

/// The whole of fit.json.
nlohmann::ordered_json to_json(const FitRecord& record);
/// Reads it back. Throws nlohmann's exceptions on another document.
FitRecord read_fit_record(const nlohmann::ordered_json& json);

}  // namespace pithball::app
