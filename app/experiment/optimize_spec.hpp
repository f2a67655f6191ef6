#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/experiment/fit_spec.hpp"
#include "optim/design/optimal_design.hpp"

namespace pithball::app {

/// A key and its candidate values; each recording of a design has one of them.
struct DesignAxis {
  std::string path;          ///< "forces.electric_field.uniform"
  std::vector<Tree> values;  ///< at least one
};

/// A key whose numbers vary continuously between bounds. Numbers are in the unit in which the bounds are written.
struct DesignVariable {
  std::string path;           ///< "key_frames.0.electric_field.values"
  Tree written;               ///< its value in the file: a number, or a list of numbers
  std::string unit;           ///< empty: SI
  double min = 0,             ///< smallest number allowed
      max = 0;                ///< largest number allowed
  std::vector<double> start;  ///< the numbers in `written`, in order
};

/// The section `plan.optimize`, with every default.
struct OptimizeSpec {
  optim::Optimality optimality = optim::Optimality::D;  ///< criterion for the parameters that count
  std::string parameter;                                ///< name of the only parameter that counts; empty: all
  std::size_t recording = 0;                            ///< index of the one to be designed
  std::vector<Index> candidates;     ///< particles that can carry a marker; empty: markers stay as they are
  Index markers = 0;                 ///< how many to choose
  std::vector<double> rates;         ///< [1/s], ascending; each divides the last
  std::vector<double> durations;     ///< [s], ascending
  std::vector<DesignAxis> over;      ///< keys with candidate values
  std::vector<DesignVariable> vary;  ///< keys with numbers that vary
  std::optional<Index> frames;       ///< most frames of all designed recordings together
  Index recordings = 1;              ///< most designed recordings
};

/// Reads `plan.optimize`. `spec`: the same document, read for a prediction; `document`: with whole recordings. Throws
/// InvalidArgument for empty ranges, more markers than particles, an unknown criterion and so on.
OptimizeSpec read_optimize(const ExperimentDocument& document, const FitSpec& spec);

/// Asks the same questions, for the page of keys.
void describe_optimize(Node& plan);

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
