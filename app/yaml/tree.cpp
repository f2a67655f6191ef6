#include "app/yaml/tree.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

/// Builds a Tree from the parser's events. The children of a map are collected as key, value, key, value, … and paired
/// when the map ends.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(std::shared_ptr<const Source> source) : source_(std::move(source)) {
    root_.place = {source_, 1, 1};
  }

  Tree take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(make(Tree::Kind::Null, mark), anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Tree node = make(Tree::Kind::Scalar, mark);
    node.text = value;
    node.quoted = tag == "!";  // yaml-cpp marks quoted scalars with "!", plain ones with "?"
    if (!node.quoted && (value == "null" || value == "~")) node = make(Tree::Kind::Null, mark);
    add(std::move(node), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end())
      fail(mark, "an alias must refer to a finished part of the file", "write the value out");
    Tree copy = found->second;
    copy.key.clear();
    copies_ += count(copy);
    if (copies_ > 1'000'000)
      fail(mark, "aliases expand to more than a million entries", "write the values to a data file");
    add(std::move(copy), YAML::NullAnchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open_.push_back({make(Tree::Kind::List, mark), anchor});
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open_.push_back({make(Tree::Kind::Map, mark), anchor});
  }
  void OnMapEnd() override {
    Tree& map = open_.back().node;
    std::vector<Tree> paired;
    std::unordered_map<std::string, int> lines;  // line of each key read so far
    for (std::size_t k = 0; k + 1 < map.entries.size(); k += 2) {
      const Tree& key = map.entries[k];
      if (key.kind != Tree::Kind::Scalar)
        throw InvalidArgument({key.place.text(), "", "a key must be plain text", "", "write `key: value`"});
      const auto [earlier, is_new] = lines.emplace(key.text, key.place.line);
      if (!is_new)
        throw InvalidArgument({key.place.text(), key.text,
                               fmt::format("this key was already given in line {}", earlier->second), "",
                               "keep one of the two"});
      paired.push_back(std::move(map.entries[k + 1]));
      paired.back().key = key.text;
      paired.back().key_place = key.place;
    }
    map.entries = std::move(paired);
    close();
  }

 private:
  struct Open {
    Tree node;
    YAML::anchor_t anchor;
  };

  Tree make(Tree::Kind kind, const YAML::Mark& mark) const {
    Tree node;
    node.kind = kind;
    node.place = {source_, mark.line + 1, mark.column + 1};
    return node;
  }
  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    add(std::move(done.node), done.anchor);
  }
  void add(Tree node, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
    if (open_.empty())
      root_ = std::move(node);
    else
      open_.back().node.entries.push_back(std::move(node));
  }
  static std::size_t count(const Tree& node) {
    std::size_t total = 1;
    for (const Tree& entry : node.entries) total += count(entry);
    return total;
  }
  [[noreturn]] void fail(const YAML::Mark& mark, std::string required, std::string remedy) const {
    throw InvalidArgument(
        {Place{source_, mark.line + 1, mark.column + 1}.text(), "", std::move(required), "", std::move(remedy)});
  }

  std::shared_ptr<const Source> source_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Tree> anchors_;
  std::size_t copies_ = 0;
  Tree root_;
};

/// Replaces `name` with `name:` without a value.
void expand(Tree& bare_name) {
  Tree named;
  named.key = std::move(bare_name.text);
  named.key_place = named.place = bare_name.place;
  bare_name.kind = Tree::Kind::Map;
  bare_name.text.clear();
  bare_name.entries = {std::move(named)};
}

bool is_flat(const Tree& list) {
  return std::all_of(list.entries.begin(), list.entries.end(), [](const Tree& t) { return t.entries.empty(); });
}

/// Writes text, without quotes if it would be read back as the same text. Carriage returns are quoted here: yaml-cpp
/// does not quote them, and would read them back as blanks.
void emit_text(const std::string& text, bool quoted, YAML::Emitter& out) {
  if (quoted || text.find('\r') != std::string::npos) out << YAML::DoubleQuoted;
  out << text;
}

