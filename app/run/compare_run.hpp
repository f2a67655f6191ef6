#pragma once
#include <string>
#include <vector>

#include "app/experiment/compare_spec.hpp"
#include "app/result/compare_record.hpp"
#include "app/result/summary.hpp"
#include "app/run/comparison.hpp"
#include "app/run_folder/run_folder.hpp"

namespace pithball::app {

/// Result of a comparison run.
struct CompareRun {
  Comparison comparison;      ///< all runs with their errors
  bool ok = false;            ///< the reference and its check completed
  std::string explanation;    ///< what is wrong with the reference, in a sentence; empty if nothing
  CompareRecord record;       ///< compare.json
  Summary summary;            ///< summary.json, with its outcome
  ComparisonOutcome outcome;  ///< further content of summary.json
};

/// compare.json of a comparison.
CompareRecord record_of(const Comparison& comparison);

/// What is wrong with a comparison's reference, in a sentence; empty if nothing.
std::string explain(const Comparison& comparison);

/// Makes the runs of a comparison and leaves a run folder with run.yaml, compare.json and summary.json. Completed runs
/// are stored, so that a resumed comparison makes only the others. Throws std::runtime_error if it is interrupted.
CompareRun run_comparison(const CompareSpec& spec, const RunOrder& order);

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
