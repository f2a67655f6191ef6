#pragma once
#include <string>
#include <vector>

#include "app/run_folder/compare_record.hpp"
#include "app/spec/scan_spec.hpp"

namespace pithball::app {

/// A run at one point of a scan's grid.
struct ScanRow {
  std::vector<std::string> values;  ///< of each axis
  MeasuredRun run;                  ///< without errors over time
};

/// What the runs at one point are measured by.
struct ScanReference {
  std::vector<std::string> values;  ///< of each axis
  ReferenceRun reference;           ///< likewise
};

/// scan.json.
struct ScanRecord {
  std::vector<ScanAxis> over;
  std::vector<ScanRow> rows;  ///< point by point, the last axis fastest
  std::vector<ScanReference> references;
  std::string explanation;  ///< which references are wrong, and how; empty: none
};

nlohmann::ordered_json to_json(const ScanRecord& record);
/// The inverse. Throws nlohmann's exceptions where the document is no such record.
ScanRecord read_scan_record(const nlohmann::ordered_json& json);

}  // namespace pithball::app
