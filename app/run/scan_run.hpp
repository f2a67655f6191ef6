#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/run/comparison.hpp"
#include "app/run_folder/run_folder.hpp"
#include "app/spec/scan_spec.hpp"

namespace pithball::app {

/// How a scan ended.
struct ScanRun {
  std::vector<Comparison> cells;   ///< in the order of the specification
  bool ok = false;                 ///< every reference and its check came to their ends
  std::string explanation;         ///< which did not, or are not fine enough; empty: none
  double seconds = 0;              ///< of everything together
  nlohmann::ordered_json json;     ///< as in scan.json
  nlohmann::ordered_json summary;  ///< as in summary.json
};

/// Makes the comparisons one after the other and leaves a run folder with run.yaml, scan.json and summary.json. Their
/// runs are kept as they are finished, as in a comparison.
ScanRun run_scan(const ScanSpec& spec, const RunOrder& order);

}  // namespace pithball::app
