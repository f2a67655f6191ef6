#pragma once
#include <string>
#include <vector>

#include "app/spec/compare_spec.hpp"

namespace pithball::app {

/// One direction of a scan: a key of the experiment and the values that it takes.
struct ScanAxis {
  std::string key;                  ///< "system.charge"
  std::vector<std::string> values;  ///< as written: "6 uC"
};

/// The comparison at one point of the grid.
struct ScanCell {
  std::vector<std::string> values;  ///< of each axis
  CompareSpec compare;
};

/// The section `scan:` of an experiment, read and checked: the same comparison for every combination of values.
struct ScanSpec {
  std::string name;
  std::vector<ScanAxis> axes;   ///< one or two
  std::vector<ScanCell> cells;  ///< the last axis fastest
  Tree filled;                  ///< the document with every default filled in
};

/// Reads the whole document once for each point of the grid, so that whatever one of them would reject is rejected
/// before the first is run. Unknown keys are rejected. Throws InvalidArgument.
ScanSpec read_scan(const ExperimentDocument& document);

/// Asks what `read_scan` asks, for the page of keys.
void describe_scan(Node& root);

}  // namespace pithball::app
