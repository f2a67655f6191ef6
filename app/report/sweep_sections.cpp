#include "app/report/sweep_sections.hpp"
#include "app/base/estimate_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

#include "app/base/json_text.hpp"
#include "app/report/packed.hpp"
#include "app/yaml/quantity.hpp"
#include "optim/verdict/run_verdict.hpp"
#include "sim/core/text.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

// With these limits, 10,000 tasks with 50 figures each make a page below 20 MB.
constexpr std::size_t most_pictures = 8;     // plots over different quantities, and as many histograms
constexpr std::size_t most_quantities = 24;  // offered for selection in each plot
constexpr std::size_t longest_error = 200;   // characters of an error message in the table

/// A column of numbers: one for each row, NaN where it has none.
struct SweptQuantity {
  std::string name, unit;
  bool is_label = false;
  std::vector<double> values;

  bool varies() const {
    double least = INFINITY, most = -INFINITY;
    for (const double value : values)
      if (std::isfinite(value)) least = std::min(least, value), most = std::max(most, value);
    return least < most;
  }
};

/// Splits "charge [C]" into name and unit.
SweptQuantity quantity_of(const std::string& column, bool is_label) {
  const std::size_t bracket = column.rfind(" [");
  if (bracket == std::string::npos || !column.ends_with(']')) return {column, "", is_label, {}};
  return {column.substr(0, bracket), column.substr(bracket + 2, column.size() - bracket - 3), is_label, {}};
}

double number_in(const std::string& text) { return read_plain_number(text).value_or(NAN); }
double number_in(const Figure& figure) {
  const double* number = std::get_if<double>(&figure);
  return number ? *number : NAN;
}

template <class Cells>
double number_at(const Cells& cells, const std::string& name) {
  const auto found = std::ranges::find(cells, name, [](const auto& cell) { return cell.first; });
  return found == cells.end() ? NAN : number_in(found->second);
}

/// Returns the columns with more than one value.
std::vector<SweptQuantity> quantities_of(const SweepTable& table) {
  std::vector<SweptQuantity> all;
  const auto add = [&](SweptQuantity quantity) {
    if (quantity.varies() && all.size() < most_quantities) all.push_back(std::move(quantity));
  };
  for (const std::string& label : table.labels) {
    SweptQuantity quantity = quantity_of(label, true);
    for (const TaskResult& row : table.rows) quantity.values.push_back(number_at(row.labels, label));
    add(std::move(quantity));
  }
  for (const std::string& figure : table.figures) {
    SweptQuantity quantity = quantity_of(figure, false);
    for (const TaskResult& row : table.rows) quantity.values.push_back(number_at(row.figures, figure));
    add(std::move(quantity));
  }
  return all;
}

/// Plots all quantities over `x`; the reader selects which one is shown.
Section against(const SweptQuantity& x, const std::vector<SweptQuantity>& all) {
  std::vector<std::size_t> order(x.values.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](std::size_t k) { return !std::isfinite(x.values[k]); });
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return x.values[k]; });
  std::vector<double> at;
  for (const std::size_t k : order) at.push_back(x.values[k]);
  std::vector<const SweptQuantity*> others;
  for (const bool labels : {false, true})  // results first, because they are more interesting than inputs
    for (const SweptQuantity& other : all)
      if (&other != &x && other.is_label == labels) others.push_back(&other);
  std::vector<std::string> names;
  for (const SweptQuantity* other : others) names.push_back(name_with_unit(other->name, other->unit));
  std::vector<float> packed;
  for (const std::size_t k : order)
    for (const SweptQuantity* other : others) packed.push_back(static_cast<float>(other->values[k]));
  const ordered_json points{
      {"label", "tasks"}, {"values", pack_float32({order.size(), others.size()}, packed)}, {"style", "points"}};
  const ordered_json panel{{"y", {{"label", ""}, {"unit", ""}}}, {"series", ordered_json::array({points})}};
  return {"panels",
          {{"title", "Over " + x.name},
           {"note", "One point for each task."},
           {"choice", {{"label", "quantity"}, {"names", names}}},
           {"x", {{"label", x.name}, {"unit", x.unit}, {"values", at}}},
           {"panels", ordered_json::array({panel})}}};
}

/// Returns a histogram of a quantity with equal bins; their number is the square root of that of the tasks.
ordered_json histogram(const SweptQuantity& quantity) {
  std::vector<double> known;
  std::ranges::copy_if(quantity.values, std::back_inserter(known), [](double value) { return std::isfinite(value); });
  const auto [least, most] = std::ranges::minmax(known);
  const auto parts = std::clamp<std::size_t>(static_cast<std::size_t>(std::sqrt(known.size())), 5, 60);
  const double width = (most - least) / static_cast<double>(parts);
  std::vector<double> middles(parts);
  std::vector<long> counts(parts);
  for (std::size_t k = 0; k < parts; ++k) middles[k] = least + (static_cast<double>(k) + 0.5) * width;
  for (const double value : known) ++counts[std::min(parts - 1, static_cast<std::size_t>((value - least) / width))];
  return {{"x", {{"label", quantity.name}, {"unit", quantity.unit}, {"values", middles}}},
          {"y", {{"label", "tasks"}, {"unit", ""}}},
          {"series", ordered_json::array({ordered_json{{"label", "tasks"}, {"values", counts}, {"style", "bars"}}})}};
}

/// Returns an error message without its numbers, so that errors with the same cause are counted together.
std::string cause_of(const TaskResult& row) {
  std::string cause;
  for (const char c : row.error) {
    const bool number = c >= '0' && c <= '9';
    if (!number)
      cause += c;
    else if (!cause.ends_with('#'))
      cause += '#';
  }
  return cause;
}

