#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

namespace pithball::app {

/// Packed arrays of a report's documents (docs/report.md says how a number is stored): numbers in row-major order,
/// their shape, and zlib and base64 around them. All functions throw std::invalid_argument if shape and count differ.
using PackedShape = std::vector<std::size_t>;

/// The numbers themselves, rounded to single precision; NaN stays NaN.
nlohmann::ordered_json pack_float32(const PackedShape& shape, const std::vector<float>& numbers);
nlohmann::ordered_json pack_uint32(const PackedShape& shape, const std::vector<std::uint32_t>& numbers);

/// How finite numbers become whole ones: number ≈ offset + quantum·q, wrong by half a quantum at most.
struct Quantization {
  std::vector<double> offset;  ///< one, or one for each index of the last axis
  double quantum = 0;          ///< common to all; 0: all numbers of an index are equal
};

/// The finest quantum with which `levels` whole numbers reach every number of an array whose last axis has `components`
/// entries, each with an offset of its own.
Quantization quantization_of(const std::vector<double>& numbers, std::size_t components, double levels);

/// The same for numbers that lie between these, one for each component.
Quantization quantization_between(const std::vector<double>& lowest, const std::vector<double>& highest, double levels);

/// An array that is quantized to 8 or 16 bits and packed row by row, as by `pack_uint8` and `pack_uint16`: of its
/// numbers no more than a row or two are in memory, and its packed form only as far as it is wanted.
class PackedRows {
 public:
  /// bytes: 1 or 2. Of a packed form of more than `most` characters only the length is kept.
  PackedRows(std::size_t bytes, Quantization by, int order, std::size_t most = std::numeric_limits<std::size_t>::max());
  PackedRows(PackedRows&&) noexcept;
  ~PackedRows();
  /// All rows are added as often as this, since the low bytes of all numbers stand before the high ones.
  std::size_t passes() const { return bytes_; }
  /// The next row in this pass, 0 or 1; rows are as long.
  void add(std::size_t pass, std::span<const double> row);
  /// The packed array; `data` is null where it is longer than `most`.
  nlohmann::ordered_json finish(const PackedShape& shape);
  /// Characters of the packed data so far; after `finish`, of all.
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
nlohmann::ordered_json pack_uint16(const PackedShape& shape, const std::vector<double>& numbers, const Quantization&,
                                   int order);

/// Quantized to 16 bits like these, of which the last stands for a number that is missing (NaN): the array's key
/// `missing` holds it. `components`: entries of the last axis, each with an offset of its own.
nlohmann::ordered_json pack_with_missing(const PackedShape& shape, const std::vector<double>& numbers,
                                         std::size_t components, int order);

/// Characters of a packed array's data.
std::size_t packed_size(const nlohmann::ordered_json& packed);

}  // namespace pithball::app
