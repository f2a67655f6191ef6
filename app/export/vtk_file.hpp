#pragma once
#include <cstdint>
#include <string>

#include "sim/core/types.hpp"

namespace pithball::app {

using sim::Index;

/// A text as one line that may stand in a comment of CSV or of XML, which may not hold two hyphens in a row.
std::string comment_line(std::string text);

/// A file of VTK's XML formats whose numbers follow the XML as raw bytes: how ParaView itself writes.
class VtkFile {
 public:
  /// `type`: "PolyData", "ImageData"; `comment` goes below the first line, made one line.
  VtkFile(const std::string& type, const std::string& comment);

  /// Markup around the arrays.
  void add(const std::string& xml) { text_ += xml; }
  /// A data array at this place of the markup: `count` numbers in all, `components` in each tuple. The numbers are
  /// copied.
  void add_array(const std::string& name, int components, const double* data, Index count);
  void add_array(const std::string& name, int components, const std::int64_t* data, Index count);

  /// The whole file.
  std::string finish() const;

 private:
  void add_bytes(const std::string& name, const char* type, int components, const char* data, std::uint64_t bytes);
  std::string text_, numbers_;
};

}  // namespace pithball::app
