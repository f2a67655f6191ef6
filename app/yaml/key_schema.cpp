#include "app/yaml/key_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>

namespace pithball::app {
namespace {

using Json = nlohmann::ordered_json;

Json reference(const std::string& name) { return {{"$ref", "#/$defs/" + name}}; }

/// Schema of a list; with exactly `count` items unless `count` is 0.
Json list_of(Json items, int count = 0) {
  Json list{{"type", "array"}, {"items", std::move(items)}};
  if (count > 0) list["minItems"] = list["maxItems"] = count;
  return list;
}

Json any_of(Json::initializer_list_t forms) { return {{"anyOf", Json::array(forms)}}; }

/// Schema of a number, or of text that begins with one; negative only if `sign` allows it.
Json quantity(const std::string& sign, Json number) {
  return any_of(
      {std::move(number),
       {{"type", "string"}, {"pattern", "^" + sign + R"((\d+\.?\d*|\.\d+)([eE][+-]?\d+)?(\s+.*|[^\d\s.].*)?$)"}}});
}

Json number(const std::string& bound) {
  return reference(bound == "> 0" ? "positive_quantity" : bound == ">= 0" ? "nonnegative_quantity" : "quantity");
}

Json integer(const std::string& bound) {
  Json whole{{"type", "integer"}};
  if (!bound.empty()) whole["minimum"] = std::stoi(bound.substr(bound.find(' ')));
  return whole;
}

/// Schema of one value, a list, {total: value} or {GROUP: value, …, rest: value}.
Json per_item(const std::string& bound) {
  const Json share = {{"type", "object"}, {"properties", {{"total", number("")}}}, {"additionalProperties", false}};
  const Json by_group = {{"type", "object"}, {"additionalProperties", any_of({number(bound), share})}};
  return any_of({number(bound), list_of(number(bound)), share, by_group});
}

Json choice(const std::vector<std::string>& words) {
  Json choices = Json::array();
  for (const std::string& word : words) {
    choices.push_back(word);
    if (Json::accept(word)) choices.push_back(Json::parse(word));  // YAML reads `1` as a number
  }
  return {{"enum", choices}};
}

Json file_and_dataset() {
  return {{"type", "object"},
          {"properties", {{"dataset", reference("text")}, {"path", reference("text")}}},
          {"additionalProperties", false}};
}

Json object_of(Json values) { return {{"type", "object"}, {"additionalProperties", std::move(values)}}; }

Json object_with(const std::string& key, Json value) {
  return {{"type", "object"}, {"properties", {{key, std::move(value)}}}, {"additionalProperties", false}};
}

/// Schemas of those value descriptions that follow no general pattern, by description.
const std::map<std::string, Json>& spelled_out() {
  const Json text = reference("text"), texts = list_of(text), vector = reference("vector");
  const Json vectors = list_of(vector), pair = list_of(number(""), 2), ends = list_of(reference("particle"), 2);
  const Json path = any_of({vector, object_with("file", reference("file"))});
  const Json expressions = list_of(text, 3);
  static const std::map<std::string, Json> forms{
      {"text", text},
      {"file name", text},
      {"group name", text},
      {"column name", text},
      {"expression in r", text},
      {"true or false", {{"type", "boolean"}}},
      {"list of texts", texts},
      {"list of names", texts},
      {"list of parameter names", texts},
      {"list of group names", texts},
      {"three axes", list_of(text, 3)},
      {"vector [x, y, z]", vector},
      {"[x, y, z]", vector},
      {"list of vectors", vectors},
      {"two vectors", list_of(vector, 2)},
      {"vector [x, y, z], list of vectors, or vectors by group", any_of({vector, vectors, object_of(vector)})},
      {"[x, y]", pair},
      {"[lower, upper]", pair},
      {"4 or 5 numbers", list_of(number(""))},
      {"none, or list of numbers", any_of({{{"const", "none"}}, list_of(number(""))})},
      {"mean, or list of numbers", any_of({{{"const", "mean"}}, list_of(number(""))})},
      {"particle number or group name", reference("particle")},
      {"list of particle numbers, ranges and group names", reference("particles")},
      {"[A, B]", ends},
      {"list of [A, B]", list_of(ends)},
      {"mesh, name of a group of edges, or list of pairs [i, j]", any_of({text, list_of(list_of(integer(""), 2))})},
      {"nearest_vertex, nearest_face", choice({"nearest_vertex", "nearest_face"})},
      {"list of focal_length, principal_point, image_scale, k1, k2, p1, p2, k3, row_time",
       list_of(choice({"focal_length", "principal_point", "image_scale", "k1", "k2", "p1", "p2", "k3", "row_time"}))},
      {"none, rotation, translation, both, scale, or list of rotation, translation, scale",
       any_of({choice({"none", "rotation", "translation", "both", "scale"}),
               list_of(choice({"rotation", "translation", "scale"}))})},
      {"list of [x, y, z] column names", list_of(texts)},
      {"list of lists of recording names", list_of(texts)},
      {"list of names, or {name: settings}", list_of(any_of({text, object_of(Json::object())}))},
      {"file name, or {dataset: NAME, path: FILE}", reference("file")},
      {"point [x, y, z] [m] or {file: name.csv} with columns t, x, y, z", path},
      {"expression in t [s], or {times, values}", any_of({text, object_of(list_of(number("")))})},
      {R"({uniform: [x, y, z]}, {expression: ["…", "…", "…"]} in x, y, z, t or {table: …})",
       any_of({vector, object_with("uniform", vector), object_with("expression", expressions)})},
      {R"([x, y, z] or {expression: ["…", "…", "…"]} in t)", any_of({vector, object_with("expression", expressions)})},
      {"{PATH: value}", object_of(Json::object())},
      {"{PATH: [value, …]}", object_of(list_of(Json::object()))},
      {"{PATH: [low, high]}", object_of(list_of(reference("quantity"), 2))},
      {"{PATH: {min, max}}", object_of(object_of(reference("quantity")))},
      {"d, a or {parameter: NAME}", any_of({choice({"d", "a"}), object_with("parameter", text)})},
      {"as_written", choice({"as_written"})},
      {"all, or a list of particle numbers and group names", any_of({{{"const", "all"}}, reference("particles")})},
      {"{COLUMN: value}", object_of(text)}};
  return forms;
}

/// Schemas of value descriptions with this bound, by description.
std::map<std::string, Json> bounded(const std::string& bound) {
  return {{"number", number(bound)},
          {"number > 0, or one for each component", any_of({number("> 0"), list_of(number("> 0"))})},
          {"integer", integer(bound)},
          {"list of integers", list_of(integer(bound))},
          {"two integers", list_of(integer(bound), 2)},
          {"list of numbers", list_of(number(bound))},
          {"number or list of numbers", any_of({number(bound), list_of(number(bound))})},
          {"mesh, pattern, {scale: number}, or per spring",
           any_of({{{"enum", {"mesh", "pattern"}}}, object_with("scale", number("")), per_item(bound)})}};
}

}  // namespace

ValueText parse_value_text(const std::string& text) {
  static const std::regex same(R"(as `([^`]*)`)");
  static const std::regex parts(R"((.*?)(?: (>=? \d+))?(?: \[([^\],]+)\])?)");
  std::smatch found;
  if (std::regex_match(text, found, same)) return {text, "", "", found[1]};
  std::regex_match(text, found, parts);
  return {found[1], found[2], found[3]};
}

std::vector<std::string> listed_choices(const std::string& words) {
  const std::string start = "one of ";
  if (!words.starts_with(start)) return {};
  std::vector<std::string> choices;
  std::string rest = words.substr(start.size(), words.find(';') - start.size());
  for (std::size_t comma; (comma = rest.find(", ")) != std::string::npos; rest.erase(0, comma + 2))
    choices.push_back(rest.substr(0, comma));
  choices.push_back(rest);
  return choices;
}

Json shared_value_schemas() {
  return {{"quantity", quantity("[+-]?", {{"type", "number"}})},
          {"positive_quantity", quantity("[+]?", {{"type", "number"}, {"exclusiveMinimum", 0}})},
          {"nonnegative_quantity", quantity("[+]?", {{"type", "number"}, {"minimum", 0}})},
          {"vector", list_of(reference("quantity"), 3)},
          {"text", {{"type", {"string", "number", "boolean"}}}},
          {"particle", {{"type", {"integer", "string"}}}},
          {"particles", any_of({reference("particle"), list_of(reference("particle"))})},
          {"file", any_of({{{"type", "string"}}, file_and_dataset()})}};
}

Json value_schema(const ValueText& text) {
  if (const auto choices = listed_choices(text.words); !choices.empty()) return choice(choices);
  if (text.words.starts_with("per ")) return per_item(text.bound);
  if (const auto found = spelled_out().find(text.words); found != spelled_out().end()) return found->second;
  const auto with_bound = bounded(text.bound);
  if (const auto found = with_bound.find(text.words); found != with_bound.end()) return found->second;
  throw std::logic_error(fmt::format("no JSON Schema for a value of the key page: '{}'", text.words));
}

namespace {

using Row = KeyPage::Row;

/// A key with all of its rows on the page and the keys below it. The items of a list are the key "[]".
struct Key {
  std::string name, path;
  std::vector<const Row*> rows{};
  std::vector<Key> below{};

