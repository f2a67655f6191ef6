#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/compare/comparison.hpp"
#include "experiments/run/run_folder.hpp"

namespace pithball::experiments {

/// How a comparison ended.
struct CompareRun {
  Comparison comparison;
  bool ok = false;              ///< the reference and its check came to their ends
  std::string explanation;      ///< what is wrong with the reference, in a sentence; empty: nothing
  double seconds = 0;           ///< of everything together
  nlohmann::ordered_json json;  ///< as in compare.json
};

/// A comparison as in compare.json; null where a number is infinite or unknown.
nlohmann::ordered_json comparison_json(const Comparison& comparison);

/// What is wrong with a comparison's reference, in a sentence; empty: nothing.
std::string explain(const Comparison& comparison);

/// Makes the runs of a comparison; `progress`: draws a bar on standard error.
CompareRun run_comparison(const CompareSpec& spec, bool progress);

/// Leaves a run folder with run.yaml, compare.json and summary.json; returns the summary.
nlohmann::ordered_json write_compare_run(const CompareRun& run, const CompareSpec& spec,
                                         const std::filesystem::path& target, const Provenance& provenance);

}  // namespace pithball::experiments
