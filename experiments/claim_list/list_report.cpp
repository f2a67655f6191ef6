#include "experiments/claim_list/list_report.hpp"

#include <fmt/format.h>

#include "app/backend/backend_choice.hpp"
#include "app/base/version.hpp"
#include "experiments/claim/claim_section.hpp"
#include "experiments/claim/claim_text.hpp"
#include "optim/verdict/run_verdict.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

using nlohmann::ordered_json;

/// "Figure 4" of "Figure 4: energy error over time".
std::string short_title(const Item& item) { return item.title.substr(0, item.title.find(':')); }

double seconds_of(const std::vector<ItemResult>& results) {
  double seconds = 0;
  for (const ItemResult& result : results) seconds += result.seconds;
  return seconds;
}

/// What keeps the whole from being complete; empty: nothing.
std::string failures(const std::vector<ItemResult>& results) {
  std::string text;
  for (const ItemResult& result : results) {
    if (!result.failure.empty()) text += fmt::format("{}: {}. ", result.item.title, result.failure);
    for (const Claim& claim : result.claims)
      if (!claim.failure.empty()) text += fmt::format("{}: {}. ", result.item.title, claim.failure);
  }
  return text;
}

Section summary(const std::vector<ItemResult>& results, const Programs& programs, const PageHeading& heading) {
  ordered_json facts{{{"label", "program"}, {"value", fmt::format("pithball {}", version)}},
                     {{"label", "variant"}, {"value", heading.quick ? "quick: shorter and coarser runs" : "whole"}},
                     {{"label", "items"}, {"value", results.size()}}};
  for (const auto& [name, version_text] : programs.version)
    facts.push_back({{"label", find_backend(name)->title}, {"value", version_text}});
  for (const auto& [name, reason] : programs.absence)
    facts.push_back({{"label", names_backend(name) ? find_backend(name)->title : "data set " + name},
                     {"value", "not available, its runs are skipped"}});
  for (const auto& [verdict, count] : count_verdicts(claims_of(results)))
    facts.push_back({{"label", "claims: " + verdict}, {"value", count}});
  facts.push_back({{"label", "computing time"}, {"value", seconds_of(results)}, {"unit", "s"}});
  const std::string failed = failures(results), status = failed.empty() ? "complete" : "incomplete";
  return {"summary",
          {{"title", heading.title},
           {"name", heading.about},
           {"command", heading.command},
           {"status", status},
           {"grade", to_string(optim::grade_of(status))},
           {"explanation", failed.empty() ? ordered_json(nullptr) : ordered_json(failed)},
           {"facts", facts}}};
}

Section all_claims(const std::vector<ItemResult>& results) {
  ordered_json rows = ordered_json::array();
  for (const ItemResult& result : results)
    for (const Claim& claim : result.claims)
      rows.push_back(
          {short_title(result.item), claim.what, expected_text(claim), measured_text(claim), verdict_text(claim)});
  return {"table",
          {{"title", "Claims"},
           {"note",
            "Every measured number comes from a run below. 'Better' marks where it is clearly less than its rival's; "
            "'not stated' what is expected to have no particular value; 'differs, as explained' what is known not to "
            "be borne out, for the reason that stands with its item."},
           {"columns",
            {{{"label", "item"}},
             {{"label", "claim"}},
             {{"label", "expected"}},
             {{"label", "measured"}},
             {{"label", "verdict"}}}},
           {"rows", rows}}};
}

/// The item's tables, under its title.
void add_tables(const ItemResult& result, Sections& sections) {
  for (const ordered_json& table : result.tables) {
    ordered_json columns = ordered_json::array();
    for (const ordered_json& label : table.at("columns")) columns.push_back({{"label", label}});
    sections.push_back(
        {"table",
         {{"title", fmt::format("{}: {}", short_title(result.item), table.at("title").get<std::string>())},
          {"columns", columns},
          {"rows", table.at("rows")}}});
  }
}

/// The item's figures, under titles that say whose they are.
void add_figures(const ItemResult& result, const std::filesystem::path& target, Sections& sections) {
  for (const ItemRun& run : result.item.runs) {
    if (run.show.empty() || !result.results.contains(run.name)) continue;
    const std::string whose = result.item.runs.size() > 1 ? fmt::format("{}, {}", short_title(result.item), run.name)
                                                          : short_title(result.item);
    for (Section& figure :
         find_verb(run.command).figures(run, run_folder(target, result.item, run), result.results.at(run.name))) {
      figure.document["title"] = fmt::format("{}: {}", whose, figure.title());
      if (figure.document.contains("time")) figure.document["time"] = false;  // items have no common clock
      sections.push_back(std::move(figure));
    }
  }
}

}  // namespace

Sections list_sections(const std::vector<ItemResult>& results, const Programs& programs,
                       const std::filesystem::path& target, const PageHeading& heading) {
  Sections sections{summary(results, programs, heading), all_claims(results)};
  for (const ItemResult& result : results) {
    sections.push_back(claim_section(result.item.title, result.item.about, result.claims));
    add_tables(result, sections);
    add_figures(result, target, sections);
  }
  return sections;
}

std::string list_text(const std::vector<ItemResult>& results, const Programs& programs) {
  std::string text;
  for (const ItemResult& result : results) text += tables_text(result.tables);
  text += table_of_claims(claims_of(results)) +
          fmt::format("  {} items in {:.3g} s\n", results.size(), seconds_of(results));
  for (const auto& [name, version_text] : programs.version) text += fmt::format("  {:<22} {}\n", name, version_text);
  for (const auto& [name, reason] : programs.absence) text += fmt::format("  {:<22} skipped: {}\n", name, reason);
  if (const std::string failed = failures(results); !failed.empty()) text += "  " + failed + "\n";
  return text;
}

}  // namespace pithball::experiments
