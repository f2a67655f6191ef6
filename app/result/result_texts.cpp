#include "app/result/result_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "optim/verdict/run_verdict.hpp"

namespace pithball::app {
namespace {

using Kind = ValueShape::Kind;

/// Whether type names are written as links within the page.
enum class Names { Linked, Plain };

std::string lower_case(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

std::string capital(std::string phrase) {
  phrase[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(phrase[0])));
  return phrase;
}

std::string value_text(const ValueShape& shape, Names names) {
  std::string text;
  switch (shape.kind) {
    case Kind::Number:
      text = "number";
      break;
    case Kind::Integer:
      text = "whole number";
      break;
    case Kind::Flag:
      text = "true or false";
      break;
    case Kind::Text:
      text = "text";
      break;
    case Kind::Word:
      for (const std::string& word : shape.words) text += (text.empty() ? "" : ", ") + fmt::format("`{}`", word);
      break;
    case Kind::List:
      text = "list of " + value_text(shape.parts.front(), names);
      break;
    case Kind::Tuple:
      for (const ValueShape& part : shape.parts) text += (text.empty() ? "[" : ", ") + value_text(part, names);
      text += "]";
      break;
    case Kind::Named:
      text = "by name: " + value_text(shape.parts.front(), names);
      break;
    case Kind::Object:
      text = names == Names::Plain ? shape.object : fmt::format("[{}](#{})", shape.object, lower_case(shape.object));
      break;
    case Kind::Either:
      text = value_text(shape.parts[0], names) + ", or " + value_text(shape.parts[1], names);
      break;
  }
  return text + (shape.is_nullable ? " or null" : "");
}

std::string field_table(const DescribedObject& object) {
  std::string text = "| key | value | unit | meaning |\n| --- | --- | --- | --- |\n";
  for (const DescribedField& field : object.fields)
    text += fmt::format("| `{}` | {} | {} | {} |\n", field.key, value_text(field.value, Names::Linked), field.unit,
                        field.sentence());
  if (object.has_further_texts) text += "| … | text | | one key for each axis of the grid |\n";
  return text;
}

std::string status_table() {
  std::string text =
      "\n## Statuses\n\nWords of `status` in `fit.json` and `summary.json`. The exit status is that of a command whose "
      "only run ends "
      "so.\n\n| word | grade | exit status | meaning |\n| --- | --- | --- | --- |\n";
  for (const optim::RunStatusInfo& one : optim::run_statuses())
    if (one.status != optim::RunStatus::Unknown)
      text += fmt::format("| `{}` | {} | {} | {} |\n", one.word, to_string(one.grade), one.exit_status, one.meaning);
  return text;
}

constexpr const char* page_head = R"(# Keys of results

This page is generated from the lists of fields by which the program writes and reads its files (`pithball list results`); a test checks that
it is up to date. [results.schema.json](results.schema.json) is the same as a JSON Schema, and the Python package has a
[class](python.md) for each type below.

- Units are SI. Numbers **of the parameter** have the unit that `unit` of the same object names; those **of the measurement kind** have the
  unit of the recording's kind (`pithball list measurements`).
- A number that is infinite, unknown or not computed is null.
- Every object has all its keys, but those that are **only** there on a condition. A file that lacks one, of another version of the program,
  is refused: run the command again.
)";

}  // namespace

std::string results_page(const ResultDescription& all) {
  std::string text = page_head;
  std::set<std::string> told;
  for (const DescribedFile& file : all.files) {
    text += fmt::format("\n## {}\n\nWritten by {}: [{}](#{}).\n", file.name, file.written_by, file.object,
                        lower_case(file.object));
    for (const DescribedObject& object : all.family(file.object)) {
      if (!told.insert(object.name).second) continue;
      text += fmt::format("\n### {}\n\n{}.\n\n{}", object.name, capital(object.meaning), field_table(object));
    }
  }
  return text + status_table();
}

nlohmann::ordered_json results_json(const ResultDescription& all) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const DescribedObject& object : all.objects)
    for (const DescribedField& field : object.fields)
      rows.push_back({{"object", object.name},
                      {"key", field.key},
                      {"value", value_text(field.value, Names::Plain)},
                      {"unit", field.unit.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(field.unit)},
                      {"optional", field.may_lack()},
                      {"meaning", field.meaning}});
  return rows;
}

