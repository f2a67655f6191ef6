#include "datasets/capture/c3d_bytes.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "sim/core/error.hpp"

namespace pithball::datasets {

std::string_view C3dBytes::slice(std::size_t at, std::size_t length) const {
  if (at > bytes_.size() || length > bytes_.size() - at)
    throw InvalidArgument(
        {path_, "C3D file", "must contain " + std::to_string(length) + " bytes from byte " + std::to_string(at) + " on",
         "a file of " + std::to_string(bytes_.size()) + " bytes", "the file is cut off or damaged: copy it again"});
  return bytes_.substr(at, length);
}

std::uint16_t C3dBytes::word(std::size_t at) const {
  const std::string_view b = slice(at, 2);
  const auto low = static_cast<std::uint8_t>(b[0]), high = static_cast<std::uint8_t>(b[1]);
  return static_cast<std::uint16_t>(processor_ == C3dProcessor::Mips ? low << 8 | high : high << 8 | low);
}

float C3dBytes::real(std::size_t at) const {
  // The 16-bit word that holds sign and exponent comes first everywhere but on Intel.
  const std::uint32_t first = word(at), second = word(at + 2);
  const std::uint32_t bits = processor_ == C3dProcessor::Intel ? second << 16 | first : first << 16 | second;
  if (processor_ != C3dProcessor::Dec) return std::bit_cast<float>(bits);
  const std::uint32_t exponent = bits >> 23 & 0xff;
  if (exponent == 0) return bits >> 31 ? std::numeric_limits<float>::quiet_NaN() : 0.0F;
  // Not through IEEE's own exponent 255, which would be an infinity where VAX has a number.
  const float fraction = std::bit_cast<float>((bits & 0x807fffff) | 127U << 23);
  return static_cast<float>(std::ldexp(fraction, static_cast<int>(exponent) - 129));
}

}  // namespace pithball::datasets