Section failures_by_cause(const SweepTable& table) {
  struct Tasks {
    long count = 0;
    Index first = 0;
    std::string example;
  };
  std::map<std::pair<std::string, std::string>, Tasks> causes;
  for (const TaskResult& row : table.rows) {
    Tasks& tasks = causes[{row.status, cause_of(row)}];
    if (tasks.count++ == 0) tasks.first = row.task, tasks.example = row.error;
  }
  ordered_json rows = ordered_json::array();
  for (const auto& [cause, tasks] : causes)
    rows.push_back(
        ordered_json::array({cause.first, tasks.count, tasks.first, tasks.example.empty() ? "-" : tasks.example}));
  return {"table",
          {{"title", "How the tasks ended"},
           {"note", "Tasks with one status and one cause are counted together; the text is that of the first."},
           {"columns", {{{"label", "status"}}, {{"label", "tasks"}}, {{"label", "first task"}}, {{"label", "cause"}}}},
           {"rows", rows}}};
}

/// Rounded to seven digits, which is enough for a page; table.csv has all digits.
ordered_json cell_of(double number) {
  return number_or_null(read_plain_number(fmt::format("{:.7g}", number)).value_or(NAN));
}
ordered_json cell_of(const std::string& text) {
  if (const std::optional<double> number = read_plain_number(text); number && std::isfinite(*number)) return *number;
  return excerpt(text, longest_error);
}
ordered_json cell_of(const Figure& figure) {
  const double* number = std::get_if<double>(&figure);
  return number ? cell_of(*number) : ordered_json(excerpt(std::get<std::string>(figure), longest_error));
}

template <class Cells>
void add_cells(const Cells& cells, const std::vector<std::string>& columns, ordered_json& line) {
  for (const std::string& column : columns) {
    const auto found = std::ranges::find(cells, column, [](const auto& cell) { return cell.first; });
    line.push_back(found == cells.end() ? ordered_json(nullptr) : cell_of(found->second));
  }
}

Section all_rows(const SweepTable& table) {
  ordered_json columns = ordered_json::array({ordered_json{{"label", "task"}}}), rows = ordered_json::array();
  for (const auto* names : {&table.labels, &table.figures}) {
    for (const std::string& name : *names) {
      const SweptQuantity quantity = quantity_of(name, false);
      columns.push_back({{"label", quantity.name}, {"unit", quantity.unit}});
    }
  }
  for (const char* label : {"status", "error"}) columns.push_back({{"label", label}});
  columns.push_back({{"label", "time"}, {"unit", "s"}});
  for (const TaskResult& row : table.rows) {
    ordered_json line = ordered_json::array({row.task});
    add_cells(row.labels, table.labels, line);
    add_cells(row.figures, table.figures, line);
    line.insert(line.end(), {row.status, excerpt(row.error, longest_error), cell_of(row.seconds)});
    rows.push_back(std::move(line));
  }
  return {"table",
          {{"title", "Tasks"},
           {"note",
            "One row for each task that has a result. Numbers have seven digits here, and all of them in table.csv."},
           {"sortable", true},
           {"columns", columns},
           {"rows", rows}}};
}

Section summary_of(const SweepRecord& record, const SweepTable& table) {
  double seconds = 0;
  std::map<optim::Grade, long> grades;
  for (const TaskResult& row : table.rows) {
    if (std::isfinite(row.seconds)) seconds += row.seconds;
    ++grades[optim::grade_of(row.status)];
  }
  const bool whole = table.missing() == 0;
  const long wrong = grades[optim::Grade::Bad] + grades[optim::Grade::Doubtful];
  const optim::Grade grade = table.failed() > 0    ? optim::Grade::Bad
                             : whole && wrong == 0 ? optim::Grade::Good
                                                   : optim::Grade::Doubtful;
  ordered_json explanation = nullptr;
  if (!whole)
    explanation = fmt::format("{} tasks have no result; run them with `pithball run`", table.missing());
  else if (wrong > 0)
    explanation = fmt::format("{} of {} runs did not end well: see the column status", wrong, table.rows.size());
  return {"summary",
          {{"title", "Summary"},
           {"name", record.name},
           {"command", "sweep of " + record.command},
           {"status", table.failed() > 0 ? "with failures"
                      : whole            ? "complete"
                                         : "incomplete"},
           {"grade", to_string(grade)},
           {"explanation", explanation},
           {"facts",
            {{{"label", "tasks"}, {"value", table.tasks}},
             {{"label", "with a result"}, {"value", table.rows.size()}},
             {{"label", "good"}, {"value", grades[optim::Grade::Good]}},
             {{"label", "doubtful"}, {"value", grades[optim::Grade::Doubtful]}},
             {{"label", "bad"}, {"value", grades[optim::Grade::Bad]}},
             {{"label", "failed"}, {"value", table.failed()}},
             {{"label", "computing time"}, {"value", seconds}, {"unit", "s"}}}}}};
}

}  // namespace

Sections sweep_sections(const SweepRecord& record, const SweepTable& table) {
  const std::vector<SweptQuantity> all = quantities_of(table);
  Sections sections{summary_of(record, table), all_rows(table), failures_by_cause(table)};
  if (all.size() > 1)
    for (const SweptQuantity& x : std::span(all).first(std::min(all.size(), most_pictures)))
      sections.push_back(against(x, all));
  ordered_json panels = ordered_json::array();
  for (const SweptQuantity& quantity : all)
    if (!quantity.is_label && panels.size() < most_pictures) panels.push_back(histogram(quantity));
  if (!panels.empty())
    sections.push_back(
        {"panels",
         {{"title", "Histograms"}, {"note", "How often each quantity was found."}, {"panels", std::move(panels)}}});
  return sections;
}

}  // namespace pithball::app
