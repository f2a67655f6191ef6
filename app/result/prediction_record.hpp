#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/result/field_list.hpp"
#include "app/result/fitted_parameter.hpp"
#include "app/result/not_known.hpp"
#include "app/result/optimized_design.hpp"
#include "optim/fit/identify.hpp"

namespace pithball::app {

/// The noise of one recording assumed by a prediction.
struct SupposedSigmaRecord {
  std::string recording;     ///< as in the experiment file
  double least = not_known,  ///< minimum over its markers and components, in the
                             ///< unit of its kind
      most = not_known;      ///< maximum
  std::string said;          ///< as a text
};

/// A singular value of the scaled Jacobian and its direction in θ.
struct SingularDirection {
  double value = not_known;    ///< not known: the model could not be simulated
  std::string name;            ///< its largest components
  std::vector<double> vector;  ///< P components, length 1; only stored for the
                               ///< weakest directions
};

/// What a set of recordings can determine (optim::IdentifyReport).
struct PredictionRecord {
  std::string failure;                                ///< why the model could not be simulated; empty on success
  double confidence = 0.95;                           ///< level of the predicted intervals
  long residuals = 0;                                 ///< number of recorded coordinates
  std::vector<SupposedSigmaRecord> sigmas;            ///< by recording
  bool priors = false;                                ///< the prediction includes priors or an earlier fit
  std::vector<optim::PredictedParameter> parameters;  ///< P, in the order of θ
  std::vector<SingularDirection> directions;          ///< by singular value, largest first
  double condition = not_known;                       ///< largest / smallest singular value
  std::vector<optim::WeakDirection> weak_directions;  ///< names and singular values only
  std::vector<std::string> scale_symmetry;            ///< members of the scale symmetry;
                                                      ///< empty: it is not present
  std::vector<std::vector<double>> correlation;       ///< P×P; not known: an entry of a value that is not
                                                      ///< identifiable
  std::vector<optim::SensitivityGrowth> growth;       ///< of the sensitivity, by recording
  std::vector<std::string> notes;                     ///< for the user, one sentence each

  /// Whether the model could be simulated.
  bool ok() const { return failure.empty(); }
};

/// The report as identify.json and plan.json store it.
PredictionRecord prediction_record(const optim::IdentifyReport& report);

/// identify.json.
struct IdentifyRecord {
  std::string name,             ///< of the experiment
      at;                       ///< the point of the prediction: "start", or the run folder of a fit
  PredictionRecord prediction;  ///< at that point
};

/// One experiment design and its prediction.
struct PlannedAlternative {
  std::string name;                                      ///< as in the experiment file, or "as written", "optimized"
  std::vector<std::pair<std::string, std::string>> set;  ///< key, value as text
  PredictionRecord prediction;                           ///< of the standard errors with this design
};

/// plan.json.
struct PlanRecord {
  std::string name;  ///< of the experiment
  /// The first is the design as written, or what an earlier fit knows; the last
  /// the optimized one, if there is one.
  std::vector<PlannedAlternative> alternatives;
  std::optional<OptimizedDesign> optimized;  ///< empty: not requested
};

/// An entry of `parameters`.
void fields(FieldVisitor& v, optim::PredictedParameter& p);
/// An entry of `growth`.
void fields(FieldVisitor& v, optim::SensitivityGrowth& growth);
/// An entry of `sigma`.
void fields(FieldVisitor& v, SupposedSigmaRecord& sigma);
/// An entry of `singular_values`.
void fields(FieldVisitor& v, SingularDirection& direction);
/// An entry of `alternatives` in plan.json.
void fields(FieldVisitor& v, PlannedAlternative& alternative);
/// The whole of identify.json.
void fields(FieldVisitor& v, IdentifyRecord& record);
/// The whole of plan.json.
void fields(FieldVisitor& v, PlanRecord& record);

}  // namespace pithball::app
