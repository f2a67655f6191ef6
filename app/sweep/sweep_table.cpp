#include "app/sweep/sweep_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "sim/core/error.hpp"
#include "sim/core/text.hpp"

namespace pithball::app {
namespace {

constexpr std::size_t most_listed_tasks = 10;

/// Adds the names that are not yet in the list.
template <class Cells>
void add_names(const Cells& cells, std::unordered_set<std::string>& known, std::vector<std::string>& names) {
  for (const auto& [name, unused] : cells)
    if (known.insert(name).second) names.push_back(name);
}

/// Formats a text for CSV. Names and errors may come from foreign files, and the table may be viewed in a terminal.
std::string csv_text(const std::string& foreign) {
  const std::string text = printable(foreign);
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

std::string csv_cell(const std::string& text) { return csv_text(text); }
std::string csv_cell(const Figure& figure) {
  const double* number = std::get_if<double>(&figure);
  return number ? csv_number(*number) : csv_text(std::get<std::string>(figure));
}

/// Returns the cells of a row in the order of the columns, each after a comma.
template <class Cells>
std::string csv_cells(const Cells& cells, const std::vector<std::string>& columns) {
  std::unordered_map<std::string, std::string> by_name;
  for (const auto& [name, value] : cells) by_name[name] = csv_cell(value);
  std::string text;
  for (const std::string& column : columns) text += "," + by_name[column];
  return text;
}

}  // namespace

Index SweepTable::failed() const { return std::ranges::count_if(rows, &TaskResult::failed); }

SweepTable collect(const PlanFolder& plan) {
  SweepTable table;
  table.tasks = plan.tasks();
  std::unordered_set<std::string> labels, figures;
  for (Index number = 0; number < plan.tasks(); ++number) {
    std::optional<TaskResult> result = plan.result(number);
    if (!result) {
      if (table.incomplete.size() < most_listed_tasks) table.incomplete.push_back(number);
      continue;
    }
    add_names(result->labels, labels, table.labels);
    add_names(result->figures, figures, table.figures);
    table.rows.push_back(*std::move(result));
  }
  if (table.rows.empty())
    throw InvalidArgument({plan.folder().string(), "", "must contain results", "none",
                           "run its tasks: `pithball run " + plan.folder().string() + "`"});
  return table;
}

std::string to_csv(const SweepTable& table) {
  std::string text = "task";
  for (const std::string& name : table.labels) text += "," + csv_text(name);
  text += ",status";
  for (const std::string& name : table.figures) text += "," + csv_text(name);
  text += ",error,program,seconds\n";
  for (const TaskResult& row : table.rows)
    text += fmt::format("{}{},{}{},{},{},{}\n", row.task, csv_cells(row.labels, table.labels), csv_text(row.status),
                        csv_cells(row.figures, table.figures), csv_text(row.error), csv_text(row.program),
                        csv_number(row.seconds));
  return text;
}

}  // namespace pithball::app
