#include "datasets/mesh/ply_syntax.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "datasets/mesh/mesh_syntax.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/checked_product.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

namespace {

constexpr std::array<PlyType, 8> ply_types{{{"char", "int8", 1, true, true},
                                            {"uchar", "uint8", 1, true, false},
                                            {"short", "int16", 2, true, true},
                                            {"ushort", "uint16", 2, true, false},
                                            {"int", "int32", 4, true, true},
                                            {"uint", "uint32", 4, true, false},
                                            {"float", "float32", 4, false, true},
                                            {"double", "float64", 8, false, true}}};

constexpr const char* correct_header = "correct the header or export the mesh again";

std::string plain_name(const PlyElement& element, const PlyProperty& property) {
  if (element.is_face() && &property == element.corners()) return "vertex_indices";
  return element.is_coordinate(property) ? std::string(property.name) : "unused";
}

}  // namespace

const PlyProperty* PlyElement::corners() const {
  for (const char* usual : {"vertex_indices", "vertex_index"})
    for (const PlyProperty& property : properties)
      if (property.name == usual && property.length) return &property;
  return nullptr;
}

std::array<const PlyProperty*, 2> PlyElement::ends() const {
  const auto whole_number = [&](std::string_view wanted) -> const PlyProperty* {
    for (const PlyProperty& property : properties)
      if (property.name == wanted && property.type->whole && !property.length) return &property;
    return nullptr;
  };
  const std::array found{whole_number("vertex1"), whole_number("vertex2")};
  return found[0] && found[1] ? found : std::array<const PlyProperty*, 2>{};
}

PlyHeader::PlyHeader(const std::string& path, std::string_view text) : path_(path), rest_(text) {
  if (words().size() != 1 || words_[0] != "ply")
    reject("header", "must be 'ply'", "something else", "check that this is a PLY file");
  while (words().empty() || words_[0] != "end_header") {
    if (!words_.empty() && words_[0] == "comment")
      lines_are_all_ |= trim(line_text_.substr(7)) == lines_are_all_springs;
    if (words_.empty() || words_[0] == "comment" || words_[0] == "obj_info") continue;
    if (words_[0] == "format")
      read_format();
    else if (words_[0] == "element")
      read_element();
    else if (words_[0] == "property")
      read_property();
    else
      reject("header", "must contain elements and properties", "'" + std::string(words_[0]) + "'", correct_header);
  }
  if (format_.empty()) reject("header", "must state its format", "none", correct_header);
  for (const PlyElement& element : elements_) require_usable(element);
}

Index PlyHeader::vertices() const {
  for (const PlyElement& element : elements_)
    if (element.is_vertex()) return element.count;
  return 0;
}

std::string PlyHeader::plain() const {
  std::string text = "ply\nformat " + std::string(format_) + " 1.0\n";
  for (const PlyElement& element : elements_) {
    if (element.count == 0) continue;
    const char* name = element.is_vertex() ? "vertex" : element.is_face() ? "face" : "other";
    text += std::string("element ") + name + " " + std::to_string(element.count) + "\n";
    for (const PlyProperty& property : element.properties) {
      text += "property ";
      if (property.length) text += "list " + std::string(property.length->name) + " ";
      text += std::string(property.type->name) + " " + plain_name(element, property) + "\n";
    }
  }
  return text + "end_header\n";
}

void PlyHeader::reject(const std::string& what, const std::string& required, const std::string& got,
                       const std::string& remedy) const {
  throw InvalidArgument({place(path_, line_ - 1), what, required, got, remedy});
}

const std::vector<std::string_view>& PlyHeader::words() {
  if (rest_.empty())
    reject("header", "must end with 'end_header'", "the end of the file", "the file is truncated; export it again");
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  line_text_ = trim(rest_.substr(0, end));
  words_ = split_words(line_text_);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++line_;
  return words_;
}

void PlyHeader::read_format() {
  const bool known = words_.size() == 3 &&
                     (words_[1] == "ascii" || words_[1] == "binary_little_endian" || words_[1] == "binary_big_endian");
  if (!known || !format_.empty())
    reject("format", "must be given once, as 'format ascii 1.0', binary_little_endian or binary_big_endian",
           words_.size() > 1 ? "'" + std::string(words_[1]) + "'" : "none", correct_header);
  format_ = words_[1];
}

void PlyHeader::read_element() {
  const auto count = words_.size() == 3 ? parse_integer(words_[2]) : std::nullopt;
  if (!count || *count < 0)
    reject("element", "must have a name and a count", "'" + std::string(words_.back()) + "'", correct_header);
  PlyElement element{words_[1], *count, {}, line_};
  for (const PlyElement& earlier : elements_)
    if ((element.is_vertex() && earlier.is_vertex()) || (element.is_face() && earlier.is_face()) ||
        (element.is_edge() && earlier.is_edge()))
      reject("element", "must occur once", "'" + std::string(words_[1]) + "' twice", correct_header);
  elements_.push_back(std::move(element));
}

