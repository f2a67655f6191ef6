#pragma once
#include <string>
#include <vector>

#include "app/spec/compare_spec.hpp"

namespace pithball::app {

/// One axis of a scan: a key of the experiment and its values.
struct ScanAxis {
  std::string key;                  ///< "system.charge"
  std::vector<std::string> values;  ///< as written: "6 uC"
};

/// The comparison at one point of the grid.
struct ScanCell {
  std::vector<std::string> values;  ///< one for each axis
  CompareSpec compare;              ///< the experiment with these values
};

/// The section `scan:` of an experiment, read and checked: the same comparison for every combination of values.
struct ScanSpec {
  std::string name;             ///< of the experiment
  std::vector<ScanAxis> axes;   ///< one or two
  std::vector<ScanCell> cells;  ///< the last axis fastest
  Tree filled;                  ///< the document with every default filled in
};

/// Reads the whole document once for each point of the grid, so that all errors are found before the first run. Rejects
/// unknown keys. Throws InvalidArgument.
ScanSpec read_scan(const ExperimentDocument& document);

/// Asks the same questions as `read_scan`, for the page of keys.
void describe_scan(Node& root);

}  // namespace pithball::app
