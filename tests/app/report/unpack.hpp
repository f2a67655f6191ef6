#pragma once
// Reads packed arrays by docs/report.md alone, without the code that wrote them.

#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace pithball::test {

inline std::vector<unsigned char> decode_base64(const std::string& text) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<unsigned char> bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const std::size_t digit = digits.find(c);
    if (digit == std::string::npos) throw std::runtime_error("no base64");
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if ((count += 6) < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<unsigned char>(bits >> count));
  }
  return bytes;
}

/// Undoes zigzag and the differences along the first axis.
template <class Unsigned>
std::vector<double> undo(const std::vector<std::uint32_t>& stored, std::size_t row, std::size_t order) {
  std::vector<Unsigned> q;
  for (const std::uint32_t z : stored)
    q.push_back(static_cast<Unsigned>(z % 2 == 0 ? static_cast<int>(z / 2) : -static_cast<int>(z / 2) - 1));
  std::vector<double> values;
  for (std::size_t i = 0; i < q.size(); ++i) {
    // r₀ = q₀, r₁ = q₁ − q₀, and of order 2 from then on r = q − 2 q₋₁ + q₋₂.
    if (order >= 1 && i >= row && (order == 1 || i < 2 * row)) q[i] = static_cast<Unsigned>(q[i] + q[i - row]);
    if (order == 2 && i >= 2 * row) q[i] = static_cast<Unsigned>(q[i] + 2 * q[i - row] - q[i - 2 * row]);
    values.push_back(q[i]);
  }
  return values;
}

/// All numbers of a packed array, row-major; `order` at most 2.
inline std::vector<double> unpack(const nlohmann::ordered_json& packed) {
  std::size_t count = 1;
  for (const auto& length : packed.at("shape")) count *= length.get<std::size_t>();
  const std::string type = packed.at("type");
  const std::size_t width = type == "uint8" ? 1 : type == "uint16" ? 2 : 4;
  const auto zipped = decode_base64(packed.at("data"));
  std::vector<unsigned char> bytes(count * width + 1);
  uLongf length = static_cast<uLongf>(bytes.size());
  if (uncompress(bytes.data(), &length, zipped.data(), static_cast<uLong>(zipped.size())) != Z_OK ||
      length != count * width)
    throw std::runtime_error("no zlib stream of that many numbers");
  std::vector<std::uint32_t> stored(count, 0);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = 0; k < width; ++k)
      stored[i] |= std::uint32_t{bytes[width == 2 ? k * count + i : width * i + k]} << (8 * k);
  std::vector<double> values;
  if (type == "float32" || type == "uint32") {
    for (const std::uint32_t bits : stored) {
      float number = 0;
      std::memcpy(&number, &bits, sizeof number);
      values.push_back(type == "uint32" ? static_cast<double>(bits) : static_cast<double>(number));
    }
    return values;
  }
  const std::size_t row = count / packed.at("shape")[0].get<std::size_t>(), order = packed.at("order");
  values = width == 1 ? undo<std::uint8_t>(stored, row, order) : undo<std::uint16_t>(stored, row, order);
  const auto& offset = packed.at("offset");
  const double scale = packed.at("scale");
  for (std::size_t i = 0; i < count; ++i)
    values[i] = (offset.is_array() ? offset[i % offset.size()] : offset).get<double>() + scale * values[i];
  return values;
}

}  // namespace pithball::test
