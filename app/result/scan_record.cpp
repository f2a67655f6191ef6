#include "app/result/scan_record.hpp"

namespace pithball::app {

void fields(FieldVisitor& v, ScanAxis& axis) {
  v.is("ScanAxis", "an axis of the grid");
  v("key", axis.key, "key of the experiment");
  v("values", axis.values, "its values");
}

void fields(FieldVisitor& v, ScanRecord& record) {
  v.is("ScanResult", "comparisons at the points of a grid");
  v("over", record.over, "axes of the grid");
  std::vector<std::string> keys;
  for (const ScanAxis& axis : record.over) keys.push_back(axis.key);
  v("rows",
    list_of(record.rows,
            [&](ScanRow& row) {
              v.is("ScanRow", "a run at a point of the grid, with its values by key");
              v.further_texts(keys, row.values);
              fields(v, row.run);
            }),
    "point by point, the last axis fastest");
  v("references",
    list_of(record.references,
            [&](ScanReference& reference) {
              v.is("ScanReference", "the reference at a point of the grid, with its values by key");
              v.further_texts(keys, reference.values);
              fields(v, reference.reference);
            }),
    "one for each point, in the order of the rows");
  v("explanation", record.explanation, "which references are wrong and why; empty: none");
}

}  // namespace pithball::app
