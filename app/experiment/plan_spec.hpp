#pragma once
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/optimize_spec.hpp"

namespace pithball::app {

/// One experiment design: the file as it is, or with some keys changed.
struct PlanAlternative {
  std::string name;                                          ///< from the file; unique
  std::vector<std::pair<std::string, std::string>> changes;  ///< key, value as text
  FitSpec spec;                                              ///< with the changes
};

/// The name of the alternative that `plan --optimize` finds.
inline constexpr const char* optimized_name = "optimized";

/// The section `plan:` of an experiment: designs compared by the predicted results of their fits.
struct PlanSpec {
  std::string name;                      ///< of the experiment
  Tree filled;                           ///< the document as written, with every default filled in
  ExperimentDocument document;           ///< as written, with whole recordings
  FitSpec written;                       ///< the same, read
  std::optional<OptimizeSpec> optimize;  ///< if `plan.optimize` is written
  /// The first is "as written", without changes. After an earlier fit, which contains the information of the existing
  /// recordings, alternatives have planned recordings only, and there may be none.
  std::vector<PlanAlternative> alternatives;
};

/// Where a plan takes the information about existing recordings from.
enum class PlanKnowledge {
  File,        ///< all recordings of the file
  EarlierFit,  ///< a finished fit, which contains their information
};

/// Reads the whole document; without a section `plan:` there is one alternative. Unknown keys are rejected in every
/// alternative.
PlanSpec read_plan(const ExperimentDocument& document, PlanKnowledge knowledge = PlanKnowledge::File);

/// Asks the same questions as `read_plan`, for the page of keys.
void describe_plan(Node& root);

}  // namespace pithball::app
