#include "app/report/packed.hpp"

#include <openssl/evp.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace pithball::app {
namespace {

using nlohmann::ordered_json;
using Bytes = std::vector<unsigned char>;

std::string base64(const Bytes& bytes) {
  // Pieces of whole triples need no base64 padding, and their length fits an int.
  constexpr std::size_t piece = 3u << 20;
  std::string text;
  std::vector<unsigned char> out(4 * piece / 3 + 1);
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const int length = std::min(piece, bytes.size() - at);
    const int written = EVP_EncodeBlock(out.data(), bytes.data() + at, length);
    text.append(reinterpret_cast<const char*>(out.data()), written);
  }
  return text;
}

constexpr int compression = 6;
constexpr const char* out_of_memory = "cannot compress an array of the report: out of memory?";

std::string deflated(const Bytes& bytes) {
  uLongf length = compressBound(static_cast<uLong>(bytes.size()));
  Bytes out(length);
  if (compress2(out.data(), &length, bytes.data(), static_cast<uLong>(bytes.size()), compression) != Z_OK)
    throw std::runtime_error(out_of_memory);
  out.resize(length);
  return base64(out);
}

/// Converts numbers to bytes, little-endian; the bytes of each number are adjacent.
Bytes to_bytes(const std::vector<std::uint32_t>& numbers) {
  Bytes bytes(sizeof(std::uint32_t) * numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    for (std::size_t k = 0; k < sizeof(std::uint32_t); ++k)
      bytes[sizeof(std::uint32_t) * i + k] = static_cast<unsigned char>(numbers[i] >> (8 * k));
  return bytes;
}

void require_shape(const PackedShape& shape, std::size_t count) {
  if (std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>()) != count)
    throw std::invalid_argument("a packed array whose shape is not that of its numbers");
}

ordered_json pack_quantized(std::size_t bytes, const PackedShape& shape, const std::vector<double>& numbers,
                            const Quantization& by, int order) {
  require_shape(shape, numbers.size());
  const std::size_t rows = shape[0], length = rows == 0 ? 0 : numbers.size() / rows;
  PackedRows packed(bytes, by, order);
  for (std::size_t pass = 0; pass < packed.passes(); ++pass)
    for (std::size_t row = 0; row < rows; ++row) packed.add(pass, {numbers.data() + row * length, length});
  return packed.finish(shape);
}

}  // namespace

ordered_json pack_uint32(const PackedShape& shape, const std::vector<std::uint32_t>& numbers) {
  require_shape(shape, numbers.size());
  return {{"type", "uint32"}, {"shape", shape}, {"data", deflated(to_bytes(numbers))}};
}

ordered_json pack_float32(const PackedShape& shape, const std::vector<float>& numbers) {
  std::vector<std::uint32_t> bits;
  bits.reserve(numbers.size());
  for (const float number : numbers) bits.push_back(std::bit_cast<std::uint32_t>(number));
  ordered_json packed = pack_uint32(shape, bits);
  packed["type"] = "float32";
  return packed;
}

Quantization quantization_of(const std::vector<double>& numbers, std::size_t components, double levels) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  std::vector<double> lowest(components, infinite), highest(components, -infinite);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    lowest[i % components] = std::min(lowest[i % components], numbers[i]);
    highest[i % components] = std::max(highest[i % components], numbers[i]);
  }
  return quantization_between(lowest, highest, levels);
}

Quantization quantization_between(const std::vector<double>& lowest, const std::vector<double>& highest,
                                  double levels) {
  double widest = 0;
  for (std::size_t a = 0; a < lowest.size(); ++a) widest = std::max(widest, highest[a] - lowest[a]);
  return {lowest, widest / (levels - 1)};
}

ordered_json pack_uint8(const PackedShape& shape, const std::vector<double>& numbers, const Quantization& by,
                        int order) {
  return pack_quantized(1, shape, numbers, by, order);
}

ordered_json pack_uint16(const PackedShape& shape, const std::vector<double>& numbers, const Quantization& by,
                         int order) {
  return pack_quantized(2, shape, numbers, by, order);
}

