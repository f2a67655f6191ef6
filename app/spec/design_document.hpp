#pragma once
#include <string>
#include <utility>
#include <vector>

#include "app/spec/optimize_spec.hpp"

namespace pithball::app {

/// A recording of a design.
struct DesignedRecording {
  std::string name;                               ///< of the recording, unique in the document
  double rate = 0,                                ///< frames per second [1/s]
      duration = 0;                               ///< of the recording [s]
  std::vector<Index> markers;                     ///< particles; empty: as written
  std::vector<std::pair<std::string, Tree>> set;  ///< keys with other values than in the file
};

/// The document with these recordings in place of the one to be designed, without `plan:`. `without_files`: recordings
/// that exist are left out.
ExperimentDocument design_document(const ExperimentDocument& document, const FitSpec& written,
                                   const OptimizeSpec& optimize, const std::vector<DesignedRecording>& recordings,
                                   bool without_files);

/// The value of a variable with other numbers.
Tree with_numbers(const DesignVariable& variable, const double* numbers);

}  // namespace pithball::app
