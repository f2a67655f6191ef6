#include "experiments/yaml/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "experiments/units/quantity.hpp"
#include "experiments/yaml/nearest.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {
namespace {

std::string bracketed(std::string_view unit) { return unit.empty() ? "" : fmt::format(" [{}]", unit); }

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

std::string shown(const Vec3& v) { return fmt::format("[{}, {}, {}]", v[0], v[1], v[2]); }

std::string sign_text(sim::ValueSign sign) {
  return sign == sim::ValueSign::Positive ? "> 0" : sign == sim::ValueSign::NonNegative ? ">= 0" : "a number";
}

std::string item(const std::string& path, std::size_t k) { return fmt::format("{}[{}]", path, k); }

}  // namespace

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
    refuse("", "must be a mapping of keys", shown(*tree_), fmt::format("write `{}: …` below it", key));
  if (tree_->kind == Tree::Kind::Map) {
    auto& asked = reading_->asked_[tree_];
    if (std::find(asked.begin(), asked.end(), key) == asked.end()) asked.emplace_back(key);
  }
  return peek(key);
}

std::string Node::where(std::string_view key) const {
  if (!tree_) return near_;
  const Tree* found = key.empty() ? tree_ : tree_->find(key);
  return (found ? found : tree_)->place.text();
}

void Node::refuse(std::string_view key, std::string required, std::string got, std::string remedy) const {
  throw InvalidArgument({where(key), full_path(key), std::move(required), std::move(got), std::move(remedy)});
}

void Node::refuse_missing(std::string_view key) const {
  // A misspelt key is the likelier story than a forgotten one.
  if (tree_ && tree_->kind == Tree::Kind::Map) {
    const auto& asked = reading_->asked_[tree_];
    for (const Tree& entry : tree_->entries) {
      const bool known = std::find(asked.begin(), asked.end(), entry.key) != asked.end();
      if (!known && nearest(entry.key, {std::string(key)}))
        Reading::refuse_unknown_key(entry, full_path(entry.key), {std::string(key)});
    }
  }
  refuse(key, "is required", "nothing", fmt::format("add `{}:` (see `pithball list keys`)", key.empty() ? path_ : key));
}

bool Node::has(std::string_view key) const { return describing() || peek(key) != nullptr; }
bool Node::is_map(std::string_view key) const { return peek(key) && peek(key)->kind == Tree::Kind::Map; }
bool Node::is_list(std::string_view key) const { return peek(key) && peek(key)->kind == Tree::Kind::List; }
bool Node::is_scalar(std::string_view key) const { return peek(key) && peek(key)->kind == Tree::Kind::Scalar; }

void Node::document(std::string_view key, std::string_view type, std::string_view fallback, std::string_view meaning) {
  if (describing())
    reading_->page().add({full_path(key), std::string(type), std::string(fallback), std::string(meaning)});
  ask(key);
}

void Node::fill(std::string_view key, std::string value) {
  if (describing()) return;
  std::string path;  // "forces[0].drag" is "forces.0.drag" to set_at
  for (const char c : full_path(key)) {
    if (c == '[')
      path += '.';
    else if (c != ']')
      path += c;
  }
  set_at(reading_->filled_, path, parse_yaml(value, "default"), "default");
}

double Node::scalar_number(const Tree& value, const std::string& path, std::string_view unit,
                           sim::ValueSign sign) const {
  const auto fail = [&](std::string required, std::string got, std::string remedy) {
    throw InvalidArgument({value.place.text(), path, std::move(required), std::move(got), std::move(remedy)});
  };
  const std::string kind = unit.empty() ? "must be a number" : fmt::format("must be a quantity in {}", unit);
  const std::string remedy =
      unit.empty() ? "write a number" : fmt::format("write a number in {}, or a number with its unit", unit);
  if (value.kind != Tree::Kind::Scalar) fail(kind, shown(value), remedy);
  const Quantity quantity = read_quantity(value.text, unit);
  if (!quantity.problem.empty()) fail(kind, fmt::format("'{}' ({})", value.text, quantity.problem), remedy);
  const bool ok =
      sign == sim::ValueSign::Any || quantity.value > 0 || (sign == sim::ValueSign::NonNegative && quantity.value == 0);
  if (!ok)
    fail(fmt::format("must be {}{}{}", sign_text(sign), unit.empty() ? "" : " ", unit), value.text,
         sign == sim::ValueSign::Positive ? "give a positive value" : "give zero or a positive value");
  return quantity.value;
}

