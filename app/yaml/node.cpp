#include "app/yaml/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "app/yaml/nearest.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

Node::Node(Reading& reading, const Tree* tree, std::string path, std::string near)
    : reading_(&reading), tree_(tree), path_(std::move(path)), near_(std::move(near)) {
  if (tree_ && tree_->kind == Tree::Kind::Map) reading_->asked_[tree_];
}

std::string Node::full_path(std::string_view key) const {
  if (key.empty()) return path_;
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

const Tree* Node::peek(std::string_view key) const {
  if (!tree_) return nullptr;
  const Tree* found = key.empty() ? tree_ : tree_->find(key);
  return found && found->kind == Tree::Kind::Null ? nullptr : found;
}

const Tree* Node::ask(std::string_view key) {
  if (key.empty() || !tree_) return peek(key);
  if (tree_->kind == Tree::Kind::Scalar || tree_->kind == Tree::Kind::List)
    reject("", "must be a mapping of keys", shown(*tree_), fmt::format("write `{}: …` below it", key));
  if (tree_->kind == Tree::Kind::Map) reading_->asked_[tree_].add(key);
  return peek(key);
}

std::string Node::where(std::string_view key) const {
  if (!tree_) return near_;
  const Tree* found = key.empty() ? tree_ : tree_->find(key);
  return (found ? found : tree_)->place.text();
}

const std::filesystem::path& Node::folder(std::string_view key) const {
  const Tree* value = peek(key);
  const bool in_file = value && value->place.source && !value->place.source->folder.empty();
  return in_file ? value->place.source->folder : reading_->folder();
}

void Node::reject(std::string_view key, std::string required, std::string got, std::string remedy) const {
  throw InvalidArgument({where(key), full_path(key), std::move(required), std::move(got), std::move(remedy)});
}

void Node::reject_missing(std::string_view key) const {
  // A misspelled key is more likely than a missing one.
  if (tree_ && tree_->kind == Tree::Kind::Map) {
    const AskedKeys& asked = reading_->asked_[tree_];
    for (const Tree& entry : tree_->entries) {
      if (!asked.contain(entry.key) && nearest(entry.key, {std::string(key)}))
        reading_->reject_unknown_key(entry, full_path(entry.key), {std::string(key)});
    }
  }
  reject(key, "is required", "nothing", fmt::format("add `{}:` (see `pithball list keys`)", key.empty() ? path_ : key));
}

bool Node::has(std::string_view key) const { return describing() || peek(key) != nullptr; }
bool Node::is_map(std::string_view key) const { return peek(key) && peek(key)->kind == Tree::Kind::Map; }
bool Node::is_list(std::string_view key) const { return peek(key) && peek(key)->kind == Tree::Kind::List; }
bool Node::is_scalar(std::string_view key) const { return peek(key) && peek(key)->kind == Tree::Kind::Scalar; }

bool Node::document(std::string_view key, std::string_view type, std::string_view fallback, std::string_view meaning) {
  if (describing())
    reading_->page().add({full_path(key), std::string(type), std::string(fallback), std::string(meaning)});
  return ask(key) != nullptr;
}

namespace {

/// Turns "forces[0].drag" into "forces.0.drag", the form that `set_at` reads.
std::string pointed(const std::string& full_path) {
  std::string path;
  for (const char c : full_path) {
    if (c == '[')
      path += '.';
    else if (c != ']')
      path += c;
  }
  return path;
}

}  // namespace

void Node::fill(std::string_view key, std::string value) {
  if (!describing()) fill(key, parse_yaml(value, "default"));
}

void Node::fill(std::string_view key, Tree value) {
  if (!describing()) set_at(reading_->filled_, pointed(full_path(key)), std::move(value), "default");
}

const Tree* Node::filled(std::string_view key) const { return find_at(reading_->filled_, pointed(full_path(key))); }

Node Node::form(std::string_view key) {
  if (key.empty()) return *this;
  if (describing()) return Node(*reading_, nullptr, full_path(key), "");
  const Tree* value = ask(key);
  return Node(*reading_, value, full_path(key), where(key));
}

Node Node::without_value(std::string_view name) const { return Node(*reading_, nullptr, full_path(name), where()); }

Node Node::child(std::string_view key, std::string_view meaning, bool required) {
  document(key, "mapping", required ? "required" : "optional", meaning);
  if (!describing()) {
    const Tree* value = ask(key);
    if (!value && required) reject_missing(key);
    if (value && value->kind != Tree::Kind::Map)
      reject(key, "must be a mapping of keys", shown(*value), "write `key: value` below it");
  }
  return form(key);
}

std::vector<Node> Node::items(std::string_view key, std::string_view meaning, bool required) {
  if (describing()) {
    document(key, "list", required ? "required" : "optional", meaning);
    return {Node(*reading_, nullptr, full_path(key) + "[]", "")};
  }
  if (!required && !ask(key)) return {};
  if (const Tree* value = ask(key); value && value->kind == Tree::Kind::Map && !value->entries.empty())
    reject(key, "must be a list of items", "a mapping",
           fmt::format("begin each item with a dash: `- {}: …`", value->entries.front().key));
  const Tree& list = list_of(key, "items");
  std::vector<Node> result;
  for (std::size_t k = 0; k < list.entries.size(); ++k)
    result.push_back(
        Node(*reading_, &list.entries[k], fmt::format("{}[{}]", full_path(key), k), list.entries[k].place.text()));
  return result;
}

std::vector<std::pair<std::string, Node>> Node::entries(std::string_view placeholder) {
  if (describing()) return {{std::string(placeholder), form(placeholder)}};
  std::vector<std::pair<std::string, Node>> result;
  if (!tree_) return result;
  for (const Tree& entry : tree_->entries) {  // does not look up each key, which is slow if there are many
    reading_->asked_[tree_].add(entry.key);
    result.emplace_back(entry.key, Node(*reading_, &entry, full_path(entry.key), entry.place.text()));
  }
  return result;
}

std::vector<std::pair<std::string, Node>> Node::entries_of(std::string_view key, std::string_view type,
                                                           std::string_view fallback, std::string_view meaning) {
  const bool is_written = document(key, type, fallback, meaning);
  if (!is_written && !describing() && fallback == "required") reject_missing(key);
  return is_written ? child(key, meaning).entries("") : std::vector<std::pair<std::string, Node>>{};
}

namespace {

/// Finds the part of `tree` that "forces.coulomb" or "mass[3]" refers to, as far as the path exists: unknown names are
/// skipped. In a list, a name selects the item that has it as text or key.
const Tree& find_subject(const Tree& tree, std::string subject) {
  for (char& c : subject)
    if (c == '[' || c == ']') c = '.';
  const Tree* found = &tree;
  std::istringstream names(subject);
  for (std::string name; std::getline(names, name, '.');) {
    if (name.empty()) continue;
    if (found->kind == Tree::Kind::List) {
      if (name.find_first_not_of("0123456789") == std::string::npos && name.size() < 10 &&
          std::stoul(name) < found->entries.size()) {
        found = &found->entries[std::stoul(name)];
        continue;
      }
      for (const Tree& entry : found->entries)
        if (entry.text == name || entry.find(name)) {
          found = entry.find(name) ? entry.find(name) : &entry;
          break;
        }
    } else if (const Tree* next = found->find(name)) {
      found = next;
    }
  }
  return *found;
}

}  // namespace

void rethrow_located(const Node& node, std::string_view key) {
  try {
    throw;
  } catch (const InvalidArgument& error) {
    InvalidArgument::Parts parts = error.parts();
    if (!parts.where.empty()) throw;
    const Tree* around = node.form_tree(key);
    parts.where = around ? find_subject(*around, parts.what).place.text() : node.where(key);
    if (parts.what.empty()) parts.what = node.full_path(key);
    throw InvalidArgument(parts);
  } catch (const std::invalid_argument& error) {
    throw InvalidArgument({node.where(key), node.full_path(key), error.what(), "", ""});
  }
}

Named read_named(Node& item, const std::string& kind, const std::vector<std::string>& known, const std::string& remedy,
                 std::string_view beside) {
  const bool bare = item.is_scalar();
  std::vector<std::string> keys;
  if (item.is_map())
    for (const Tree& entry : item.tree()->entries)
      if (entry.key != beside) keys.push_back(entry.key);
  if (!bare && keys.size() != 1)
    item.reject("", fmt::format("must be one {}: `name: settings`", kind),
                item.is_map() ? fmt::format("{} keys", keys.size()) : "something else", remedy);
  const std::string name = bare ? item.tree()->text : keys.front();
  if (std::find(known.begin(), known.end(), name) == known.end())
    item.reject_unknown_name(bare ? "" : name, name, kind, known);
  return {name, bare ? item.without_value(name) : item.form(name)};
}

}  // namespace pithball::app
