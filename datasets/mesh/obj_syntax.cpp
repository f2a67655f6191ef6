#include "datasets/mesh/obj_syntax.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {

using sim::Index;

namespace {

/// Whether this first word of a line of an OBJ file is followed by a name, which may end in a backslash like a folder
/// on Windows.
bool names_something(std::string_view word) {
  static const std::set<std::string_view> known{"o",      "g",      "usemtl",     "mtllib",
                                                "usemap", "maplib", "shadow_obj", "trace_obj"};
  return known.count(word) > 0;
}

/// Whether a line of an OBJ file may begin with this word; v, f and l are checked elsewhere.
bool is_obj_word(std::string_view word) {
  static const std::set<std::string_view> known{
      "vt",    "vn",     "vp",  "s",    "p",    "bevel", "lod",   "c_interp", "d_interp", "ctech",
      "stech", "cstype", "deg", "bmat", "step", "curv",  "curv2", "surf",     "parm",     "trim",
      "hole",  "scrv",   "sp",  "end",  "con",  "bsp",   "bzp",   "cdc",      "cdp",      "res"};
  return word.starts_with('#') || known.count(word) > 0 || names_something(word);
}

/// Reads the statements of an OBJ file. Each is one line, or several if a backslash at the end of a line continues it.
class ObjStatements {
 public:
  ObjStatements(const std::string& path, std::string_view text) : path_(path), lines_(split_lines(text)) {}

  /// Gets the words of the next statement, possibly none; false at the end.
  bool next(std::vector<std::string_view>& words) {
    words.clear();
    if (at_ == lines_.size()) return false;
    first_ = at_;
    for (bool goes_on = true; goes_on && at_ < lines_.size(); ++at_) {
      std::string_view line = trim(lines_[at_]);
      goes_on = line.ends_with('\\');
      const auto found = split_words(line);
      const std::string_view head = words.empty() && !found.empty() ? found[0] : words.empty() ? "" : words[0];
      if (head.starts_with('#') || (names_something(head) && found.back() != "\\")) goes_on = false;
      if (goes_on) line.remove_suffix(1);
      for (const std::string_view word : split_words(line)) words.push_back(word);
    }
    return true;
  }
  /// File and line at which the statement begins.
  std::string where() const { return place(path_, first_); }
  std::size_t line() const { return first_; }
  /// First line of the statement.
  std::string_view first_line() const { return trim(lines_[first_]); }

 private:
  const std::string& path_;
  std::vector<std::string_view> lines_;
  std::size_t at_ = 0, first_ = 0;
};

/// Vertices, faces and lines of an OBJ file, in the order of the file.
class ObjParts {
 public:
  explicit ObjParts(const std::string& path) : path_(path) {}

  void add_vertex(const std::string& where, const std::vector<std::string_view>& words) {
    check_coordinates(where, words, 1);
    add_words(vertices_, words, 1, 4);
    ++mesh_.counts.vertices;
  }

  void add_face(std::size_t line, const std::vector<std::string_view>& words) {
    const std::vector<Index> face = corners(line, words, "face", "corners");
    check_corners(place(path_, line), "face", face);
    faces_ += std::to_string(face.size());
    for (const Index corner : face) faces_.append(" ").append(std::to_string(corner - 1));
    faces_ += '\n';
    ++mesh_.counts.faces;
    mesh_.counts.corners += static_cast<Index>(face.size());
  }

  void add_lines(std::size_t line, const std::vector<std::string_view>& words) {
    const std::vector<Index> passed = corners(line, words, "line element", "vertices");
    if (passed.size() < 2)
      throw InvalidArgument({place(path_, line), "line element", "must have at least two vertices",
                             std::to_string(passed.size()), "remove the line, or name the vertices that it joins"});
    for (std::size_t k = 1; k < passed.size(); ++k) {
      const MeshLine joined{passed[k - 1] - 1, passed[k] - 1};
      check_line(place(path_, line), "line element", joined);
      mesh_.lines.push_back(joined);
    }
  }

  void lines_are_all() { mesh_.lines_are_all = true; }

  /// Throws InvalidArgument if a number exceeds the count of vertices; checked at the end, as vertices may follow their
  /// faces.
  PlainMesh whole() {
    if (mesh_.counts.vertices > 0 && largest_ > mesh_.counts.vertices)
      reject_corner(place(path_, line_of_largest_), of_largest_, std::to_string(largest_), {1, mesh_.counts.vertices});
    mesh_.text = off_head("OFF", mesh_.counts) + std::exchange(vertices_, {}) + std::exchange(faces_, {});
    return std::move(mesh_);
  }

 private:
  /// Returns the numbers of the vertices, from 1.
  std::vector<Index> corners(std::size_t line, const std::vector<std::string_view>& words, const char* what,
                             const char* which) {
    const std::string where = place(path_, line);
    const std::string first = std::string(words[0]);
    std::vector<Index> found;
    for (std::size_t k = 1; k < words.size(); ++k) {
      const auto index = parse_integer(words[k].substr(0, words[k].find('/')));
      if (!index)
        throw InvalidArgument(
            {where, what,
             std::string(which) + " must be whole numbers, as in '" + first + " 1 2 3' or '" + first + " 1/1 2/2 3/3'",
             "'" + std::string(words[k]) + "'", "correct the line or export the mesh again"});
      // Negative numbers count back from the last vertex so far.
      if (*index == 0 || *index < -mesh_.counts.vertices)
        reject_corner(where, what, std::to_string(*index), {1, mesh_.counts.vertices});
      found.push_back(*index > 0 ? *index : mesh_.counts.vertices + *index + 1);
      if (found.back() > largest_) {
        largest_ = found.back();
        line_of_largest_ = line;
        of_largest_ = what;
      }
    }
    return found;
  }

  const std::string& path_;
  PlainMesh mesh_;
  std::string vertices_, faces_;  // of an OFF file
  Index largest_ = 0;
  std::size_t line_of_largest_ = 0;
  const char* of_largest_ = "";
};

}  // namespace

PlainMesh check_obj(const std::string& path, std::string_view text) {
  static const std::string mark = "# " + std::string(lines_are_all_springs);
  ObjStatements statements(path, text);
  ObjParts parts(path);
  for (std::vector<std::string_view> words; statements.next(words);) {
    if (words.empty()) continue;
    if (words[0] == "v")
      parts.add_vertex(statements.where(), words);
    else if (words[0] == "f")
      parts.add_face(statements.line(), words);
    else if (words[0] == "l")
      parts.add_lines(statements.line(), words);
    else if (statements.first_line() == mark)
      parts.lines_are_all();
    else if (!is_obj_word(words[0]))
      throw InvalidArgument({statements.where(), "line", "must begin with a word of OBJ files, such as v or f",
                             "'" + std::string(words[0]) + "'",
                             "remove the line, or check that this is a whole OBJ file"});
  }
  return parts.whole();
}

}  // namespace pithball::datasets