const PlyType* PlyHeader::type_of(std::string_view name) const {
  for (const PlyType& type : ply_types)
    if (type.name == name || type.other_name == name) return &type;
  reject("property", "must have a type that is known", "'" + std::string(name) + "'",
         "write float or int, for example");
}

void PlyHeader::read_property() {
  const bool list = words_.size() == 5 && words_[1] == "list";
  if (!list && words_.size() != 3)
    reject("property", "must be 'property TYPE NAME' or 'property list TYPE TYPE NAME'",
           std::to_string(words_.size()) + " words", correct_header);
  if (elements_.empty()) reject("property", "must follow its element", "one before the first element", correct_header);
  PlyProperty property{words_.back(), type_of(words_[list ? 3 : 1]), list ? type_of(words_[2]) : nullptr};
  if (list && !property.length->whole)
    reject("property", "must have a whole number for a list's length", "'" + std::string(words_[2]) + "'",
           correct_header);
  elements_.back().properties.push_back(property);
}

void PlyHeader::require_usable(const PlyElement& element) const {
  const auto reject_element = [&](const std::string& required, const std::string& got) {
    throw InvalidArgument(
        {place(path_, element.line - 1), "element '" + std::string(element.name) + "'", required, got, correct_header});
  };
  if (element.count == 0) return;
  if (element.properties.empty()) reject_element("must have properties", "none");
  const PlyProperty* corners = element.corners();
  if (element.is_face() && !(corners && corners->type->whole && corners->type->bytes == 4))
    reject_element("must have a list of int or uint, vertex_indices", "none");
  if (!element.is_vertex()) return;
  for (const char* axis : {"x", "y", "z"}) {
    const auto named = [&](const PlyProperty& property) { return property.name == axis; };
    if (std::ranges::count_if(element.properties, named) != 1)
      reject_element(std::string("must have one property ") + axis, "none or several");
    const PlyProperty& property = *std::ranges::find_if(element.properties, named);
    if (property.length || property.type->whole)
      reject_element(std::string("must have ") + axis + " as float or double",
                     property.length ? "a list" : "'" + std::string(property.type->name) + "'");
  }
}

namespace {

/// The numbers of the body, as text or binary.
class PlyBody {
 public:
  PlyBody(const std::string& path, const PlyHeader& header)
      : path_(path),
        rest_(header.body()),
        line_(header.lines()),
        text_(header.is_text()),
        swapped_(header.big_endian()) {}

  std::size_t bytes_left() const { return rest_.size(); }
  /// "body.ply:12", the line of the last number; for a binary file, only the path.
  std::string where() const { return text_ ? place(path_, line_) : path_; }
  /// Sets the element to which the next numbers belong, for messages.
  void begin(const PlyElement& element, Index k) {
    element_ = &element;
    number_ = k;
  }
  std::string what() const { return std::string(element_->name) + " " + std::to_string(number_); }

  /// Skips a number.
  void skip(const PlyType& type) {
    if (!text_) return void(take(type.bytes));
    const std::string_view word = next_word();
    if (type.whole ? !fits(parse_integer(word), type) : !parse_number(word))
      reject("a number of type " + std::string(type.name), "'" + std::string(word.substr(0, 20)) + "'");
  }

  /// Skips a coordinate.
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

  /// Returns the next whole number.
  Index integer(const PlyType& type) {
    if (!text_) return whole(take(type.bytes), type);
    const std::string_view word = next_word();
    const auto value = parse_integer(word);
    if (!fits(value, type))
      reject("a number of type " + std::string(type.name), "'" + std::string(word.substr(0, 20)) + "'");
    return *value;
  }

  /// Skips `count` numbers.
  void skip(const PlyType& type, Index count) {
    if (text_) {
      for (Index k = 0; k < count; ++k) skip(type);
      return;
    }
    const auto bytes = checked_product(std::array{static_cast<std::size_t>(count), type.bytes}, rest_.size());
    if (!bytes) reject("a list that lies in the file", std::to_string(count) + " entries");
    take(*bytes);
  }

  /// Returns the length of a list.
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

/// Checks and skips the corners of a face; returns their number.
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

/// Returns the next whole number, which must be the number of a vertex.
Index read_end(const PlyProperty& property, Index vertices, PlyBody& body) {
  const Index vertex = body.integer(*property.type);
  if (vertex < 0 || vertex >= vertices)
    reject_corner(body.where(), body.what(), std::to_string(vertex), {0, vertices - 1});
  return vertex;
}

/// Checks and skips an element; counts its lines and the corners of its faces.
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
