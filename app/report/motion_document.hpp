#pragma once
#include <string>

#include "app/report/sections.hpp"

namespace pithball::app {

/// Input of one motion document.
struct ShownMotion {
  std::string title;                   ///< heading of the section
  std::string recording;               ///< its name; empty: none
  const sim::Model& model;             ///< forces and values of this motion
  const datasets::H5mdReader& stored;  ///< its states
  std::string note = {};               ///< a sentence shown first below the title; empty: none
};

/// A document of the kind `motion`, without markers. Throws InvalidArgument if the states do not match the model's
/// particles and springs, or none of them is finite.
nlohmann::ordered_json motion_document(const Run& run, const ShownMotion& motion, const ReportOptions& options);

/// A quantity by which a motion can be colored, besides the standard ones: one value for each particle or spring; NaN:
/// none.
struct Coloring {
  std::string name,    ///< key of the quantity in the document
      label,           ///< as the page shows it
      unit;            ///< in base units of SI; empty: a pure number
  std::string of;      ///< "particles" or "springs"
  sim::Vector values;  ///< in the order of the particles or springs; NaN: none
};
/// Appends the quantity to a motion document; links, which come after the springs, have no value in it.
void add_coloring(nlohmann::ordered_json& motion, const Coloring& coloring);

}  // namespace pithball::app
