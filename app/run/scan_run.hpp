#pragma once
#include <string>
#include <vector>

#include "app/result/scan_record.hpp"
#include "app/result/summary.hpp"
#include "app/run/comparison.hpp"
#include "app/run_folder/run_folder.hpp"
#include "app/spec/scan_spec.hpp"

namespace pithball::app {

/// Result of a scan.
struct ScanRun {
  std::vector<Comparison> cells;  ///< in the order of the specification
  bool ok = false;                ///< every reference and its check completed
  std::string explanation;        ///< which references failed or are not accurate enough; empty: none
  ScanRecord record;              ///< scan.json
  Summary summary;                ///< summary.json, with its outcome
  ScanOutcome outcome;            ///< further content of summary.json
};

/// Makes the comparisons one after the other and leaves a run folder with run.yaml, scan.json and summary.json.
/// Completed runs are stored as in a comparison.
ScanRun run_scan(const ScanSpec& spec, const RunOrder& order);

}  // namespace pithball::app
