#include "datasets/mesh/mesh_syntax.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

using sim::Index;

namespace {

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

/// The next line of an OFF file that holds something, without its comment.
class OffLines {
 public:
  OffLines(const std::string& path, std::string_view text) : path_(path), lines_(split_lines(text)) {}

  std::vector<std::string_view> next(const std::string& expected) {
    for (; at_ < lines_.size(); ++at_) {
      auto words = split_words(lines_[at_].substr(0, lines_[at_].find('#')));
      if (words.empty()) continue;
      where_ = place(path_, at_++);
      return words;
    }
    throw InvalidArgument({place(path_, lines_.size() - 1), "OFF file", "must contain " + expected,
                           "the end of the file", "the file is truncated; export it again"});
  }
  const std::string& where() const { return where_; }

 private:
  std::string path_;
  std::vector<std::string_view> lines_;
  std::size_t at_ = 0;
  std::string where_;
};

/// Words that lines of an OBJ file begin with, besides v, f and l.
bool is_obj_word(std::string_view word) {
  static const std::set<std::string_view> known{
      "vt",    "vn",   "vp",       "o",        "g",     "s",     "p",          "usemtl",    "mtllib", "usemap",
      "bevel", "lod",  "c_interp", "d_interp", "ctech", "stech", "shadow_obj", "trace_obj", "cstype", "deg",
      "bmat",  "step", "curv",     "curv2",    "surf",  "parm",  "trim",       "hole",      "scrv",   "sp",
      "end",   "con",  "bsp",      "bzp",      "cdc",   "cdp",   "res"};
  return word.starts_with('#') || known.count(word) > 0;
}

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

MeshCounts check_obj(const std::string& path, std::string_view text) {
  MeshCounts counts{0, 0, 0};
  const auto lines = split_lines(text);
  Index largest = 0;
  std::size_t line_of_largest = 0;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    const auto words = split_words(lines[n]);
    if (words.empty()) continue;
    const std::string where = place(path, n);
    if (words[0] == "v") {
      check_coordinates(where, words, 1);
      ++counts.vertices;
    } else if (words[0] == "f") {
      std::vector<Index> face;
      for (std::size_t k = 1; k < words.size(); ++k) {
        const auto index = parse_integer(words[k].substr(0, words[k].find('/')));
        if (!index)
          throw InvalidArgument({where, "face",
                                 "corners must be whole numbers, as in 'f 1 2 3' or 'f 1/1/1 2/2/2 3/3/3'",
                                 "'" + std::string(words[k]) + "'", "correct the line or export the mesh again"});
        // Negative numbers count back from the last vertex so far.
        if (*index == 0 || *index < -counts.vertices)
          reject_corner(where, "face", std::to_string(*index), {1, counts.vertices});
        face.push_back(*index > 0 ? *index : counts.vertices + *index + 1);
        if (face.back() > largest) {
          largest = face.back();
          line_of_largest = n;
        }
      }
      check_corners(where, "face", face);
      ++counts.faces;
      counts.corners += static_cast<Index>(face.size());
    } else if (words[0] == "l") {
      throw InvalidArgument(
          {where, "line element", "must not occur", "'l'", "remove the line (give loose springs under springs.edges)"});
    } else if (!is_obj_word(words[0])) {
      throw InvalidArgument({where, "line", "must begin with a word of OBJ files, such as v or f",
                             "'" + std::string(words[0]) + "'",
                             "remove the line, or check that this is a whole OBJ file"});
    }
  }
  if (counts.vertices > 0 && largest > counts.vertices)
    reject_corner(place(path, line_of_largest), "face", std::to_string(largest), {1, counts.vertices});
  return counts;
}

PlainMesh check_off(const std::string& path, std::string_view text) {
  OffLines lines(path, text);
  auto words = lines.next("a header");
  // Textures, colors, normals and a fourth coordinate may go with the vertices.
  std::string_view kind = words[0];
  bool homogeneous = false;
  for (const std::string_view prefix : {"ST", "C", "N", "4"}) {
    if (!kind.starts_with(prefix)) continue;
    kind.remove_prefix(prefix.size());
    homogeneous = prefix == "4";
  }
  if (kind != "OFF")
    throw InvalidArgument({lines.where(), "header", "must be 'OFF'", "'" + std::string(words[0]) + "'",
                           "check that this is an OFF file"});
  if (std::find(words.begin(), words.end(), "BINARY") != words.end())
    throw InvalidArgument({lines.where(), "header", "must be a text OFF file", "BINARY", "export as text, PLY or OBJ"});
  words.erase(words.begin());
  if (words.empty()) words = lines.next("the counts of vertices, faces and edges");
  std::vector<Index> sizes;
  for (const auto word : words) sizes.push_back(parse_integer(word).value_or(-1));
  if (sizes.size() < 2 || sizes[0] < 0 || sizes[1] < 0)
    throw InvalidArgument({lines.where(), "header", "must give the counts of vertices and faces",
                           "'" + std::string(words[0]) + "'", "write a line such as '8 6 0'"});
  MeshCounts counts{sizes[0], sizes[1], 0};
  std::string plain = homogeneous ? "4OFF\n" : "OFF\n";
  plain += std::to_string(counts.vertices) + " " + std::to_string(counts.faces) + " 0\n";
  const auto add = [&](std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) plain.append(words[k]).append(k + 1 < count ? " " : "\n");
  };
  for (Index v = 0; v < counts.vertices; ++v) {
    words = lines.next("vertex " + std::to_string(v) + " of " + std::to_string(counts.vertices));
    check_coordinates(lines.where(), words, 0);
    if (homogeneous && (words.size() < 4 || parse_number(words[3]).value_or(0) == 0))
      throw InvalidArgument({lines.where(), "vertex", "must have a fourth coordinate other than 0",
                             words.size() < 4 ? "none" : "'" + std::string(words[3]) + "'",
                             "correct the line or export the mesh again"});
    add(homogeneous ? 4 : 3);
  }
  for (Index f = 0; f < counts.faces; ++f) {
    words = lines.next("face " + std::to_string(f) + " of " + std::to_string(counts.faces));
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
    add(face.size() + 1);
  }
  return {counts, std::move(plain)};
}

}  // namespace pithball::datasets
