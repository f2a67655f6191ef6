#include "experiments/claim_list/listed_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "app/yaml/nearest.hpp"
#include "app/yaml/quantity.hpp"
#include "experiments/claim/statistics.hpp"
#include "experiments/claim_list/result_path.hpp"
#include "sim/core/error.hpp"
#include "sim/field/expression_program.hpp"

namespace pithball::experiments {

/// Reduces several numbers to one; NaN if there are none or one of them is NaN.
struct Reduction {
  const char* name;
  const char* meaning;
  double (*of)(std::vector<double> numbers);
};

/// Returns all reductions: value (of a single number), median, spread, mean, rms, sum, largest, smallest, middle,
/// half_range, positive.
const std::vector<Reduction>& reductions();
std::vector<std::string> names_of_reductions();
/// Returns the reduction with this name, which must exist.
const Reduction& find_reduction(const std::string& name);

namespace {

using Numbers = std::vector<double>;

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double value(Numbers numbers) { return numbers.size() == 1 ? numbers.front() : nothing; }
double sum(Numbers numbers) { return numbers.empty() ? nothing : std::reduce(numbers.begin(), numbers.end()); }
double mean(Numbers numbers) { return sum(numbers) / static_cast<double>(numbers.size()); }
double rms(Numbers numbers) { return root_mean_square(numbers); }

double spread(Numbers numbers) {
  const double middle = median(numbers);
  for (double& number : numbers) number = std::abs(number - middle);
  return 1.4826 * median(std::move(numbers));  // equals the standard deviation for normally distributed numbers
}

Worst range_of(const Numbers& numbers) {
  Worst range;
  for (const double number : numbers) range.add(number);
  return range;
}

double largest(Numbers numbers) { return range_of(numbers).largest(); }
double smallest(Numbers numbers) { return range_of(numbers).smallest(); }
double middle(Numbers numbers) { return (largest(numbers) + smallest(numbers)) / 2; }
double half_range(Numbers numbers) { return (largest(numbers) - smallest(numbers)) / 2; }
double positive(Numbers numbers) {
  return static_cast<double>(std::ranges::count_if(numbers, [](double number) { return number > 0; }));
}

}  // namespace

const std::vector<Reduction>& reductions() {
  static const std::vector<Reduction> all{
      {"value", "the number, of exactly one", value},
      {"median", "the middle one", median},
      {"spread", "1.4826 times the median distance from the median", spread},
      {"mean", "the mean", mean},
      {"rms", "the root of the mean square", rms},
      {"sum", "the sum", sum},
      {"largest", "the largest", largest},
      {"smallest", "the smallest", smallest},
      {"middle", "half-way between the smallest and the largest", middle},
      {"half_range", "half the distance between the smallest and the largest", half_range},
      {"positive", "how many are greater than 0", positive},
  };
  return all;
}

std::vector<std::string> names_of_reductions() {
  std::vector<std::string> names;
  for (const Reduction& reduction : reductions()) names.emplace_back(reduction.name);
  return names;
}

const Reduction& find_reduction(const std::string& name) {
  return *std::ranges::find_if(reductions(), [&](const Reduction& reduction) { return reduction.name == name; });
}

namespace {

using nlohmann::ordered_json;

Series series_at(const std::string& path, const ordered_json& results) {
  Series series;
  for (const ordered_json* found : find_results(results, path))
    series.push_back(found && found->is_number() ? found->get<double>() : NAN);
  if (series.size() == 1 && !find_results(results, path).front())
    throw InvalidArgument({"", "", "must lead to a value of the results", path, ""});
  return series;
}

/// An expression, and the values of the item that it uses.
struct CompiledNumber {
  sim::ExpressionProgram program;
  std::vector<const ListedNumber*> used;  ///< by variable of the program; null if unused
};

CompiledNumber compile(const std::string& expression, const ItemValues& values) {
  std::vector<std::string> names;
  for (const auto& [name, number] : values) names.push_back(name);
  CompiledNumber compiled{sim::compile_expression(expression, names), {}};
  for (std::size_t k = 0; k < values.size(); ++k)
    compiled.used.push_back(compiled.program.reads_variable(k) ? &values[k].second : nullptr);
  return compiled;
}

/// Returns the values defined before this number; all values if it is not one of them.
ItemValues values_before(const ListedNumber& number, const ItemValues& values) {
  const auto own = std::ranges::find_if(values, [&](const auto& value) { return &value.second == &number; });
  return {values.begin(), own};
}

sim::Index common_length(const std::vector<Series>& all, const std::string& expression) {
  std::size_t length = 1;
  for (const Series& series : all)
    if (series.size() > 1) length = series.size();
  for (const Series& series : all)
    if (series.size() > 1 && series.size() != length)
      throw InvalidArgument({"", expression, "must combine series of one length",
                             fmt::format("{} and {} numbers", series.size(), length), ""});
  return static_cast<sim::Index>(length);
}

Series evaluate_expression(const std::string& expression, const ItemValues& values, const ordered_json& results) {
  const CompiledNumber compiled = compile(expression, values);
  std::vector<Series> used(compiled.used.size());
  for (std::size_t k = 0; k < used.size(); ++k)
    used[k] = compiled.used[k] ? evaluate(*compiled.used[k], values, results) : Series{0.0};
  const sim::Index length = common_length(used, expression);

  Series result(static_cast<std::size_t>(length), 0.0);
  std::vector<std::vector<double>> numbers(used.size());
  std::vector<sim::ExpressionVariable> variables;
  for (std::size_t k = 0; k < used.size(); ++k) {
    const Series& series = used[k];
    for (std::size_t i = 0; i < result.size(); ++i) {
      const std::optional<double>& entry = series[series.size() > 1 ? i : 0];
      numbers[k].push_back(entry.value_or(NAN));
      if (!entry) result[i].reset();
    }
    variables.push_back({numbers[k].data(), 1});
  }
  compiled.program.evaluate<double>(variables, length, [&](sim::Index i, double number) {
    if (result[i]) result[i] = number;
  });
  return result;
}

}  // namespace

Series evaluate(const ListedNumber& number, const ItemValues& values, const ordered_json& results) {
  if (!number.path.empty()) return series_at(number.path, results);
  if (number.expression.empty()) return number.given;
  const Series series = evaluate_expression(number.expression, values_before(number, values), results);
  if (number.reduction.empty()) return series;
  std::vector<double> numbers;
  for (const std::optional<double>& entry : series)
    if (entry) numbers.push_back(*entry);
  const bool lacking = std::ranges::any_of(numbers, [](double entry) { return std::isnan(entry); });
  return {lacking || numbers.empty() ? NAN : find_reduction(number.reduction).of(std::move(numbers))};
}

std::vector<std::string> paths_of(const ListedNumber& number, const ItemValues& values) {
  if (!number.path.empty()) return {number.path};
  std::vector<std::string> paths;
  if (number.expression.empty()) return paths;
  const ItemValues before = values_before(number, values);
  for (const ListedNumber* used : compile(number.expression, before).used) {
    if (!used) continue;
    const std::vector<std::string> more = paths_of(*used, before);
    paths.insert(paths.end(), more.begin(), more.end());
  }
  return paths;
}

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

/// Reads a path, or the name of a value.
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

/// Reads {median: charge/published}, whose key is the name of a reduction or one of `also`.
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

/// Reads literal numbers.
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