namespace {

using nlohmann::ordered_json;

ordered_json reference_to(const std::string& object) { return {{"$ref", "#/$defs/" + object}}; }

ordered_json shape_schema(const ValueShape& shape);

ordered_json parts_schema(const ValueShape& shape) {
  ordered_json parts = ordered_json::array();
  for (const ValueShape& part : shape.parts) parts.push_back(shape_schema(part));
  return parts;
}

ordered_json known_schema(const ValueShape& shape) {
  switch (shape.kind) {
    case Kind::Number:
      return {{"type", "number"}};
    case Kind::Integer:
      return {{"type", "integer"}};
    case Kind::Flag:
      return {{"type", "boolean"}};
    case Kind::Text:
      return {{"type", "string"}};
    case Kind::Word:
      return {{"enum", shape.words}};
    case Kind::List:
      return {{"type", "array"}, {"items", shape_schema(shape.parts.front())}};
    case Kind::Tuple:
      return {
          {"type", "array"}, {"prefixItems", parts_schema(shape)}, {"minItems", shape.parts.size()}, {"items", false}};
    case Kind::Named:
      return {{"type", "object"}, {"additionalProperties", shape_schema(shape.parts.front())}};
    case Kind::Object:
      return reference_to(shape.object);
    case Kind::Either:
      break;
  }
  return {{"anyOf", parts_schema(shape)}};
}

ordered_json shape_schema(const ValueShape& shape) {
  ordered_json schema = known_schema(shape);
  if (!shape.is_nullable) return schema;
  if (!schema.contains("type")) return {{"anyOf", {schema, {{"type", "null"}}}}};
  schema["type"] = {schema["type"], "null"};
  return schema;
}

ordered_json object_schema(const DescribedObject& object) {
  ordered_json properties = ordered_json::object(), required = ordered_json::array();
  for (const DescribedField& field : object.fields) {
    ordered_json& property = properties[field.key];
    property["description"] = field.sentence() + (field.unit.empty() ? "" : " [" + field.unit + "]");
    property.update(shape_schema(field.value));
    if (!field.may_lack()) required.push_back(field.key);
  }
  ordered_json further = false;
  if (object.has_further_texts) further = {{"type", "string"}};
  return {{"description", object.meaning},
          {"type", "object"},
          {"properties", properties},
          {"required", required},
          {"additionalProperties", further}};
}

}  // namespace

ordered_json results_schema(const ResultDescription& all) {
  ordered_json files = ordered_json::array(), types = ordered_json::object();
  for (const DescribedFile& file : all.files) files.push_back(reference_to(file.object));
  for (const DescribedObject& object : all.objects) types[object.name] = object_schema(object);
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", "Pithball results"},
          {"description",
           "Generated by `pithball list results-schema` from the lists of fields; each file is one of the types."},
          {"anyOf", files},
          {"$defs", types}};
}

}  // namespace pithball::app

// Results as types in other languages.

