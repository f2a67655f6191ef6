#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

namespace pithball::experiments {

/// Packed arrays of a report's documents (docs/report.md says how a number is stored): numbers in row-major order,
/// their shape, and zlib and base64 around them. All functions throw std::invalid_argument if shape and count differ.
using PackedShape = std::vector<std::size_t>;

/// The numbers themselves, rounded to single precision; NaN stays NaN.
nlohmann::ordered_json pack_float32(const PackedShape& shape, const std::vector<float>& numbers);
nlohmann::ordered_json pack_uint32(const PackedShape& shape, const std::vector<std::uint32_t>& numbers);

/// How finite numbers become whole ones: number ≈ offset + quantum·q, wrong by half a quantum at most.
struct Quantisation {
  std::vector<double> offset;  ///< one, or one for each index of the last axis
  double quantum = 0;          ///< common to all; 0: all numbers of an index are equal
};

/// The finest quantum with which `levels` whole numbers reach every number of an array whose last axis has `components`
/// entries, each with an offset of its own.
Quantisation quantisation_of(const std::vector<double>& numbers, std::size_t components, double levels);

/// Quantised to 8 or 16 bits, as `order`-th differences along the first axis.
nlohmann::ordered_json pack_uint8(const PackedShape& shape, const std::vector<double>& numbers, const Quantisation&,
                                  int order);
nlohmann::ordered_json pack_uint16(const PackedShape& shape, const std::vector<double>& numbers, const Quantisation&,
                                   int order);

/// Characters of a packed array's data.
std::size_t packed_size(const nlohmann::ordered_json& packed);

}  // namespace pithball::experiments
