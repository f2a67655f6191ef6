#pragma once
#include <string>

#include "app/run/comparison.hpp"
#include "app/run_folder/compare_record.hpp"
#include "app/run_folder/run_folder.hpp"
#include "app/run_folder/summary.hpp"

namespace pithball::app {

/// How a comparison ended.
struct CompareRun {
  Comparison comparison;
  bool ok = false;          ///< the reference and its check came to their ends
  std::string explanation;  ///< what is wrong with the reference, in a sentence; empty: nothing
  CompareRecord record;     ///< compare.json
  Summary summary;          ///< summary.json, with its outcome
  ComparisonOutcome outcome;
};

/// What compare.json tells of a comparison.
CompareRecord record_of(const Comparison& comparison);

/// What is wrong with a comparison's reference, in a sentence; empty: nothing.
std::string explain(const Comparison& comparison);

/// Makes the runs of a comparison and leaves a run folder with run.yaml, compare.json and summary.json. Runs are kept
/// as they are finished: a comparison that is resumed makes only the others. Throws std::runtime_error if it is
/// interrupted.
CompareRun run_comparison(const CompareSpec& spec, const RunOrder& order);

}  // namespace pithball::app
