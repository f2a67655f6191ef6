#include "datasets/mesh/ply_syntax.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "datasets/mesh/ply_header.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/checked_product.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

/// The numbers that follow, of a text or of bytes.
class PlyBody {
 public:
  PlyBody(const std::string& path, const PlyHeader& header)
      : path_(path),
        rest_(header.body()),
        line_(header.lines()),
        text_(header.is_text()),
        swapped_(header.big_endian()) {}

  std::size_t bytes_left() const { return rest_.size(); }
  /// "body.ply:12", the line of the last number; for a binary file only the file.
  std::string where() const { return text_ ? place(path_, line_) : path_; }
  /// What the numbers that follow belong to, for messages.
  void begin(const PlyElement& element, Index k) {
    element_ = &element;
    number_ = k;
  }
  std::string what() const { return std::string(element_->name) + " " + std::to_string(number_); }

  /// Passes over a number.
  void skip(const PlyType& type) {
    if (!text_) return void(take(type.bytes));
    const std::string_view word = next_word();
    if (type.whole ? !fits(parse_integer(word), type) : !parse_number(word))
      reject("a number of type " + std::string(type.name), "'" + std::string(word.substr(0, 20)) + "'");
  }

  /// Passes over a coordinate.
  void skip_coordinate(const PlyType& type) {
    const auto reject_value = [&](std::string got) {
      throw InvalidArgument(
          {where(), what(), "coordinates must be finite numbers", std::move(got), "export the mesh again"});
    };
    if (text_) {
      const std::string_view word = next_word();
      const auto value = parse_number(word);
      if (!value) reject("a number of type " + std::string(type.name), "'" + std::string(word.substr(0, 20)) + "'");
      if (!std::isfinite(*value)) reject_value("'" + std::string(word) + "'");
      return;
    }
    const std::uint64_t bits = unsigned_whole(take(type.bytes));
    const double value =
        type.bytes == 4 ? std::bit_cast<float>(static_cast<std::uint32_t>(bits)) : std::bit_cast<double>(bits);
    if (!std::isfinite(value)) reject_value(std::to_string(value));
  }

  /// The next whole number.
  Index integer(const PlyType& type) {
    if (!text_) return whole(take(type.bytes), type);
    const std::string_view word = next_word();
    const auto value = parse_integer(word);
    if (!fits(value, type))
      reject("a number of type " + std::string(type.name), "'" + std::string(word.substr(0, 20)) + "'");
    return *value;
  }

  /// Passes over as many numbers.
  void skip(const PlyType& type, Index count) {
    if (text_) {
      for (Index k = 0; k < count; ++k) skip(type);
      return;
    }
    const auto bytes = checked_product(std::array{static_cast<std::size_t>(count), type.bytes}, rest_.size());
    if (!bytes) reject("a list that lies in the file", std::to_string(count) + " entries");
    take(*bytes);
  }

  /// A list's length.
  Index length(const PlyType& type) {
    std::optional<Index> length;
    if (text_) {
      const std::string_view word = next_word();
      length = parse_integer(word);
      if (!fits(length, type)) length.reset();
    } else {
      length = whole(take(type.bytes), type);
    }
    if (!length || *length < 0 || static_cast<std::size_t>(*length) > rest_.size())
      reject("a list that lies in the file", length ? std::to_string(*length) + " entries" : "another length");
    return *length;
  }

 private:
  static constexpr const char* all_numbers = "all numbers that the header announces";

  [[noreturn]] void reject(const std::string& required, const std::string& got) const {
    throw InvalidArgument(
        {where(), what(), "must contain " + required, got, "the file is truncated or damaged; export it again"});
  }

  static bool fits(const std::optional<Index>& number, const PlyType& type) {
    const Index values = Index{1} << (8 * type.bytes), least = type.is_signed ? -values / 2 : 0;
    return number && *number >= least && *number < least + values;
  }

  std::string_view take(std::size_t bytes) {
    if (bytes > rest_.size()) reject(all_numbers, "the end of the file");
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }

