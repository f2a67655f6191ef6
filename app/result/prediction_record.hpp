#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/result/not_known.hpp"
#include "optim/fit/identify.hpp"
#include "sim/core/field_list.hpp"
#include "sim/core/types.hpp"

namespace pithball::app {

using sim::Index;

/// A recording of the design that `plan --optimize` found.
struct OptimizedRecording {
  std::string name;                                      ///< as in planned.yaml
  double rate = not_known,                               ///< frames per second [1/s]
      duration = not_known;                              ///< of the recording [s]
  Index frames = 0;                                      ///< its cost
  std::vector<Index> markers;                            ///< particles; empty: as written
  std::vector<std::pair<std::string, std::string>> set;  ///< key, value as text
  std::string measurement = "point";                     ///< kind of its markers' readings
  std::string trajectory,                                ///< file name of its simulated motion in the run folder
      table;                                             ///< file name of its markers, likewise
};

/// A parameter's predicted standard errors.
struct DesignGain {
  std::string parameter,      ///< name, as in fit.json
      unit;                   ///< in base units of SI; empty: a pure number
  double before = not_known,  ///< predicted standard error with the design as
                              ///< written; ∞: not identifiable
      optimized = not_known;  ///< with the optimized design, likewise

  /// Greater than 1: the optimized design is better. NaN if both are infinite.
  double ratio() const { return before / optimized; }
};

/// The design that `plan --optimize` found.
struct OptimizedDesign {
  std::string criterion;                       ///< "D", "A", or the name of the only parameter that counts
  std::string before;                          ///< the alternative with which it is compared
  std::string given;                           ///< run folder of the earlier fit; empty: none
  std::vector<OptimizedRecording> recordings;  ///< as many as the search found worthwhile
  std::vector<DesignGain> gains;               ///< by parameter that both designs have
  double waveform_gain = 1;                    ///< mean standard error with the numbers in the
                                               ///< file / with those found
  long runs = 0,                               ///< number of simulations
      evaluations = 0;                         ///< number of evaluations of the criterion
  std::vector<std::string> notes;              ///< for the user, one sentence each
};

/// An entry of `optimized.recordings` in plan.json.
void fields(FieldVisitor& v, OptimizedRecording& recording);
/// An entry of `optimized.gains` in plan.json.
void fields(FieldVisitor& v, DesignGain& gain);
/// `optimized` of plan.json.
void fields(FieldVisitor& v, OptimizedDesign& design);

/// identify.json.
struct IdentifyRecord {
  std::string name,                  ///< of the experiment
      at;                            ///< the point of the prediction: "start", or the run folder of a fit
  optim::IdentifyReport prediction;  ///< at that point
};

/// One experiment design and its prediction.
struct PlannedAlternative {
  std::string name;                                      ///< as in the experiment file, or "as written", "optimized"
  std::vector<std::pair<std::string, std::string>> set;  ///< key, value as text
  optim::IdentifyReport prediction;                      ///< of the standard errors with this design
};

/// plan.json.
struct PlanRecord {
  std::string name;  ///< of the experiment
  /// The first is the design as written, or an earlier fit in the form of a prediction; the last the optimized one, if
  /// there is one.
  std::vector<PlannedAlternative> alternatives;
  std::optional<OptimizedDesign> optimized;  ///< empty: not requested
};

/// An entry of `alternatives` in plan.json.
void fields(FieldVisitor& v, PlannedAlternative& alternative);
/// The whole of identify.json.
void fields(FieldVisitor& v, IdentifyRecord& record);
/// The whole of plan.json.
void fields(FieldVisitor& v, PlanRecord& record);

}  // namespace pithball::app
