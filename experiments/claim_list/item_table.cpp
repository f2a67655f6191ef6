#include "experiments/claim_list/item_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/base/json_text.hpp"
#include "experiments/claim/text_lines.hpp"
#include "experiments/claim_list/result_path.hpp"

namespace pithball::experiments {
namespace {

using nlohmann::ordered_json;

/// Whether all runs that the number depends on were made.
bool is_there(const ListedNumber& number, const ItemValues& values, const ordered_json& results) {
  return std::ranges::all_of(paths_of(number, values), [&](const std::string& path) {
    const std::string run = path.substr(0, path.find_first_of("/["));
    return run == "*" || results.contains(run);
  });
}

std::vector<ordered_json> cells_of(const ListedNumber& number, const ItemValues& values, const ordered_json& results) {
  std::vector<ordered_json> cells;
  if (!number.path.empty()) {
    for (const ordered_json* found : find_results(results, number.path))
      cells.push_back(found && !found->is_structured() ? *found : ordered_json());
    return cells;
  }
  for (const std::optional<double>& entry : evaluate(number, values, results))
    cells.push_back(entry ? app::number_or_null(*entry) : ordered_json());
  return cells;
}

std::string cell_text(const ordered_json& cell) {
  if (cell.is_null()) return "–";
  if (cell.is_number_integer()) return cell.dump();
  return cell.is_number() ? fmt::format("{:.4g}", cell.get<double>()) : cell.get<std::string>();
}

}  // namespace

ordered_json fill_table(const ItemTable& table, const ItemValues& values, const ordered_json& results) {
  ordered_json labels = ordered_json::array();
  std::vector<std::vector<ordered_json>> columns;
  std::size_t length = 0;
  for (const auto& [label, number] : table.columns) {
    if (!is_there(number, values, results)) continue;
    labels.push_back(label);
    columns.push_back(cells_of(number, values, results));
    length = std::max(length, columns.back().size());
  }
  ordered_json rows = ordered_json::array();
  for (std::size_t i = 0; i < length; ++i) {
    ordered_json row = ordered_json::array();
    for (const std::vector<ordered_json>& column : columns) {
      const std::size_t at = column.size() == 1 ? 0 : i;
      row.push_back(at < column.size() ? column[at] : ordered_json());
    }
    rows.push_back(std::move(row));
  }
  return {{"title", table.title}, {"columns", std::move(labels)}, {"rows", std::move(rows)}};
}

std::string tables_text(const ordered_json& tables) {
  std::string text;
  for (const ordered_json& table : tables) {
    std::vector<std::vector<std::string>> lines{table.at("columns").get<std::vector<std::string>>()};
    for (const ordered_json& row : table.at("rows")) {
      std::vector<std::string>& line = lines.emplace_back();
      for (const ordered_json& cell : row) line.push_back(cell_text(cell));
    }
    text += table.at("title").get<std::string>() + "\n";
    for (const std::string& line : aligned_lines(lines)) text += "  " + line;
    text += "\n";
  }
  return text;
}

}  // namespace pithball::experiments
