#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pithball::app {

/// A part of a report: which display of the page shows it, and what it shows (docs/report.md lists the kinds and what
/// their documents hold).
struct Section {
  std::string kind;
  nlohmann::ordered_json document;

  /// The title of the document. Throws nlohmann's exception if it has none.
  std::string title() const { return document.at("title"); }
};

/// In reading order.
using Sections = std::vector<Section>;

}  // namespace pithball::app