void emit(const Tree& node, YAML::Emitter& out) {
  switch (node.kind) {
    case Tree::Kind::Null:
      out << YAML::Null;
      break;
    case Tree::Kind::Scalar:
      emit_text(node.text, node.quoted, out);
      break;
    case Tree::Kind::List:
      if (is_flat(node)) out << YAML::Flow;
      out << YAML::BeginSeq;
      for (const Tree& entry : node.entries) emit(entry, out);
      out << YAML::EndSeq;
      break;
    case Tree::Kind::Map:
      out << YAML::BeginMap;
      for (const Tree& entry : node.entries) {
        out << YAML::Key;
        emit_text(entry.key, false, out);
        out << YAML::Value;
        emit(entry, out);
      }
      out << YAML::EndMap;
      break;
  }
}

std::size_t indentation(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

/// Finds the indentation error at the line (counted from 0) where the parser failed; returns nothing if the indentation
/// seems right.
std::optional<std::pair<std::string, std::string>> indentation_error(const std::string& text, std::size_t failed) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; lines.size() <= failed && std::getline(stream, line);) lines.push_back(line);
  if (lines.size() <= failed) return {};
  const std::string& line = lines[failed];
  if (const std::size_t first = line.find_first_not_of(" \t"); line.substr(0, first).find('\t') != std::string::npos)
    return std::pair("a tab in the indentation", "indent with spaces only");
  const std::size_t here = indentation(line);
  std::vector<std::size_t> before;  // indentations of the earlier lines that are not empty, the nearest first
  std::string previous;
  for (std::size_t k = failed; k-- > 0;) {
    const std::size_t first = lines[k].find_first_not_of(" \r");
    if (first == std::string::npos || lines[k][first] == '#') continue;
    if (before.empty()) previous = lines[k].substr(0, lines[k].find_last_not_of(" \r") + 1);
    before.push_back(first);
  }
  if (before.empty() || here == before.front()) return {};
  const bool opens = previous.ends_with(':') || previous[before.front()] == '-';
  const bool known = std::find(before.begin(), before.end(), here) != before.end();
  if (here > before.front() ? opens : known) return {};
  return std::pair(fmt::format("a line indented by {} after one indented by {}", here, before.front()),
                   "check the indentation: keys of one mapping start in the same column");
}

}  // namespace

std::string Place::text() const {
  const std::string name = source ? source->name : std::string();
  if (name.starts_with("--")) return name;  // an option is a single line, in which a line number is useless
  return line > 0 ? fmt::format("{}:{}:{}", name, line, column) : name;
}

const Tree* Tree::find(std::string_view name) const {
  for (const Tree& entry : entries)
    if (kind == Kind::Map && entry.key == name) return &entry;
  return nullptr;
}

Tree* Tree::find(std::string_view name) { return const_cast<Tree*>(std::as_const(*this).find(name)); }

Tree parse_yaml(const std::string& text, Source source) {
  std::istringstream stream(text);
  const auto shared = std::make_shared<const Source>(std::move(source));
  TreeBuilder builder(shared);
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(builder);
    Tree root = builder.take();
    TreeBuilder second(shared);
    if (parser.HandleNextDocument(second)) {
      const Tree extra = second.take();
      throw InvalidArgument({extra.place.text(), "", "a file must hold one YAML document", "",
                             "remove the line `---` and everything after it"});
    }
    return root;
  } catch (const YAML::ParserException& error) {
    const std::string where = Place{shared, error.mark.line + 1, error.mark.column + 1}.text();
    if (const auto found = indentation_error(text, static_cast<std::size_t>(std::max(error.mark.line, 0))))
      throw InvalidArgument({where, "", "must be YAML", found->first, found->second});
    if (error.msg == "end of map flow not found")
      throw InvalidArgument(
          {where, "", "must be YAML", "a '{' without its '}'", "close the brackets before this line"});
    if (error.msg == "end of sequence flow not found")
      throw InvalidArgument(
          {where, "", "must be YAML", "a '[' without its ']'", "close the brackets before this line"});
    if (error.msg.find("anchor is not defined") != std::string::npos)
      throw InvalidArgument({where, "", "must be YAML", "a reference `*name` without its anchor `&name`",
                             "define the anchor above, or put a text that begins with * in quotes"});
    throw InvalidArgument({where, "", "must be YAML", error.msg, "check indentation, colons and brackets up to here"});
  }
}

Tree parse_yaml_file(const std::string& path) {
  constexpr std::uint64_t most_bytes = std::uint64_t{16} << 20;  // parsed, it takes a hundred times the memory
  return parse_yaml(datasets::read_text_file(path, "YAML", most_bytes),
                    Source{path, std::filesystem::absolute(path).parent_path()});
}