namespace pithball::app {
namespace {

/// The notation of a language for the kinds of values.
struct Language {
  const char *number, *integer, *flag, *text;  ///< simple types
  const char *list, *named;                    ///< "list[{}]"
  const char *tuple, *words;                   ///< "tuple[{}]", filled with the joined parts
  const char *between_parts, *between_words;   ///< ", "
  const char* null;                            ///< "None"
};

constexpr Language python_language{"float",     "int",         "bool", "str", "list[{}]", "dict[str, {}]",
                                   "tuple[{}]", "Literal[{}]", ", ",   ", ",  "None"};
constexpr Language typescript_language{"number", "number", "boolean", "string", "{}[]", "Record<string, {}>",
                                       "[{}]",   "{}",     ", ",      " | ",    "null"};

std::string form_filled(const char* form, const std::string& text) { return fmt::format(fmt::runtime(form), text); }

std::string type_text(const ValueShape& shape, const Language& language) {
  std::string type, words;
  for (const ValueShape& part : shape.parts)
    type += (type.empty()                 ? ""
             : shape.kind == Kind::Either ? " | "
                                          : language.between_parts) +
            type_text(part, language);
  for (const std::string& word : shape.words)
    words += (words.empty() ? "" : language.between_words) + fmt::format("'{}'", word);
  switch (shape.kind) {
    case Kind::Number:
      type = language.number;
      break;
    case Kind::Integer:
      type = language.integer;
      break;
    case Kind::Flag:
      type = language.flag;
      break;
    case Kind::Text:
      type = language.text;
      break;
    case Kind::Word:
      type = form_filled(language.words, words);
      break;
    case Kind::List:
      if (type.find(" | ") != std::string::npos && language.list == typescript_language.list)
        type = fmt::format("({})", type);
      type = form_filled(language.list, type);
      break;
    case Kind::Tuple:
      type = form_filled(language.tuple, type);
      break;
    case Kind::Named:
      type = form_filled(language.named, type);
      break;
    case Kind::Object:
      type = shape.object;
      break;
    case Kind::Either:
      break;
  }
  return type + (shape.is_nullable ? fmt::format(" | {}", language.null) : "");
}

/// "physical value at the end of the search [of the parameter]"
std::string remark(const DescribedField& field) {
  return field.sentence() + (field.unit.empty() ? "" : " [" + field.unit + "]");
}

/// Returns a phrase as a docstring, which must not end with a quotation mark.
std::string docstring(const std::string& phrase) { return "\"\"\"" + phrase + ".\"\"\""; }

std::string python_class(const DescribedObject& object) {
  std::string text =
      fmt::format("\n\n@dataclass(kw_only=True)\nclass {}(Result):\n    {}\n", object.name, docstring(object.meaning));
  for (const DescribedField& field : object.fields) {
    ValueShape shape = field.value;
    shape.is_nullable = shape.is_nullable || field.may_lack();
    text += fmt::format("\n    {}: {}{}\n    {}\n", field.key, type_text(shape, python_language),
                        field.may_lack() ? " = None" : "", docstring(remark(field)));
  }
  return text;
}

/// "DOES_NOT_FIT"
std::string constant_name(std::string word) {
  for (char& c : word) c = c == ' ' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return word;
}

std::string python_statuses() {
  std::string text = "\n\nclass RunStatus(str, Enum):\n    \"\"\"How a run ended; equal to its word.\"\"\"\n";
  for (const optim::RunStatusInfo& one : optim::run_statuses())
    if (one.status != optim::RunStatus::Unknown)
      text += fmt::format("\n    {} = \"{}\"\n    {}\n", constant_name(one.word), one.word, docstring(one.meaning));
  return text;
}

std::string typescript_interface(const DescribedObject& object) {
  std::string text = fmt::format("\n/** {} */\nexport interface {} {{\n", object.meaning, object.name);
  for (const DescribedField& field : object.fields)
    text += fmt::format("  /** {} */\n  {}{}: {};\n", remark(field), field.key, field.may_lack() ? "?" : "",
                        type_text(field.value, typescript_language));
  return text + "}\n";
}

constexpr const char* python_head = R"("""Files of results as dataclasses: `FitResult.read("runs/net/fit.json")`.

Keys, units and meanings are those of docs/results.md. Generated by `pithball list results-python`; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from ._result import Result
)";

}  // namespace

std::string results_python(const ResultDescription& all) {
  std::string text = python_head + python_statuses();
  for (const DescribedObject& object : all.objects) text += python_class(object);
  return text;
}

std::string results_typescript(const ResultDescription& all, const std::vector<std::string>& names) {
  std::string text =
      "/** Parts of results that a report shows unchanged, as docs/results.md describes them. Generated by `pithball "
      "list\n"
      " * results-typescript`; do not edit. */\n";
  std::vector<DescribedObject> told;
  for (const std::string& name : names)
    for (const DescribedObject& object : all.family(name))
      if (std::ranges::find(told, object.name, &DescribedObject::name) == told.end()) {
        told.push_back(object);
        text += typescript_interface(object);
      }
  return text;
}

}  // namespace pithball::app
