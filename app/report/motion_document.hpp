#pragma once
#include <string>

#include "app/report/sections.hpp"

namespace pithball::app {

/// What one motion of a report shows.
struct ShownMotion {
  std::string title;
  std::string recording;               ///< its name; empty: none
  const sim::Model& model;             ///< forces and values of this motion
  const datasets::H5mdReader& stored;  ///< its states
  std::string note = {};               ///< a sentence that stands first below the title; empty: none
};

/// A document of the kind `motion`, without markers. Throws InvalidArgument if the states are not of the model's
/// particles and springs, or none of them has finite numbers.
nlohmann::ordered_json motion_document(const Run& run, const ShownMotion& motion, const ReportOptions& options);

/// What a motion can be colored by, besides what it always shows: one value for each particle or spring; NaN: has
/// none.
struct Coloring {
  std::string name, label, unit;
  std::string of;  ///< "particles" or "springs"
  sim::Vector values;
};
void add_coloring(nlohmann::ordered_json& motion, const Coloring& coloring);

}  // namespace pithball::app
