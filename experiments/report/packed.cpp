#include "experiments/report/packed.hpp"

#include <openssl/evp.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace pithball::experiments {
namespace {

using nlohmann::ordered_json;
using Bytes = std::vector<unsigned char>;

std::string base64(const Bytes& bytes) {
  // A piece of whole triples needs no padding, and its length fits an int.
  constexpr std::size_t piece = 3u << 20;
  std::string text;
  std::vector<unsigned char> out(4 * piece / 3 + 1);
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const auto length = static_cast<int>(std::min(piece, bytes.size() - at));
    const int written = EVP_EncodeBlock(out.data(), bytes.data() + at, length);
    text.append(reinterpret_cast<const char*>(out.data()), static_cast<std::size_t>(written));
  }
  return text;
}

std::string deflated(const Bytes& bytes) {
  uLongf length = compressBound(static_cast<uLong>(bytes.size()));
  Bytes out(length);
  if (compress2(out.data(), &length, bytes.data(), static_cast<uLong>(bytes.size()), 6) != Z_OK)
    throw std::runtime_error("cannot compress an array of the report: out of memory?");
  out.resize(length);
  return base64(out);
}

/// Little-endian, byte k of all numbers together in the k-th plane; or each number's bytes side by side.
template <class Number>
Bytes to_bytes(const std::vector<Number>& numbers, bool planes) {
  Bytes bytes(sizeof(Number) * numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    for (std::size_t k = 0; k < sizeof(Number); ++k)
      bytes[planes ? k * numbers.size() + i : sizeof(Number) * i + k] =
          static_cast<unsigned char>(numbers[i] >> (8 * k));
  return bytes;
}

void require_shape(const PackedShape& shape, std::size_t count) {
  if (std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>()) != count)
    throw std::invalid_argument("a packed array whose shape is not that of its numbers");
}

/// The k-th differences begin at row k; rows before it keep those of lower order.
template <class Unsigned>
void take_differences(std::vector<Unsigned>& q, std::size_t row, int order) {
  for (std::size_t pass = 1; pass <= static_cast<std::size_t>(order); ++pass)
    for (std::size_t i = q.size(); i-- > pass * row;) q[i] = static_cast<Unsigned>(q[i] - q[i - row]);
}

/// 0, −1, 1, −2, … become 0, 1, 2, 3, …
template <class Unsigned>
void zigzag(std::vector<Unsigned>& q) {
  for (Unsigned& value : q) {
    const bool negative = static_cast<std::make_signed_t<Unsigned>>(value) < 0;
    value = static_cast<Unsigned>((value << 1) ^ (negative ? std::numeric_limits<Unsigned>::max() : 0));
  }
}

template <class Unsigned>
ordered_json pack_quantised(const char* type, const PackedShape& shape, const std::vector<double>& numbers,
                            const Quantisation& by, int order) {
  require_shape(shape, numbers.size());
  std::vector<Unsigned> q(numbers.size(), 0);
  const double per_quantum = by.quantum > 0 ? 1 / by.quantum : 0;
  for (std::size_t i = 0; i < q.size(); ++i)
    q[i] = static_cast<Unsigned>(std::lround((numbers[i] - by.offset[i % by.offset.size()]) * per_quantum));
  take_differences(q, shape[0] == 0 ? 0 : q.size() / shape[0], order);
  zigzag(q);
  return {{"type", type},
          {"shape", shape},
          {"order", order},
          {"offset", by.offset.size() == 1 ? ordered_json(by.offset.front()) : ordered_json(by.offset)},
          {"scale", by.quantum},
          {"data", deflated(to_bytes(q, true))}};
}

}  // namespace

ordered_json pack_uint32(const PackedShape& shape, const std::vector<std::uint32_t>& numbers) {
  require_shape(shape, numbers.size());
  return {{"type", "uint32"}, {"shape", shape}, {"data", deflated(to_bytes(numbers, false))}};
}

ordered_json pack_float32(const PackedShape& shape, const std::vector<float>& numbers) {
  std::vector<std::uint32_t> bits;
  bits.reserve(numbers.size());
  for (const float number : numbers) bits.push_back(std::bit_cast<std::uint32_t>(number));
  ordered_json packed = pack_uint32(shape, bits);
  packed["type"] = "float32";
  return packed;
}

Quantisation quantisation_of(const std::vector<double>& numbers, std::size_t components, double levels) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<double> lowest(components, infinite), highest(components, -infinite);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    lowest[i % components] = std::min(lowest[i % components], numbers[i]);
    highest[i % components] = std::max(highest[i % components], numbers[i]);
  }
  double widest = 0;
  for (std::size_t a = 0; a < components; ++a) widest = std::max(widest, highest[a] - lowest[a]);
  return {lowest, widest / (levels - 1)};
}

ordered_json pack_uint8(const PackedShape& shape, const std::vector<double>& numbers, const Quantisation& by,
                        int order) {
  return pack_quantised<std::uint8_t>("uint8", shape, numbers, by, order);
}

ordered_json pack_uint16(const PackedShape& shape, const std::vector<double>& numbers, const Quantisation& by,
                         int order) {
  return pack_quantised<std::uint16_t>("uint16", shape, numbers, by, order);
}

std::size_t packed_size(const ordered_json& packed) { return packed.at("data").get_ref<const std::string&>().size(); }

}  // namespace pithball::experiments