ordered_json pack_with_missing(const PackedShape& shape, const std::vector<double>& numbers, std::size_t components,
                               int order) {
  constexpr double infinite = std::numeric_limits<double>::infinity(), missing = 65535;
  std::vector<double> lowest(components, infinite), highest(components, -infinite);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::isnan(numbers[i])) continue;
    lowest[i % components] = std::min(lowest[i % components], numbers[i]);
    highest[i % components] = std::max(highest[i % components], numbers[i]);
  }
  for (std::size_t a = 0; a < components; ++a)
    if (lowest[a] > highest[a]) lowest[a] = highest[a] = 0;  // no values
  Quantization by = quantization_between(lowest, highest, missing);
  if (by.quantum == 0) by.quantum = 1;  // all values are equal, so that any quantum will do
  std::vector<double> filled = numbers;
  for (std::size_t i = 0; i < filled.size(); ++i)
    if (std::isnan(filled[i])) filled[i] = by.offset[i % components] + missing * by.quantum;
  ordered_json packed = pack_uint16(shape, filled, by, order);
  packed["missing"] = missing;
  return packed;
}

struct PackedRows::Stream {
  z_stream zlib{};
  Stream() {
    if (deflateInit(&zlib, compression) != Z_OK) throw std::runtime_error(out_of_memory);
  }
  ~Stream() { deflateEnd(&zlib); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

PackedRows::PackedRows(std::size_t bytes, Quantization by, int order, std::size_t most)
    : bytes_(bytes), by_(std::move(by)), most_(most), last_(order), stream_(std::make_unique<Stream>()) {}
PackedRows::PackedRows(PackedRows&&) noexcept = default;
PackedRows::~PackedRows() = default;

/// Returns the difference of order `order` along the rows, of lower order in the first rows, with 0, −1, 1, −2, …
/// mapped to 0, 1, 2, 3, …
std::uint32_t PackedRows::difference(std::uint32_t q, std::size_t column) {
  const std::uint32_t mask = (std::uint32_t{1} << (8 * bytes_)) - 1, sign = std::uint32_t{1} << (8 * bytes_ - 1);
  for (std::size_t k = 0; k < last_.size(); ++k) {
    const std::uint32_t before = std::exchange(last_[k][column], q);
    if (row_ > k) q = (q - before) & mask;
  }
  return ((q << 1) ^ ((q & sign) != 0 ? mask : 0)) & mask;
}

void PackedRows::add(std::size_t pass, std::span<const double> row) {
  if (pass != pass_) row_ = 0;
  pass_ = pass;
  for (std::vector<std::uint32_t>& last : last_) last.resize(row.size());
  const double per_quantum = by_.quantum > 0 ? 1 / by_.quantum : 0;
  const std::uint32_t mask = (std::uint32_t{1} << (8 * bytes_)) - 1;
  plane_.resize(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    const double offset = by_.offset[(row_ * row.size() + i) % by_.offset.size()];
    const auto q = static_cast<std::uint32_t>(std::lround((row[i] - offset) * per_quantum)) & mask;
    plane_[i] = static_cast<unsigned char>(difference(q, i) >> (8 * pass));
  }
  ++row_;
  deflate_more(plane_.data(), plane_.size(), false);
}

void PackedRows::deflate_more(unsigned char* bytes, std::size_t count, bool last) {
  z_stream& zlib = stream_->zlib;
  std::array<unsigned char, 65536> out;
  do {
    const auto part = static_cast<uInt>(std::min<std::size_t>(count, std::numeric_limits<uInt>::max()));
    zlib.next_in = bytes;
    zlib.avail_in = part;
    const bool end = last && part == count;
    do {
      zlib.next_out = out.data();
      zlib.avail_out = static_cast<uInt>(out.size());
      if (deflate(&zlib, end ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR) throw std::runtime_error(out_of_memory);
      const std::size_t made = out.size() - zlib.avail_out;
      length_ += made;
      if (size() <= most_) packed_.insert(packed_.end(), out.begin(), out.begin() + made);
    } while (zlib.avail_out == 0);
    bytes += part;
    count -= part;
  } while (count > 0);
}

ordered_json PackedRows::finish(const PackedShape& shape) {
  deflate_more(nullptr, 0, true);
  return {{"type", bytes_ == 1 ? "uint8" : "uint16"},
          {"shape", shape},
          {"order", last_.size()},
          {"offset", by_.offset.size() == 1 ? ordered_json(by_.offset.front()) : ordered_json(by_.offset)},
          {"scale", by_.quantum},
          {"data", size() <= most_ ? ordered_json(base64(packed_)) : ordered_json(nullptr)}};
}

std::size_t packed_size(const ordered_json& packed) { return packed.at("data").get_ref<const std::string&>().size(); }

}  // namespace pithball::app
