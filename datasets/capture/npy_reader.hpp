#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/capture/marker_file.hpp"

namespace pithball::datasets {

/// A view of an array in NumPy's .npy format (versions 1 to 3; NumPy Enhancement Proposal 1), without copying its
/// elements.
class NpyView {
 public:
  /// Reads the header. `bytes` must outlive this object; `where` is for messages. Throws InvalidArgument on another
  /// format, on elements other than floats or integers of 4 or 8 bytes, and if shape and number of bytes disagree.
  NpyView(std::string_view bytes, const std::string& where);

  /// Length along each dimension; empty for a single number.
  const std::vector<std::uint64_t>& shape() const { return shape_; }
  /// Number of elements, the product of the shape.
  std::uint64_t size() const { return size_; }
  /// False: the elements are integers.
  bool is_float() const { return kind_ == 'f'; }
  /// The element at these indices, one for each dimension.
  double at(const std::vector<std::uint64_t>& indices) const;

 private:
  void read_header(std::string_view header, const std::string& where);
  std::string_view elements_;
  std::vector<std::uint64_t> shape_;
  std::uint64_t size_ = 1;
  char kind_ = 'f';
  std::size_t width_ = 8;
  bool swapped_ = false;           ///< opposite byte order
  bool first_is_fastest_ = false;  ///< Fortran's order
};

/// Reads a NumPy array of floats [frames][markers][3] in meters; markers are named "0", "1", …, samples with a NaN are
/// missing. The spec must give the rate. Throws InvalidArgument on another shape and as NpyView does.
MarkerFile read_npy(const std::string& path);

/// Reads a NumPy archive: the positions are the array `positions` or else the only one of floats [frames][markers][3],
/// the times [s] the array `times`, `time` or `t` [frames]; otherwise the number `rate`, or the rate of the spec.
/// Throws InvalidArgument on anything else, and on entries compressed more than a hundredfold, so that a small file
/// cannot exhaust memory.
MarkerFile read_npz(const std::string& path);

}  // namespace pithball::datasets
