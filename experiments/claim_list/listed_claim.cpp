#include "experiments/claim_list/listed_claim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/base/json_text.hpp"
#include "experiments/claim/claim_report.hpp"
#include "experiments/claim_list/result_path.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {
namespace {

using nlohmann::ordered_json;

constexpr double as_good = 0.05;  // relative difference up to which two methods count as equally good

ClaimValue value_of(const ordered_json& found) {
  if (found.is_null()) return {};
  if (found.is_number()) return found.get<double>();
  return found.is_string() ? found.get<std::string>() : found.dump();
}

/// Looks up numbers and words in the results of one item, and records missing ones in the claim.
struct LookUp {
  const ordered_json& results;
  const ItemValues& values;
  Claim& claim;

  ClaimValue operator()(const ListedNumber& number) const {
    if (!number.path.empty()) return at(number.path);
    try {
      const Series series = evaluate(number, values, results);
      if (series.size() == 1) return series.front().value_or(NAN);
      claim.failure = fmt::format("{} gives {} numbers", number.expression, series.size());
    } catch (const InvalidArgument& error) {
      claim.failure = error.what();
    }
    return {};
  }

 private:
  ClaimValue at(const std::string& path) const {
    const ordered_json* found = find_result(results, path);
    if (found && !found->is_structured()) return value_of(*found);
    claim.failure = fmt::format("the results hold no value at {}", path);
    return {};
  }
};

/// Returns the quotient; empty if either value is not a number, or the divisor is 0.
ClaimValue quotient(const ClaimValue& value, const ClaimValue& divisor) {
  const double *a = std::get_if<double>(&value), *b = std::get_if<double>(&divisor);
  if (!a || !b || *b == 0) return {};
  return *a / *b;
}

}  // namespace

Claim measured_claim(const ListedClaim& listed, const ordered_json& results, const ItemValues& values) {
  Claim claim = listed.claim;
  const LookUp look_up{results, values, claim};
  claim.measured = look_up(listed.find);
  if (!listed.over.empty()) claim.measured = quotient(claim.measured, look_up(listed.over));
  if (!listed.error.empty()) {
    const ClaimValue error = look_up(listed.error);
    claim.error = std::holds_alternative<double>(error) ? std::get<double>(error) : NAN;
  }
  if (listed.within_errors > 0) claim.tolerance = listed.within_errors * claim.error;
  if (claim.kind != ClaimKind::BetterThan) return claim;
  claim.expected = look_up(listed.rival);
  if (const double* rival = std::get_if<double>(&claim.expected))
    claim.tolerance = as_good * std::abs(*rival);
  else if (claim.failure.empty())  // the result is null: the rival method failed
    claim.expected = "it has none";
  return claim;
}

Claim skipped_claim(const ListedClaim& listed, const std::string& why) {
  Claim claim = listed.claim;
  claim.skipped = why;
  return claim;
}

namespace {

/// Whether all runs on which the number depends were made.
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
