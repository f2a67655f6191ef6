#include "experiments/claim_list/number_reading.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/yaml/nearest.hpp"
#include "app/yaml/quantity.hpp"
#include "experiments/claim_list/reduction.hpp"
#include "experiments/claim_list/result_path.hpp"
#include "sim/field/expression_grammar.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

constexpr const char* each = "each";

std::vector<std::string> names_of(const ItemValues& values) {
  std::vector<std::string> names;
  for (const auto& [name, number] : values) names.push_back(name);
  return names;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// A path, or the name of a value.
ListedNumber read_reference(Node& node, const std::string& key, const NumberScope& scope) {
  const std::string text = node.text(key, "");
  ListedNumber number;
  if (contains(names_of(scope.values), text)) {
    number.expression = text;
    return number;
  }
  const std::string first = text.substr(0, text.find_first_of("/["));
  if (first != "*" && !contains(scope.runs, first))
    node.reject(key, "must begin with a run of the item", "'" + first + "'", "");
  node.located(key, [&] { return finds_several(text); });
  number.path = text;
  return number;
}

/// {median: charge/published}, with the names of reductions and of `also` as keys.
ListedNumber read_expression(Node& node, const std::string& key, const NumberScope& scope,
                             const std::vector<std::string>& also) {
  Node form = node.child(key, "", true);
  std::vector<std::string> known = names_of_reductions();
  known.insert(known.end(), also.begin(), also.end());
  ListedNumber number;
  number.reduction = read_only_one(form, known);
  number.expression = form.text(number.reduction, "");
  form.located(number.reduction, [&] { return sim::compile_expression(number.expression, names_of(scope.values)); });
  if (number.reduction == each) number.reduction.clear();
  return number;
}

/// Numbers written out.
Series read_series(Node& node, const std::string& key) {
  Series series;
  for (const std::string& text : node.texts(key, "")) {
    series.push_back(read_plain_number(text));
    if (!series.back() && text != "none")
      node.reject(key, "must contain numbers, or `none` for one that is left out", "'" + text + "'", "");
  }
  return series;
}

}  // namespace

ListedNumber read_item_value(Node& node, const std::string& key, const NumberScope& scope) {
  ListedNumber number;
  if (node.is_list(key))
    number.given = read_series(node, key);
  else if (node.is_map(key))
    number = read_expression(node, key, scope, {each});
  else if (const std::optional<double> written = read_plain_number(node.text(key, "")))
    number.given = {*written};
  else
    number = read_reference(node, key, scope);
  return number;
}

std::string read_only_one(Node& node, const std::vector<std::string>& keys) {
  std::vector<std::string> written;
  for (const std::string& key : keys)
    if (node.is_written(key)) written.push_back(key);
  if (written.size() != 1)
    node.reject("", "must contain exactly one of " + joined(keys), written.empty() ? "none" : joined(written), "");
  return written.front();
}

ListedNumber read_listed_number(Node& node, const std::string& key, const NumberScope& scope) {
  return node.is_map(key) ? read_expression(node, key, scope, {}) : read_reference(node, key, scope);
}

void read_item_values(Node& item, NumberScope& scope) {
  if (!item.is_written("values")) return;
  Node node = item.child("values", "");
  for (const auto& [name, value] : node.entries("NAME"))
    scope.values.emplace_back(name, read_item_value(node, name, scope));
}

}  // namespace pithball::experiments