  Key& at(const std::string& wanted) {
    const auto found = std::ranges::find(below, wanted, &Key::name);
    if (found != below.end()) return *found;
    return below.emplace_back(Key{wanted, path + (path.empty() || wanted == "[]" ? "" : ".") + wanted});
  }
};

/// Splits "forces[].drag" into ["forces", "[]", "drag"].
std::vector<std::string> names_of_path(const std::string& path) {
  std::vector<std::string> names{""};
  for (const char c : path) {
    if (c == '.' || c == '[') names.emplace_back();
    if (c != '.') names.back() += c;
  }
  return names;
}

Key key_tree(const KeyPage& page) {
  Key root;
  for (const Row& row : page.rows()) {
    Key* key = &root;
    for (const std::string& name : names_of_path(row.path)) key = &key->at(name);
    key->rows.push_back(&row);
  }
  return root;
}

/// Whether the type is an entry of a registry: a list item, written `name: settings`.
bool is_entry(const std::string& type) {
  return type == "force" || type == "constraint" || type == "emitter" || type == "sink";
}
bool is_mapping(const std::string& type) { return type == "mapping" || is_entry(type); }

/// Whether a name is a placeholder, such as NAME or VALUE, for one chosen by the user.
bool is_placeholder(const std::string& name) {
  return name != "[]" && std::ranges::all_of(name, [](const char c) { return c >= 'A' && c <= 'Z'; });
}

bool is_required(const Row& row) { return row.fallback.starts_with("required"); }
bool has_default(const Row& row) { return !is_required(row) && row.fallback != "optional"; }

class Schema {
 public:
  explicit Schema(const KeyPage& page) : root_(key_tree(page)) {
    for (const Row& row : page.rows())
      if (const std::string path = parse_value_text(row.type).same_as; !path.empty()) shared_.insert(path);
  }

