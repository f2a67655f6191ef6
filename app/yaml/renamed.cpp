#include "app/yaml/renamed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  std::istringstream stream(path);
  for (std::string part; std::getline(stream, part, '.');) {
    const bool each = part.ends_with("[]");
    parts.push_back(each ? part.substr(0, part.size() - 2) : part);
    if (each) parts.push_back("[]");
  }
  return parts;
}

using Visit = std::function<void(Tree& node)>;

/// Visits every node at `parts`. In a path an item of a list may be selected by the name of its only key, so `[]` stays
/// where it is in a mapping.
void visit(Tree& node, std::span<const std::string> parts, const Visit& action) {
  if (parts.empty()) return action(node);
  const std::string& part = parts.front();
  if (part == "[]" && node.kind != Tree::Kind::List) return visit(node, parts.subspan(1), action);
  for (Tree& entry : node.entries)
    if (part == "[]" || (node.kind == Tree::Kind::Map && (part == "*" || entry.key == part)))
      visit(entry, parts.subspan(1), action);
}

void count(std::vector<RenameNote>& notes, RenameNote note) {
  note.count = 1;
  add_notes(notes, std::span(&note, 1));
}

void rename_key(Tree& root, const RenamedKey& renamed, std::vector<RenameNote>& notes) {
  std::vector<std::string> parts = parts_of(renamed.path);
  const std::string before = parts.back();
  parts.pop_back();
  visit(root, parts, [&](Tree& map) {
    Tree* entry = map.find(before);
    if (!entry || (renamed.applies && !renamed.applies(*entry))) return;
    const std::string place = entry->key_place.text();
    if (map.find(renamed.now))
      throw InvalidArgument({place, renamed.path,
                             fmt::format("is the old name of '{}', which is written too", renamed.now), "",
                             "keep '" + renamed.now + "'"});
    entry->key = renamed.now;
    count(notes, {place, renamed.path, before, renamed.now});
  });
}

void rename_word(Tree& root, const RenamedWord& renamed, std::vector<RenameNote>& notes) {
  visit(root, parts_of(renamed.path), [&](Tree& value) {
    const bool is_met = value.text == renamed.before || value.text.starts_with(renamed.before + "[");
    if (value.kind != Tree::Kind::Scalar || !is_met) return;
    value.text.replace(0, renamed.before.size(), renamed.now);
    count(notes, {value.place.text(), renamed.path, renamed.before, renamed.now});
  });
}

bool is_number(const std::string& part) {
  return !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
}

/// A document with nothing but `value` in it, at `parts`; a list has that one item.
Tree document_with(Tree value, std::span<const std::string> parts) {
  const Place place = value.key_place;
  for (std::size_t k = parts.size(); k-- > 0;) {
    Tree around;
    around.kind = is_number(parts[k]) ? Tree::Kind::List : Tree::Kind::Map;
    value.key = around.kind == Tree::Kind::Map ? parts[k] : "";
    value.key_place = around.place = place;
    around.entries.push_back(std::move(value));
    value = std::move(around);
  }
  return value;
}

/// An entry whose key is a path and whose items are values there.
std::vector<RenameNote> replace_old_names_in_list(Tree& list, const RenamedNames& names) {
  std::vector<RenameNote> notes;
  const std::string path = list.key;
  for (Tree& item : list.entries) {
    item.key = path;
    item.key_place = list.key_place;
    add_notes(notes, replace_old_names_at(item, names));
    list.key = item.key;
    item.key.clear();
  }
  return notes;
}

}  // namespace

std::string RenameNote::text() const {
  return fmt::format("{} {}: '{}' is now '{}'; the old name is still read{}", place, path, before, now,
                     count > 1 ? fmt::format(" ({} times)", count) : "");
}

void add_notes(std::vector<RenameNote>& notes, std::span<const RenameNote> more) {
  for (const RenameNote& note : more) {
    const auto same = std::ranges::find_if(
        notes, [&](const RenameNote& earlier) { return earlier.before == note.before && earlier.now == note.now; });
    if (same == notes.end())
      notes.push_back(note);
    else
      same->count += note.count;
  }
}

std::vector<RenameNote> replace_old_names(Tree& root, const RenamedNames& names) {
  std::vector<RenameNote> notes;
  for (const RenamedKey& renamed : names.keys) rename_key(root, renamed, notes);
  for (const RenamedWord& renamed : names.words) rename_word(root, renamed, notes);
  for (const std::string& mapping : names.path_mappings)
    visit(root, parts_of(mapping), [&](Tree& map) {
      for (Tree& entry : map.entries)
        if (map.kind == Tree::Kind::Map) add_notes(notes, replace_old_names_at(entry, names));
    });
  for (const std::string& mapping : names.path_list_mappings)
    visit(root, parts_of(mapping), [&](Tree& map) {
      for (Tree& entry : map.entries) add_notes(notes, replace_old_names_in_list(entry, names));
    });
  return notes;
}

std::vector<RenameNote> replace_old_names_at(Tree& entry, const RenamedNames& names) {
  std::vector<std::string> parts = parts_of(entry.key);
  const Place key_place = entry.key_place;
  Tree whole = document_with(entry, parts);
  std::vector<RenameNote> notes = replace_old_names(whole, names);
  if (notes.empty()) return notes;
  Tree* node = &whole;
  for (std::string& part : parts) {
    node = &node->entries.front();
    if (!is_number(part)) part = node->key;
  }
  Tree renamed = std::move(*node);
  renamed.key = fmt::format("{}", fmt::join(parts, "."));
  renamed.key_place = key_place;
  entry = std::move(renamed);
  return notes;
}

}  // namespace pithball::app
