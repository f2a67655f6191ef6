#include "datasets/mesh/mesh_syntax.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

using sim::Index;

void check_coordinates(const std::string& where, const std::vector<std::string_view>& words, std::size_t first) {
  if (words.size() < first + 3)
    throw InvalidArgument({where, "vertex", "must have three coordinates", std::to_string(words.size() - first),
                           "export the mesh again; the file may be truncated here"});
  for (std::size_t k = first; k < first + 3; ++k) {
    const auto value = parse_number(words[k]);
    if (!value || !std::isfinite(*value))
      throw InvalidArgument({where, "vertex", "coordinates must be finite numbers", "'" + std::string(words[k]) + "'",
                             "correct the line or export the mesh again"});
  }
}

std::string off_head(const char* kind, const MeshCounts& counts) {
  return std::string(kind) + "\n" + std::to_string(counts.vertices) + " " + std::to_string(counts.faces) + " 0\n";
}

void add_words(std::string& text, const std::vector<std::string_view>& words, std::size_t first, std::size_t last) {
  for (std::size_t k = first; k < last; ++k) text.append(words[k]).append(k + 1 < last ? " " : "\n");
}

namespace {

/// Reads an OFF file either by nonempty lines, without comments, or by words, regardless of line ends.
class OffLines {
 public:
  OffLines(const std::string& path, std::string_view text) : path_(path), lines_(split_lines(text)) {}

  /// Returns the next line. In word mode, returns the next `width` words; if `width` is 0, the next word, which is a
  /// count, and that many further words, such as the corners of a face.
  std::vector<std::string_view> next(const std::string& expected, std::size_t width = 0) {
    std::vector<std::string_view> row;
    if (!by_words_) {
      if (!load()) reject_end(expected);
      return std::exchange(words_, {});
    }
    for (std::size_t wanted = width > 0 ? width : 1; row.size() < wanted;) {
      const auto word = next_word();
      if (!word) reject_end(expected);
      row.push_back(*word);
      if (width == 0 && row.size() == 1)
        wanted += static_cast<std::size_t>(std::clamp<Index>(parse_integer(*word).value_or(0), 0, most_corners));
    }
    return row;
  }

  /// Switches to word mode, beginning with these words.
  void go_by_words(std::vector<std::string_view> first) {
    by_words_ = true;
    words_ = std::move(first);
    word_ = 0;
  }

  /// Whether to read by lines: each vertex and each face has its own line, or reading by words would not fit the counts
  /// either.
  bool is_cut_by_lines(const MeshCounts& counts, std::size_t width) const {
    OffLines rest = *this;
    Index lines = 0;
    bool wide = true;  // each line of a vertex has all its coordinates
    for (; rest.load(); ++lines) wide = wide && (lines >= counts.vertices || rest.words_.size() >= width);
    if (wide && counts.vertices <= lines && lines - counts.vertices == counts.faces) return true;
    rest = *this;
    rest.go_by_words({});
    for (Index v = 0; v < counts.vertices; ++v)
      for (std::size_t k = 0; k < width; ++k)
        if (!rest.next_word()) return true;
    for (Index f = 0; f < counts.faces; ++f) {
      const auto corners = rest.next_word();
      if (!corners) return true;
      for (Index k = parse_integer(*corners).value_or(most_corners); k > 0; --k)
        if (!rest.next_word()) return true;
    }
    return rest.next_word().has_value();
  }

  /// Throws InvalidArgument if words are left after the last face.
  void require_end() {
    if (!by_words_) return;
    if (const auto word = next_word())
      throw InvalidArgument({where_, "OFF file", "must end with its last face where it does not give each its own line",
                             "'" + std::string(*word) + "'", "put each vertex and each face on its own line"});
  }

  const std::string& where() const { return where_; }

 private:
  static constexpr Index most_corners = Index{1} << 32;  // more than any file has words

  [[noreturn]] void reject_end(const std::string& expected) const {
    throw InvalidArgument({place(path_, lines_.size() - 1), "OFF file", "must contain " + expected,
                           "the end of the file", "the file is truncated; export it again"});
  }

  /// Loads the words of the next nonempty line; false at the end.
  bool load() {
    for (word_ = 0; at_ < lines_.size();) {
      words_ = split_words(lines_[at_].substr(0, lines_[at_].find('#')));
      where_ = place(path_, at_++);
      if (!words_.empty()) return true;
    }
    return false;
  }

  std::optional<std::string_view> next_word() {
    if (word_ == words_.size() && !load()) return std::nullopt;
    return words_[word_++];
  }

  std::string path_;
  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  bool by_words_ = false;
  std::vector<std::string_view> words_;  // of the line loaded last
  std::size_t word_ = 0;
  std::string where_;
};

}  // namespace