  Json whole() const {
    Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                {"title", "Pithball experiment file"},
                {"description", "Generated by `pithball list schema` from the code that reads the keys."}};
    schema.update(mapping(root_));
    schema["properties"]["provenance"] = {{"description", "written by the program into run.yaml; ignored"}};
    Json definitions = shared_value_schemas();
    for (const std::string& path : shared_) definitions[definition(path)] = forms(at(path));
    schema["$defs"] = std::move(definitions);
    return schema;
  }

 private:
  const Key& at(const std::string& path) const {
    const Key* key = &root_;
    for (const std::string& name : names_of_path(path)) key = &*std::ranges::find(key->below, name, &Key::name);
    return *key;
  }

  /// Turns "forces[].coulomb" into "forces.coulomb".
  static std::string definition(std::string path) {
    std::erase_if(path, [](const char c) { return c == '[' || c == ']'; });
    return path;
  }
  static Json reference(const std::string& path) { return {{"$ref", "#/$defs/" + definition(path)}}; }

  static std::string sentence(const Row& row) {
    const std::string unit = parse_value_text(row.type).unit;
    return row.meaning + (unit.empty() ? "" : fmt::format(" [{}]", unit)) +
           (is_required(row)   ? fmt::format(" ({})", row.fallback)
            : has_default(row) ? fmt::format(" (default: {})", row.fallback)
                               : "");
  }