  std::string_view next_word() {
    constexpr std::string_view blanks = " \t\r\n\v\f";
    const std::size_t gap = std::min(rest_.find_first_not_of(blanks), rest_.size());
    const std::string_view passed = rest_.substr(0, gap);
    rest_.remove_prefix(gap);
    const std::string_view word = rest_.substr(0, rest_.find_first_of(blanks));
    if (word.empty()) reject(all_numbers, "the end of the file");
    line_ += std::count(passed.begin(), passed.end(), '\n');
    rest_.remove_prefix(word.size());
    return word;
  }

  std::uint64_t unsigned_whole(std::string_view bytes) const {
    std::uint64_t value = 0;
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      const std::size_t place = swapped_ ? bytes.size() - 1 - k : k;
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[k])) << (8 * place);
    }
    return value;
  }

  Index whole(std::string_view bytes, const PlyType& type) const {
    const Index number = unsigned_whole(bytes), values = Index{1} << (8 * type.bytes);
    return type.is_signed && number >= values / 2 ? number - values : number;
  }

  const std::string& path_;
  std::string_view rest_;
  std::size_t line_;
  bool text_, swapped_;
  const PlyElement* element_ = nullptr;
  Index number_ = 0;
};

/// Passes over the corners of a face; returns how many there are.
Index walk_face(const PlyProperty& corners, Index vertices, PlyBody& body) {
  std::vector<Index> face(body.length(*corners.length));
  for (Index& corner : face) {
    corner = body.integer(*corners.type);
    if (corner < 0 || corner >= vertices)
      reject_corner(body.where(), body.what(), std::to_string(corner), {0, vertices - 1});
  }
  check_corners(body.where(), body.what(), face);
  return face.size();
}

/// The next whole number, which is that of a vertex.
Index read_end(const PlyProperty& property, Index vertices, PlyBody& body) {
  const Index vertex = body.integer(*property.type);
  if (vertex < 0 || vertex >= vertices)
    reject_corner(body.where(), body.what(), std::to_string(vertex), {0, vertices - 1});
  return vertex;
}

/// Passes over an element; adds its lines, and the corners of its faces.
void walk_element(const PlyElement& element, Index vertices, PlyBody& body, PlainMesh& mesh) {
  if (static_cast<std::size_t>(element.count) > body.bytes_left())
    throw InvalidArgument({body.where(), "PLY file",
                           "must contain " + std::to_string(element.count) + " of '" + std::string(element.name) + "'",
                           std::to_string(body.bytes_left()) + " bytes", "the file is truncated; export it again"});
  const PlyProperty* corners = element.is_face() ? element.corners() : nullptr;
  const auto ends = element.is_edge() ? element.ends() : std::array<const PlyProperty*, 2>{};
  for (Index k = 0; k < element.count; ++k) {
    body.begin(element, k);
    MeshLine line{};
    for (const PlyProperty& property : element.properties) {
      if (&property == corners)
        mesh.counts.corners += walk_face(property, vertices, body);
      else if (&property == ends[0] || &property == ends[1])
        line[&property == ends[1] ? 1 : 0] = read_end(property, vertices, body);
      else if (element.is_coordinate(property))
        body.skip_coordinate(*property.type);
      else
        body.skip(*property.type, property.length ? body.length(*property.length) : 1);
    }
    if (!ends[0]) continue;
    check_line(body.where(), body.what(), line);
    mesh.lines.push_back(line);
  }
}

}  // namespace

PlainMesh check_ply(const std::string& path, std::string_view text) {
  const PlyHeader header(path, text);
  PlainMesh mesh{.counts = {}, .text = header.plain(), .lines_are_all = header.lines_are_all()};
  PlyBody body(path, header);
  for (const PlyElement& element : header.elements()) {
    if (element.is_vertex()) mesh.counts.vertices = element.count;
    if (element.is_face()) mesh.counts.faces = element.count;
    walk_element(element, header.vertices(), body, mesh);
  }
  mesh.text += header.body();
  return mesh;
}

}  // namespace pithball::datasets