Vec3 Node::scalar_vector(const Tree& value, const std::string& path, std::string_view unit) const {
  if (value.kind != Tree::Kind::List || value.entries.size() != 3)
    throw InvalidArgument({value.place.text(), path, "must be a vector [x, y, z]" + bracketed(unit), shown(value),
                           "write three numbers in brackets"});
  Vec3 v;
  for (std::size_t a = 0; a < 3; ++a)
    v[static_cast<Index>(a)] = scalar_number(value.entries[a], item(path, a), unit, sim::ValueSign::Any);
  return v;
}

double Node::number(std::string_view key, std::string_view unit, std::string_view meaning,
                    std::optional<double> fallback, sim::ValueSign sign) {
  const std::string written = fallback ? fmt::format("{}", *fallback) : "required";
  if (describing()) {
    const std::string bound = sign == sim::ValueSign::Any ? "" : " " + sign_text(sign);
    document(key, "number" + bound + bracketed(unit), written, meaning);
    return fallback.value_or(1);
  }
  if (const Tree* value = ask(key)) return scalar_number(*value, full_path(key), unit, sign);
  if (!fallback) refuse_missing(key);
  fill(key, written);
  return *fallback;
}

std::optional<double> Node::optional_number(std::string_view key, std::string_view unit, std::string_view meaning,
                                            sim::ValueSign sign) {
  if (describing()) {
    const std::string bound = sign == sim::ValueSign::Any ? "" : " " + sign_text(sign);
    document(key, "number" + bound + bracketed(unit), "optional", meaning);
    return {};
  }
  if (const Tree* value = ask(key)) return scalar_number(*value, full_path(key), unit, sign);
  return {};
}

namespace {

Index read_integer(const Tree& value, const std::string& path, Index least) {
  long long whole = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [stop, error] = std::from_chars(value.text.data(), end, whole);
  if (value.kind != Tree::Kind::Scalar || value.text.empty() || error != std::errc() || stop != end)
    throw InvalidArgument({value.place.text(), path, "must be a whole number", shown(value), "write digits only"});
  if (whole < least)
    throw InvalidArgument({value.place.text(), path, fmt::format("must be >= {}", least), value.text,
                           fmt::format("give {} or more", least)});
  return static_cast<Index>(whole);
}

}  // namespace

Index Node::integer(std::string_view key, std::string_view meaning, std::optional<Index> fallback, Index least) {
  const std::string written = fallback ? std::to_string(*fallback) : "required";
  if (describing()) {
    document(key, fmt::format("integer >= {}", least), written, meaning);
    return fallback.value_or(std::max<Index>(least, 1));
  }
  if (const Tree* value = ask(key)) return read_integer(*value, full_path(key), least);
  if (!fallback) refuse_missing(key);
  fill(key, written);
  return *fallback;
}

bool Node::flag(std::string_view key, std::string_view meaning, std::optional<bool> fallback) {
  const std::string written = fallback ? (*fallback ? "true" : "false") : "required";
  if (describing()) {
    document(key, "true or false", written, meaning);
    return fallback.value_or(false);
  }
  if (const Tree* value = ask(key)) {
    if (value->kind == Tree::Kind::Scalar && value->text == "true") return true;
    if (value->kind == Tree::Kind::Scalar && value->text == "false") return false;
    refuse(key, "must be true or false", shown(*value), "write true or false");
  }
  if (!fallback) refuse_missing(key);
  fill(key, written);
  return *fallback;
}

std::string Node::text(std::string_view key, std::string_view meaning, std::optional<std::string> fallback) {
  if (describing()) {
    document(key, "text", fallback ? (fallback->empty() ? "empty" : *fallback) : "required", meaning);
    return fallback.value_or("");
  }
  if (const Tree* value = ask(key)) {
    if (value->kind != Tree::Kind::Scalar)
      refuse(key, "must be text", shown(*value), "write one word or a quoted sentence");
    return value->text;
  }
  if (!fallback) refuse_missing(key);
  if (!fallback->empty()) fill(key, *fallback);
  return *fallback;
}

std::string Node::choice(std::string_view key, const std::vector<std::string>& choices, std::string_view meaning,
                         std::optional<std::string> fallback) {
  if (describing()) {
    document(key, "one of " + joined(choices), fallback.value_or("required"), meaning);
    return fallback.value_or(choices.front());
  }
  if (const Tree* value = ask(key)) {
    if (value->kind == Tree::Kind::Scalar && std::find(choices.begin(), choices.end(), value->text) != choices.end())
      return value->text;
    const auto meant = nearest(value->text, choices);
    refuse(key, "must be one of " + joined(choices), shown(*value),
           meant ? "did you mean '" + *meant + "'?" : "choose one of these");
  }
  if (!fallback) refuse_missing(key);
  fill(key, *fallback);
  return *fallback;
}

