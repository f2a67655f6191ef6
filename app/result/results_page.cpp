#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <set>

#include "app/result/result_texts.hpp"
#include "optim/verdict/run_status.hpp"

namespace pithball::app {
namespace {

using Kind = ValueShape::Kind;

/// Names of types as links of the page, or as they are.
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

}  // namespace pithball::app
