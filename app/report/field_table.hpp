#pragma once
#include <functional>
#include <string>
#include <vector>

#include "app/report/section.hpp"
#include "sim/core/field_list.hpp"

namespace pithball::optim {
struct MeasurementKind;
}

namespace pithball::app {

/// One row of a table of results: the fields of a struct.
struct TableRow {
  std::function<void(FieldVisitor&)> list;  ///< its list of fields
  const optim::MeasurementKind* kind;       ///< for numbers in its unit
};

/// A table with a column for each plain field (number, word, flag or text) of the rows, which are structs of one type.
/// A field that is added to the struct's list is in the table without a change here.
Section field_table(const std::string& title, const std::string& note, const std::vector<TableRow>& rows);

}  // namespace pithball::app