Vec3 Node::vector(std::string_view key, std::string_view unit, std::string_view meaning, std::optional<Vec3> fallback) {
  const std::string written = fallback ? shown(*fallback) : "required";
  if (describing()) {
    document(key, "vector [x, y, z]" + bracketed(unit), written, meaning);
    return fallback.value_or(Vec3::UnitZ());
  }
  if (const Tree* value = ask(key)) return scalar_vector(*value, full_path(key), unit);
  if (!fallback) refuse_missing(key);
  fill(key, written);
  return *fallback;
}

const Tree& Node::list_of(std::string_view key, const char* what) {
  const Tree* value = ask(key);
  if (!value) refuse_missing(key);
  if (value->kind != Tree::Kind::List)
    refuse(key, fmt::format("must be a list of {}", what), shown(*value), "write [a, b, …]");
  return *value;
}

std::vector<double> Node::numbers(std::string_view key, std::string_view unit, std::string_view meaning,
                                  sim::ValueSign sign) {
  if (describing())
    return document(key, "list of numbers" + bracketed(unit), "required", meaning), std::vector<double>{1};
  const Tree& list = list_of(key, "numbers");
  std::vector<double> result;
  for (std::size_t k = 0; k < list.entries.size(); ++k)
    result.push_back(scalar_number(list.entries[k], item(full_path(key), k), unit, sign));
  return result;
}

std::vector<Index> Node::integers(std::string_view key, std::string_view meaning, Index least) {
  if (describing())
    return document(key, "list of integers", "required", meaning), std::vector<Index>{std::max<Index>(least, 0)};
  const Tree& list = list_of(key, "whole numbers");
  std::vector<Index> result;
  for (std::size_t k = 0; k < list.entries.size(); ++k)
    result.push_back(read_integer(list.entries[k], item(full_path(key), k), least));
  return result;
}

std::vector<std::string> Node::texts(std::string_view key, std::string_view meaning) {
  if (describing()) return document(key, "list of texts", "required", meaning), std::vector<std::string>{"text"};
  const Tree& list = list_of(key, "texts");
  std::vector<std::string> result;
  for (std::size_t k = 0; k < list.entries.size(); ++k) {
    const Tree& entry = list.entries[k];
    if (entry.kind != Tree::Kind::Scalar)
      throw InvalidArgument({entry.place.text(), item(full_path(key), k), "must be text", shown(entry),
                             "write one word or a quoted sentence"});
    result.push_back(entry.text);
  }
  return result;
}

Points Node::points(std::string_view key, std::string_view unit, std::string_view meaning) {
  if (describing()) return document(key, "list of vectors" + bracketed(unit), "required", meaning), Points::Zero(3, 2);
  const Tree& list = list_of(key, "vectors [x, y, z]");
  Points result(3, static_cast<Index>(list.entries.size()));
  for (std::size_t k = 0; k < list.entries.size(); ++k)
    result.col(static_cast<Index>(k)) = scalar_vector(list.entries[k], item(full_path(key), k), unit);
  return result;
}

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
    if (!value && required) refuse_missing(key);
    if (value && value->kind != Tree::Kind::Map)
      refuse(key, "must be a mapping of keys", shown(*value), "write `key: value` below it");
  }
  return form(key);
}

std::vector<Node> Node::items(std::string_view key, std::string_view meaning, bool required) {
  if (describing()) {
    document(key, "list", required ? "required" : "optional", meaning);
    return {Node(*reading_, nullptr, full_path(key) + "[]", "")};
  }
  if (!required && !ask(key)) return {};
  const Tree& list = list_of(key, "items");
  std::vector<Node> result;
  for (std::size_t k = 0; k < list.entries.size(); ++k)
    result.push_back(Node(*reading_, &list.entries[k], item(full_path(key), k), list.entries[k].place.text()));
  return result;
}

std::vector<std::pair<std::string, Node>> Node::entries(std::string_view placeholder) {
  if (describing()) return {{std::string(placeholder), form(placeholder)}};
  std::vector<std::pair<std::string, Node>> result;
  if (tree_)
    for (const Tree& entry : tree_->entries) result.emplace_back(entry.key, form(entry.key));
  return result;
}

namespace {

/// The part of `tree` that "forces.coulomb" or "mass[3]" means: names are followed as far as they lead, in lists to the
/// item with that only key; names that lead nowhere are passed over.
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

}  // namespace pithball::experiments
