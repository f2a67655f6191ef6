#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/result/not_known.hpp"
#include "app/result/optimized_design.hpp"
#include "optim/fit/identify.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::app {

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
  /// The first is the design as written, or what an earlier fit knows; the last
  /// the optimized one, if there is one.
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
