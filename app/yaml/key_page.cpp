#include "app/yaml/key_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace pithball::app {
namespace {

bool starts_with_path(const std::string& path, const std::string& section) {
  if (section.empty() || path == section) return true;
  return path.size() > section.size() && path.compare(0, section.size(), section) == 0 &&
         (path[section.size()] == '.' || path[section.size()] == '[');
}

/// Escapes vertical bars, which would end a table cell.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '|' ? "\\|" : std::string(1, c);
  return safe;
}

}  // namespace

void KeyPage::add(Row row) {
  const auto same = [&](const Row& other) { return other.path == row.path && other.meaning == row.meaning; };
  if (std::none_of(rows_.begin(), rows_.end(), same)) rows_.push_back(std::move(row));
}

void KeyPage::section(std::string path, std::string text) { sections_.push_back({std::move(path), std::move(text)}); }

std::string KeyPage::markdown() const {
  std::vector<std::vector<const Row*>> of_section(sections_.size());
  for (const Row& row : rows_) {
    std::size_t best = 0;
    for (std::size_t s = 0; s < sections_.size(); ++s)
      if (starts_with_path(row.path, sections_[s].path) && sections_[s].path.size() >= sections_[best].path.size())
        best = s;
    of_section[best].push_back(&row);
  }
  std::string page;
  for (std::size_t s = 0; s < sections_.size(); ++s) {
    page += fmt::format("\n## {}\n\n{}\n", sections_[s].path.empty() ? "The file" : "`" + sections_[s].path + "`",
                        sections_[s].text);
    if (of_section[s].empty()) continue;
    page += "\n| key | value | default | meaning |\n| --- | --- | --- | --- |\n";
    for (const Row* row : of_section[s])
      page +=
          fmt::format("| `{}` | {} | {} | {} |\n", row->path, cell(row->type), cell(row->fallback), cell(row->meaning));
  }
  return page;
}

namespace {

using Json = nlohmann::ordered_json;
using Forms = std::vector<const Json*>;

bool has_type(const Json& form, const char* type) {
  const auto found = form.find("type");
  if (found == form.end()) return false;
  return found->is_array() ? std::ranges::find(*found, Json(type)) != found->end() : *found == type;
}

bool has_mapping(const Tree& tree) {
  return tree.kind == Tree::Kind::Map || std::ranges::any_of(tree.entries, has_mapping);
}

class Walk {
 public:
  using Visit = std::function<void(const Tree&, const std::string&, const ListedKeys&)>;
  Walk(const Json& schema, const Visit& visit) : schema_(schema), visit_(visit) {}

  void descend(const Tree& tree, const std::string& path, const Forms& forms) const {
    if (tree.kind == Tree::Kind::List && has_mapping(tree)) {
      const Forms items = items_of(forms);
      for (std::size_t k = 0; k < tree.entries.size(); ++k)
        descend(tree.entries[k], path + "[" + std::to_string(k) + "]", items);
    }
    if (tree.kind == Tree::Kind::Map) descend_mapping(tree, path, forms);
  }

  /// Adds the schemas allowed for a value, with references and alternatives resolved.
  void add_forms(const Json& schema, Forms& forms) const {
    if (const auto reference = schema.find("$ref"); reference != schema.end()) {
      const std::string pointer = reference->get<std::string>().substr(1);  // "#/$defs/quantity"
      add_forms(schema_.at(Json::json_pointer(pointer)), forms);
      return;
    }
    if (const auto any = schema.find("anyOf"); any != schema.end()) {
      for (const Json& one : *any) add_forms(one, forms);
      return;
    }
    forms.push_back(&schema);
  }

 private:
  Forms items_of(const Forms& forms) const {
    Forms items;
    for (const Json* form : forms)
      if (has_type(*form, "array") && form->contains("items")) add_forms(form->at("items"), items);
    return items;
  }

  void descend_mapping(const Tree& tree, const std::string& path, const Forms& forms) const {
    ListedKeys listed;
    bool is_fixed = false, is_free = false;
    for (const Json* form : forms) {
      if (!has_type(*form, "object")) continue;
      const auto more = form->find("additionalProperties");
      is_fixed = true;
      is_free = is_free || more == form->end() || more->is_object();
      if (const auto one = form->find("oneOf"); one != form->end()) {
        listed.item = form->value("title", std::string());
        for (const Json& item : *one) listed.items.push_back((*item.find("required"))[0]);
      }
      if (const auto own = form->find("properties"); own != form->end())
        for (const auto& [name, value] : own->items())
          if (std::ranges::find(listed.names, name) == listed.names.end()) listed.names.push_back(name);
    }
    if (is_fixed && !is_free) visit_(tree, path, listed);
    for (const Tree& entry : tree.entries)
      descend(entry, path.empty() ? entry.key : path + "." + entry.key, forms_of_entry(entry.key, forms));
  }

  Forms forms_of_entry(const std::string& key, const Forms& forms) const {
    Forms found;
    for (const Json* form : forms) {
      const auto own = form->find("properties");
      const auto more = form->find("additionalProperties");
      if (own != form->end() && own->contains(key))
        add_forms(own->at(key), found);
      else if (more != form->end() && more->is_object())
        add_forms(*more, found);
    }
    return found;
  }

  const Json& schema_;
  const Visit& visit_;
};

}  // namespace

void visit_listed_keys(const Tree& document, const Json& schema, const Walk::Visit& visit) {
  const Walk walk(schema, visit);
  Forms forms;
  walk.add_forms(schema, forms);
  walk.descend(document, "", forms);
}

}  // namespace pithball::app
