#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/run_folder/not_known.hpp"
#include "app/run_folder/optimized_design.hpp"
#include "optim/fit/identify.hpp"

namespace pithball::app {

/// The noise of one recording assumed by a prediction.
struct SupposedSigmaRecord {
  std::string recording;
  double least = not_known, most = not_known;  ///< [m]
  std::string said;                            ///< as a text
};

/// A singular value of the scaled Jacobian and its direction in θ.
struct SingularDirection {
  double value = not_known;
  std::string name;            ///< its largest components
  std::vector<double> vector;  ///< P components, length 1; only stored for the weakest directions
};

/// What a set of recordings can determine (optim::IdentifyReport).
struct PredictionRecord {
  std::string failure;  ///< why the model could not be simulated; empty on success
  double confidence = 0.95;
  long residuals = 0;
  std::vector<SupposedSigmaRecord> sigmas;
  bool priors = false;
  std::vector<optim::PredictedParameter> parameters;
  std::vector<SingularDirection> directions;  ///< by singular value, largest first
  double condition = not_known;
  std::vector<optim::WeakDirection> weak_directions;  ///< names and singular values only
  std::vector<std::string> scale_symmetry;
  std::vector<std::vector<double>> correlation;
  std::vector<optim::SensitivityGrowth> growth;
  std::vector<std::string> notes;

  bool ok() const { return failure.empty(); }
};

/// The report as identify.json and plan.json store it.
PredictionRecord prediction_record(const optim::IdentifyReport& report);

/// identify.json.
struct IdentifyRecord {
  std::string name, at;  ///< "start", or the run folder of a fit
  PredictionRecord prediction;
};

/// One experiment design and its prediction.
struct PlannedAlternative {
  std::string name;
  std::vector<std::pair<std::string, std::string>> set;  ///< key, value as text
  PredictionRecord prediction;
};

/// plan.json.
struct PlanRecord {
  std::string name;
  /// The first is the design as written, or what an earlier fit knows; the last the optimized one, if there is one.
  std::vector<PlannedAlternative> alternatives;
  std::optional<OptimizedDesign> optimized;  ///< empty: not requested
};

/// The whole of identify.json.
nlohmann::ordered_json to_json(const IdentifyRecord& record);
/// The whole of plan.json.
nlohmann::ordered_json to_json(const PlanRecord& record);
/// Reads identify.json. Throws nlohmann's exceptions on another document.
IdentifyRecord read_identify_record(const nlohmann::ordered_json& json);
/// Reads plan.json; throws likewise.
PlanRecord read_plan_record(const nlohmann::ordered_json& json);

}  // namespace pithball::app