void check_corners(const std::string& where, const std::string& what, const std::vector<Index>& face) {
  if (face.size() < 3)
    throw InvalidArgument({where, what, "must have at least three corners", std::to_string(face.size()),
                           "remove the degenerate face, or export the mesh without loose edges"});
  std::set<Index> seen;
  for (const Index corner : face)
    if (!seen.insert(corner).second)
      throw InvalidArgument({where, what, "must not repeat a vertex", "number " + std::to_string(corner) + " twice",
                             "remove the degenerate face"});
}

void reject_corner(const std::string& where, const std::string& what, std::string got, IndexRange range) {
  throw InvalidArgument({where, what,
                         "vertex numbers must be in " + std::to_string(range.first) + ".." + std::to_string(range.last),
                         std::move(got), "correct the number or export the mesh again"});
}

void check_line(const std::string& where, const std::string& what, const MeshLine& line) {
  if (line[0] == line[1])
    throw InvalidArgument({where, what, "must join two different vertices", "the same twice", "remove the line"});
}

namespace {

/// The header of an OFF file: the kinds of data that its vertices have, and the counts of vertices and faces.
struct OffHeader {
  bool homogeneous = false;  // a fourth coordinate, which divides the others
  bool extended = false;     // textures, colors or normals; only the end of the line delimits them
  MeshCounts counts;
};

/// Reads the header; afterwards `lines` is at the first vertex.
OffHeader read_off_header(OffLines& lines) {
  auto words = lines.next("a header");
  OffHeader header;
  std::string_view kind = words[0];
  for (const std::string_view prefix : {"ST", "C", "N", "4"}) {
    if (!kind.starts_with(prefix)) continue;
    kind.remove_prefix(prefix.size());
    (prefix == "4" ? header.homogeneous : header.extended) = true;
  }
  if (kind != "OFF")
    throw InvalidArgument({lines.where(), "header", "must be 'OFF'", "'" + std::string(words[0]) + "'",
                           "check that this is an OFF file"});
  if (std::find(words.begin(), words.end(), "BINARY") != words.end())
    throw InvalidArgument({lines.where(), "header", "must be a text OFF file", "BINARY", "export as text, PLY or OBJ"});
  words.erase(words.begin());
  if (words.empty()) words = lines.next("the counts of vertices, faces and edges");
  std::vector<Index> sizes;
  for (std::size_t k = 0; k < std::min<std::size_t>(words.size(), 2); ++k)
    sizes.push_back(parse_integer(words[k]).value_or(-1));
  if (sizes.size() < 2 || sizes[0] < 0 || sizes[1] < 0)
    throw InvalidArgument({lines.where(), "header", "must give the counts of vertices and faces",
                           "'" + std::string(words[0]) + "'", "write a line such as '8 6 0'"});
  header.counts = {sizes[0], sizes[1], 0};
  if (!header.extended && words.size() > 3)
    lines.go_by_words({words.begin() + 3, words.end()});
  else if (!header.extended && !lines.is_cut_by_lines(header.counts, header.homogeneous ? 4 : 3))
    lines.go_by_words({});
  return header;
}

}  // namespace

PlainMesh check_off(const std::string& path, std::string_view text) {
  OffLines lines(path, text);
  const OffHeader header = read_off_header(lines);
  MeshCounts counts = header.counts;
  const std::size_t width = header.homogeneous ? 4 : 3;
  std::string plain = off_head(header.homogeneous ? "4OFF" : "OFF", counts);
  for (Index v = 0; v < counts.vertices; ++v) {
    const auto words = lines.next("vertex " + std::to_string(v) + " of " + std::to_string(counts.vertices), width);
    check_coordinates(lines.where(), words, 0);
    if (header.homogeneous && (words.size() < 4 || parse_number(words[3]).value_or(0) == 0))
      throw InvalidArgument({lines.where(), "vertex", "must have a fourth coordinate other than 0",
                             words.size() < 4 ? "none" : "'" + std::string(words[3]) + "'",
                             "correct the line or export the mesh again"});
    add_words(plain, words, 0, width);
  }
  for (Index f = 0; f < counts.faces; ++f) {
    const auto words = lines.next("face " + std::to_string(f) + " of " + std::to_string(counts.faces));
    const Index corners = parse_integer(words[0]).value_or(-1);
    if (corners < 0 || static_cast<Index>(words.size()) < corners + 1)
      throw InvalidArgument({lines.where(), "face", "must give its count of corners and then as many vertex numbers",
                             std::to_string(words.size() - 1) + " numbers after '" + std::string(words[0]) + "'",
                             "correct the line or export the mesh again"});
    std::vector<Index> face;
    for (Index k = 1; k <= corners; ++k) {
      const auto word = words[k];
      const Index index = parse_integer(word).value_or(-1);
      if (index < 0 || index >= counts.vertices)
        reject_corner(lines.where(), "face", "'" + std::string(word) + "'", {0, counts.vertices - 1});
      face.push_back(index);
    }
    check_corners(lines.where(), "face", face);
    counts.corners += corners;
    add_words(plain, words, 0, face.size() + 1);
  }
  lines.require_end();
  return {counts, std::move(plain)};
}

}  // namespace pithball::datasets
