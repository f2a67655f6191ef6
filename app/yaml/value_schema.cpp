#include "app/yaml/value_schema.hpp"

#include <fmt/format.h>

#include <map>
#include <regex>
#include <stdexcept>

namespace pithball::app {
namespace {

using Json = nlohmann::ordered_json;

Json reference(const std::string& name) { return {{"$ref", "#/$defs/" + name}}; }

/// A list; of `count` items unless that is 0.
Json list_of(Json items, int count = 0) {
  Json list{{"type", "array"}, {"items", std::move(items)}};
  if (count > 0) list["minItems"] = list["maxItems"] = count;
  return list;
}

Json any_of(Json::initializer_list_t forms) { return {{"anyOf", Json::array(forms)}}; }

/// A number, or text that begins with one; a negative text where `sign` allows it.
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

/// One value, a list, {total: value} or {GROUP: value, …, rest: value}.
Json per_item(const std::string& bound) {
  const Json share = {{"type", "object"}, {"properties", {{"total", number("")}}}, {"additionalProperties", false}};
  const Json by_group = {{"type", "object"}, {"additionalProperties", any_of({number(bound), share})}};
  return any_of({number(bound), list_of(number(bound)), share, by_group});
}

Json choice(const std::vector<std::string>& words) {
  Json choices = Json::array();
  for (const std::string& word : words) {
    choices.push_back(word);
    if (Json::accept(word)) choices.push_back(Json::parse(word));  // `1` in a file is a number
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

/// Values whose texts are sentences of their own, by their words.
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

/// Values with a bound.
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

}  // namespace pithball::app
