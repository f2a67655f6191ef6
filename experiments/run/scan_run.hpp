#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "experiments/compare/comparison.hpp"
#include "experiments/run/run_folder.hpp"
#include "experiments/scan/scan_spec.hpp"

namespace pithball::experiments {

/// How a scan ended.
struct ScanRun {
  std::vector<Comparison> cells;  ///< in the order of the specification
  bool ok = false;                ///< every reference and its check came to their ends
  std::string explanation;        ///< which did not, or are not fine enough; empty: none
  double seconds = 0;             ///< of everything together
  nlohmann::ordered_json json;    ///< as in scan.json
};

/// Makes the comparisons one after the other; `progress`: draws a bar on standard error.
ScanRun run_scan(const ScanSpec& spec, bool progress);

/// Leaves a run folder with run.yaml, scan.json and summary.json; returns the summary.
nlohmann::ordered_json write_scan_run(const ScanRun& run, const ScanSpec& spec, const std::filesystem::path& target,
                                      const Provenance& provenance);

}  // namespace pithball::experiments
