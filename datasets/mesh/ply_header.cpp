#include "datasets/mesh/ply_header.hpp"

#include <algorithm>
#include <optional>

#include "datasets/mesh/mesh_syntax.hpp"
#include "datasets/text/text_scan.hpp"
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

}  // namespace pithball::datasets
