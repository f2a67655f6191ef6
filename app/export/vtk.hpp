#pragma once
#include <cstdint>
#include <string>

#include "sim/core/types.hpp"

namespace pithball::app {

using sim::Index;

/// The text on one line, valid in a comment of CSV or XML (no two hyphens in a row).
std::string comment_line(std::string text);

/// A file in one of VTK's XML formats with the numbers appended as raw bytes, as ParaView itself writes them.
class VtkFile {
 public:
  /// `type`: "PolyData", "ImageData"; `comment` is put on one line below the first line.
  VtkFile(const std::string& type, const std::string& comment);

  /// Appends markup around the arrays.
  void add(const std::string& xml) { text_ += xml; }
  /// Inserts a data array here: `count` numbers in total, `components` per tuple. The numbers are copied.
  void add_array(const std::string& name, int components, const double* data, Index count);
  /// Likewise, 64-bit integers.
  void add_array(const std::string& name, int components, const std::int64_t* data, Index count);

  /// The whole file.
  std::string finish() const;

 private:
  void add_bytes(const std::string& name, const char* type, int components, const char* data, std::uint64_t bytes);
  std::string text_, numbers_;
};

}  // namespace pithball::app