  static std::string description(const Key& key) {
    std::string text;
    for (const Row* row : key.rows) text += (text.empty() ? "" : "; ") + sentence(*row);
    return text;
  }

  Json described(const Key& key) const {
    Json schema = Json::object();
    if (!key.rows.empty()) schema["description"] = description(key);
    schema.update(written(key));
    return schema;
  }

  Json written(const Key& key) const { return shared_.count(key.path) ? reference(key.path) : forms(key); }

  /// A key without a value is treated as absent.
  Json forms(const Key& key) const {
    Json all = Json::array();
    for (const Row* row : key.rows) add_form(key, *row, all);
    const bool mapped = std::ranges::any_of(key.rows, [](const Row* row) { return is_mapping(row->type); });
    const bool listed = std::ranges::any_of(key.below, [](const Key& k) { return k.name == "[]"; });
    if (!key.below.empty() && !listed && !mapped) all.push_back(mapping(key));
    if (is_named_item(key)) all.push_back(bare_name(key));
    if (key.name != "[]") all.push_back({{"type", "null"}});
    return {{"anyOf", all}};
  }

  void add_form(const Key& key, const Row& row, Json& all) const {
    const ValueText text = parse_value_text(row.type);
    if (is_mapping(row.type)) {
      if (key.rows.size() == 1 || !key.below.empty()) all.push_back(mapping(key));
    } else if (row.type == "list") {
      all.push_back({{"type", "array"}, {"items", key.below.empty() ? Json::object() : written(key.below.front())}});
    } else if (const std::string each = "list, each "; row.type.starts_with(each)) {
      all.push_back({{"type", "array"}, {"items", reference(parse_value_text(row.type.substr(each.size())).same_as)}});
    } else if (!text.same_as.empty()) {
      all.push_back(reference(text.same_as));
    } else {
      all.push_back(value_schema(text));
    }
  }

  Json mapping(const Key& key) const {
    Json object{{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
    for (const Key& child : key.below)
      if (is_placeholder(child.name))
        object["additionalProperties"] = described(child);
      else
        object["properties"][child.name] = described(child);
    if (is_named_item(key)) object.update(one_name(key));
    for (const Row* row : key.rows)
      for (const std::string& name : listed_choices(row->type))
        if (!object["properties"].contains(name)) object["properties"][name] = {{"type", {"object", "null"}}};
    return object;
  }

  static bool is_entry_key(const Key& key) { return !key.rows.empty() && is_entry(key.rows.front()->type); }

  /// Whether the key is an item `name: settings` that may be abbreviated to its name. An entry of a registry may have
  /// other keys beside the name.
  static bool is_named_item(const Key& key) {
    if (key.name != "[]" || key.below.empty()) return false;
    return std::ranges::any_of(key.below, is_entry_key) ||
           std::ranges::all_of(key.below, [](const Key& child) { return is_placeholder(child.name); });
  }

  /// Requires exactly one name, and states its type.
  static Json one_name(const Key& key) {
    Json names = Json::array();
    for (const Key& child : key.below)
      if (is_entry_key(child)) names.push_back({{"required", Json::array({child.name})}});
    if (names.empty()) return {{"maxProperties", 1}};
    const auto named = std::ranges::find_if(key.below, is_entry_key);
    return {{"title", named->rows.front()->type}, {"oneOf", names}};
  }

  static Json bare_name(const Key& key) {
    if (is_placeholder(key.below.front().name)) return {{"type", "string"}};
    Json names = Json::array();
    for (const Key& child : key.below)
      if (is_entry_key(child)) names.push_back(child.name);
    return {{"enum", names}};
  }

  Key root_;
  std::set<std::string> shared_;  ///< paths of keys that others refer to
};

}  // namespace

Json keys_json(const KeyPage& page) {
  Json keys = Json::array();
  for (const Row& row : page.rows()) {
    const std::string unit = parse_value_text(row.type).unit;
    keys.push_back({{"key", row.path},
                    {"value", row.type},
                    {"unit", unit.empty() ? Json() : Json(unit)},
                    {"required", is_required(row)},
                    {"default", has_default(row) ? Json(row.fallback) : Json()},
                    {"meaning", row.meaning}});
  }
  return keys;
}

Json experiment_schema(const KeyPage& page) { return Schema(page).whole(); }

}  // namespace pithball::app
