#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

namespace pithball::app {

/// Packed arrays in report documents (encoding: docs/report.md): numbers in row-major order with their shape,
/// compressed with zlib and written in base64. All functions throw std::invalid_argument if shape and count disagree.
using PackedShape = std::vector<std::size_t>;

/// The numbers rounded to single precision; NaN stays NaN.
nlohmann::ordered_json pack_float32(const PackedShape& shape, const std::vector<float>& numbers);
/// Whole numbers of 32 bits, without loss.
nlohmann::ordered_json pack_uint32(const PackedShape& shape, const std::vector<std::uint32_t>& numbers);

/// Quantization of finite numbers: number ≈ offset + quantum·q, with an error of at most half a quantum.
struct Quantization {
  std::vector<double> offset;  ///< one, or one for each index of the last axis
  double quantum = 0;          ///< common to all; 0: all numbers of an index are equal
};

/// The finest quantum for which `levels` integers cover the range of an array whose last axis has `components` entries,
/// each with its own offset.
Quantization quantization_of(const std::vector<double>& numbers, std::size_t components, double levels);

/// The same for numbers in these ranges, one for each component.
Quantization quantization_between(const std::vector<double>& lowest, const std::vector<double>& highest, double levels);

/// Quantizes an array to 8 or 16 bits and packs it row by row, as `pack_uint8` and `pack_uint16` do. Holds only one or
/// two rows of the numbers in memory, and the packed form only up to `most`.
class PackedRows {
 public:
  /// bytes: 1 or 2. A packed form longer than `most` characters is discarded; only its length is kept.
  PackedRows(std::size_t bytes, Quantization by, int order, std::size_t most = std::numeric_limits<std::size_t>::max());
  /// The moved-from object can then only be destroyed.
  PackedRows(PackedRows&&) noexcept;
  ~PackedRows();
  /// All rows must be added once per byte, since the low bytes of all numbers come before the high ones.
  std::size_t passes() const { return bytes_; }
  /// Adds the next row in this pass, 0 or 1; all rows have the same length.
  void add(std::size_t pass, std::span<const double> row);
  /// The packed array; `data` is null if it is longer than `most`.
  nlohmann::ordered_json finish(const PackedShape& shape);
  /// Number of characters so far; after `finish`, in total.
  std::size_t size() const { return 4 * ((length_ + 2) / 3); }

 private:
  struct Stream;
  std::uint32_t difference(std::uint32_t q, std::size_t column);
  void deflate_more(unsigned char* bytes, std::size_t count, bool last);
  std::size_t bytes_;
  Quantization by_;
  std::size_t most_, pass_ = 0, row_ = 0, length_ = 0;
  std::vector<std::vector<std::uint32_t>> last_;  // of each order, the row before
  std::vector<unsigned char> plane_, packed_;
  std::unique_ptr<Stream> stream_;
};

/// Quantized to 8 or 16 bits, as `order`-th differences along the first axis.
nlohmann::ordered_json pack_uint8(const PackedShape& shape, const std::vector<double>& numbers, const Quantization&,
                                  int order);
/// The same with two bytes for each number, so that `levels` of the quantization may be 65535.
nlohmann::ordered_json pack_uint16(const PackedShape& shape, const std::vector<double>& numbers, const Quantization&,
                                   int order);

/// Quantizes to 16 bits; the largest integer, stored in the key `missing`, means a missing number (NaN). `components`:
/// entries of the last axis, each with its own offset.
nlohmann::ordered_json pack_with_missing(const PackedShape& shape, const std::vector<double>& numbers,
                                         std::size_t components, int order);

/// Characters of a packed array's data.
std::size_t packed_size(const nlohmann::ordered_json& packed);

}  // namespace pithball::app
