#pragma once
#include <string>
#include <vector>

#include "app/result/compare_record.hpp"
#include "app/spec/scan_spec.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::app {

/// A run at one point of a scan's grid.
struct ScanRow {
  std::vector<std::string> values;  ///< one for each axis
  MeasuredRun run;                  ///< without errors over time
};

/// The reference at one point.
struct ScanReference {
  std::vector<std::string> values;  ///< one for each axis
  ReferenceRun reference;           ///< likewise
};

/// scan.json.
struct ScanRecord {
  std::vector<ScanAxis> over;             ///< keys and their values
  std::vector<ScanRow> rows;              ///< point by point, the last axis fastest
  std::vector<ScanReference> references;  ///< one for each point, in the order of the rows
  std::string explanation;                ///< which references are wrong and why; empty: none
};

/// An entry of `over` in scan.json.
void fields(FieldVisitor& v, ScanAxis& axis);
/// The whole of scan.json.
void fields(FieldVisitor& v, ScanRecord& record);

}  // namespace pithball::app
