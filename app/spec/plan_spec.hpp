#pragma once
#include <string>
#include <utility>
#include <vector>

#include "app/spec/fit_spec.hpp"

namespace pithball::app {

/// One experiment design: the file as it is, or with some keys changed.
struct PlanAlternative {
  std::string name;
  std::vector<std::pair<std::string, std::string>> changes;  ///< key, value as text
  FitSpec spec;                                              ///< with the changes
};

/// The section `plan:` of an experiment: designs compared by the predicted results of their fits.
struct PlanSpec {
  std::string name;
  Tree filled;                                ///< the document as written, with every default filled in
  std::vector<PlanAlternative> alternatives;  ///< first "as written", without changes
};

/// Reads the whole document; without a section `plan:` there is one alternative. Unknown keys are rejected in every
/// alternative.
PlanSpec read_plan(const ExperimentDocument& document);

/// Asks the same questions as `read_plan`, for the page of keys.
void describe_plan(Node& root);

}  // namespace pithball::app