std::string to_yaml(const Tree& tree) {
  YAML::Emitter out;
  emit(tree, out);
  return std::string(out.c_str()) + "\n";
}

std::string shown(const Tree& value) {
  switch (value.kind) {
    case Tree::Kind::Null:
      return "nothing";
    case Tree::Kind::Scalar:
      return "'" + value.text + "'";
    case Tree::Kind::List:
      return fmt::format("a list of {}", value.entries.size());
    case Tree::Kind::Map:
      return "a mapping";
  }
  return "";
}

Tree empty_tree(Tree::Kind kind) {
  Tree node;
  node.kind = kind;
  return node;
}

Tree make_scalar(std::string text) {
  Tree node;
  node.kind = Tree::Kind::Scalar;
  node.text = std::move(text);
  return node;
}

Tree quoted_scalar(std::string text) {
  Tree node = make_scalar(std::move(text));
  node.quoted = true;
  return node;
}

void put(Tree& map, std::string key, Tree value) {
  Tree* old = map.find(key);
  value.key = std::move(key);
  if (old)
    *old = std::move(value);
  else
    map.entries.push_back(std::move(value));
}

void merge(const Tree& map, Tree& target) {
  for (const Tree& entry : map.entries) {
    Tree* known = target.find(entry.key);
    if (known && known->kind == Tree::Kind::Map && entry.kind == Tree::Kind::Map)
      merge(entry, *known);
    else
      put(target, entry.key, entry);
  }
}

void set_at(Tree& root, const std::string& path, Tree value, const std::string& where) {
  Tree* node = &root;
  std::istringstream parts(path);
  std::string done;
  for (std::string part; std::getline(parts, part, '.'); done += (done.empty() ? "" : ".") + part) {
    const auto fail = [&](std::string required, std::string got, std::string remedy) {
      throw InvalidArgument(
          {where, done.empty() ? part : done + "." + part, std::move(required), std::move(got), std::move(remedy)});
    };
    if (part.empty()) fail("a path is names joined by single points", "'" + path + "'", "write system.mass=2");
    if (node->kind == Tree::Kind::Null) node->kind = Tree::Kind::Map;
    if (node->kind == Tree::Kind::Scalar && node->text == part)
      expand(*node);  // `- coulomb` is short for `- coulomb: {}`
    if (node->kind == Tree::Kind::Scalar)
      fail("must lead to a part of a mapping or list", fmt::format("'{}', which is the value '{}'", done, node->text),
           "set the whole value");
    if (node->kind == Tree::Kind::List) {
      Tree* item = nullptr;
      if (part.find_first_not_of("0123456789") == std::string::npos) {
        if (part.size() < 10 && std::stoul(part) < node->entries.size()) item = &node->entries[std::stoul(part)];
      } else {
        std::vector<std::string> numbered;
        for (std::size_t k = 0; k < node->entries.size(); ++k) {
          Tree& entry = node->entries[k];
          if (entry.kind == Tree::Kind::Scalar && entry.text == part) expand(entry);
          Tree* found = entry.find(part);
          if (!found) continue;
          item = found;
          numbered.push_back(fmt::format("{}.{}.{}", done, k, part));
        }
        if (numbered.size() > 1)
          fail("must name one item of the list", fmt::format("'{}', which {} items have", part, numbered.size()),
               fmt::format("give its number: {}", fmt::join(numbered, " or ")));
      }
      if (!item)
        fail("must be an item of the list", "no such item",
             fmt::format("the list has items 0 to {}", static_cast<long>(node->entries.size()) - 1));
      node = item;
      continue;
    }
    Tree* entry = node->find(part);
    if (!entry) {
      Tree fresh;
      fresh.key = part;
      fresh.place = fresh.key_place = value.place;
      node->entries.push_back(std::move(fresh));
      entry = &node->entries.back();
    }
    node = entry;
  }
  value.key = node->key;
  value.key_place = value.place;
  *node = std::move(value);
}

const Tree* find_at(const Tree& root, const std::string& path) {
  const Tree* node = &root;
  std::istringstream parts(path);
  for (std::string part; node && std::getline(parts, part, '.');) {
    const Tree* found = node->find(part);
    for (std::size_t k = 0; node->kind == Tree::Kind::List && k < node->entries.size(); ++k)
      if (std::to_string(k) == part) found = &node->entries[k];
    node = found;
  }
  return node;
}

}  // namespace pithball::app
