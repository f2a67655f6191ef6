#include "experiments/claim_list/listed_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/claim_list/reduction.hpp"
#include "experiments/claim_list/result_path.hpp"
#include "sim/core/error.hpp"
#include "sim/field/expression_grammar.hpp"

namespace pithball::experiments {
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

/// An expression and the values of the item that it uses.
struct CompiledNumber {
  sim::ExpressionProgram program;
  std::vector<const ListedNumber*> used;  ///< by the program's variable; null: it is not used
};

CompiledNumber compile(const std::string& expression, const ItemValues& values) {
  std::vector<std::string> names;
  for (const auto& [name, number] : values) names.push_back(name);
  CompiledNumber compiled{sim::compile_expression(expression, names), {}};
  for (std::size_t k = 0; k < values.size(); ++k)
    compiled.used.push_back(compiled.program.reads_variable(k) ? &values[k].second : nullptr);
  return compiled;
}

/// The values before one that is among them; all for another number.
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

}  // namespace pithball::experiments
