#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "datasets/capture/c3d_bytes.hpp"

namespace pithball::datasets {

/// The parameter section of a C3D file: named values in named groups (The C3D File Format User Guide, 2008, "The
/// parameter section"). Copies and allocates only what the file contains.
class C3dParameters {
 public:
  /// Reads the section at byte `start`; throws InvalidArgument if it extends beyond the file.
  C3dParameters(const C3dBytes& bytes, std::size_t start);

  /// Number `k` of "POINT:RATE"; 16-bit integers are unsigned, as writers store counts beyond 32767. Empty if there is
  /// no such parameter, no entry `k`, or no number.
  std::optional<double> number(const std::string& name, std::size_t k = 0) const;
  /// All texts of "POINT:LABELS", without blanks at their ends; empty if there is none.
  std::vector<std::string> texts(const std::string& name) const;

 private:
  struct Parameter {
    int type = 0;            ///< −1 text, 1 byte, 2 integer, 4 float: minus or plus the bytes of an element
    std::size_t count = 0;   ///< elements
    std::size_t length = 0;  ///< of a text
    std::size_t at = 0;      ///< first byte of the elements
  };
  const Parameter* find(const std::string& name) const;

  const C3dBytes& bytes_;
  std::map<std::string, Parameter> parameters_;  ///< by "GROUP:NAME"
};

}  // namespace pithball::datasets
