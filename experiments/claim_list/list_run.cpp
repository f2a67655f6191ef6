#include "experiments/claim_list/list_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "app/backend/backend_choice.hpp"
#include "app/base/json_text.hpp"
#include "app/base/print_message.hpp"
#include "app/base/version.hpp"
#include "datasets/manifest/manifest.hpp"
#include "datasets/text/text_scan.hpp"
#include "experiments/claim/claim.hpp"
#include "experiments/claim/claim_report.hpp"
#include "optim/verdict/run_verdict.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::string item_file(const Item& item) { return item.name + "/item.json"; }
std::string run_name(const Item& item, const ItemRun& run) { return item.name + "/" + run.name; }

/// The runs of an item, read and checked.
struct PreparedItem {
  std::vector<std::pair<ItemRun, PreparedRun>> runs;
  std::map<std::string, std::string> left_out;  ///< reasons by the names of the runs
  ordered_json inputs;                          ///< everything on which its results depend
};

/// Returns why the run is omitted; empty if it is not.
std::string reason_to_leave_out(const ItemRun& run, const Programs& programs, bool quick) {
  if (quick && run.whole_only) return "needs the whole run";
  for (const std::string& name : run.needs)
    if (programs.absence.contains(name))
      return names_backend(name) ? "needs " + find_backend(name)->title + ", see docs/backends.md"
                                 : "needs the data set " + name + ": pithball data get " + name;
  return "";
}

PreparedItem prepare_item(const Item& item, const Programs& programs, bool quick) {
  PreparedItem prepared{{}, {}, {{"program", program_build()}, {"runs", ordered_json::object()}}};
  for (const ItemRun& run : item.runs) {
    for (const std::string& name : run.needs)
      if (programs.version.contains(name)) prepared.inputs["programs"][name] = programs.version.at(name);
    if (const std::string reason = reason_to_leave_out(run, programs, quick); !reason.empty()) {
      prepared.left_out[run.name] = reason;
      prepared.inputs["left_out"][run.name] = reason;
      continue;
    }
    prepared.runs.emplace_back(run, prepare(run, quick));
    prepared.inputs["runs"][run.name] = {{"command", run.command}, {"inputs", prepared.runs.back().second.inputs}};
  }
  return prepared;
}

/// Returns the results of the item from an unfinished run with the same inputs; null if there are none.
ordered_json kept_item(const fs::path& file, const ordered_json& inputs) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return nullptr;
  const ordered_json kept =
      ordered_json::parse(datasets::read_text_file(file.string(), "item"), nullptr, false);  // may be truncated
  const bool same = kept.is_object() && kept.contains("results") && kept.value("inputs", ordered_json()) == inputs;
  return same ? kept : ordered_json(nullptr);
}

void make_item(const PreparedItem& prepared, RunFolder& folder, bool progress, ItemResult& result) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  folder.remove(result.item.name);
  fs::create_directory(folder.file(result.item.name));
  result.results = ordered_json::object();
  for (const auto& [run, prepared_run] : prepared.runs) {
    try {
      ordered_json& made = result.results[run.name];
      made = prepared_run.make(folder.file(run_name(result.item, run)), progress);
      made["run"] = run.name;
    } catch (const std::exception& error) {  // only this run failed; the others may succeed
      result.results.erase(run.name);
      result.failure += fmt::format("{}{}: {}", result.failure.empty() ? "" : "; ", run.name, error.what());
    }
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

/// Returns all paths in the results on which a claim depends.
std::vector<std::string> paths_of(const ListedClaim& claim, const ItemValues& values) {
  std::vector<std::string> paths;
  for (const ListedNumber* number : {&claim.find, &claim.over, &claim.rival, &claim.error}) {
    const std::vector<std::string> more = paths_of(*number, values);
    paths.insert(paths.end(), more.begin(), more.end());
  }
  return paths;
}

/// Returns why the claim is skipped; empty if it is not.
std::string reason_to_skip(const ListedClaim& claim, const Item& item, const PreparedItem& prepared, bool quick) {
  if (quick && claim.whole_only) return "needs the whole run";
  const std::vector<std::string> paths = paths_of(claim, item.values);
  for (const auto& [run, reason] : prepared.left_out)
    for (const std::string& path : paths)
      if (path.rfind(run + "/", 0) == 0) return reason;
  return prepared.runs.empty() ? prepared.left_out.begin()->second : "";
}

/// Judges the claims and fills in the tables.
void hold_against_results(const PreparedItem& prepared, bool quick, ItemResult& result) {
  const Item& item = result.item;
  for (const ListedClaim& listed : item.claims) {
    const std::string reason = reason_to_skip(listed, item, prepared, quick);
    result.claims.push_back(reason.empty() ? measured_claim(listed, result.results, item.values)
                                           : skipped_claim(listed, reason));
  }
  result.tables = ordered_json::array();
  if (result.failure.empty() && !prepared.runs.empty())
    for (const ItemTable& table : item.tables) result.tables.push_back(fill_table(table, item.values, result.results));
}

}  // namespace

bool ItemResult::ok() const { return failure.empty() && exit_status(claims) == 0; }

fs::path run_folder(const fs::path& target, const Item& item, const ItemRun& run) {
  return RunFolder::partial(target) / run_name(item, run);
}

Programs find_programs(const std::vector<Item>& items, bool quick) {
  Programs programs;
  for (const Item& item : items)
    for (const ItemRun& run : item.runs)
      for (const std::string& name : run.needs) {
        if ((quick && run.whole_only) || programs.version.contains(name) || programs.absence.contains(name)) continue;
        try {
          if (names_backend(name))
            programs.version[name] = find_backend(name)->start()->version();
          else
            datasets::find_dataset(datasets::load_manifest(), name);
        } catch (const InvalidArgument& absent) {
          programs.absence[name] = absent.what();
        }
      }
  return programs;
}

std::string reason_to_leave_out(const Item& item, bool quick) {
  const Programs programs = find_programs({item}, quick);
  std::string reason;
  for (const ItemRun& run : item.runs) {
    if (quick && run.whole_only) continue;
    const auto absent =
        std::ranges::find_if(run.needs, [&](const auto& name) { return programs.absence.contains(name); });
    if (absent == run.needs.end()) return "";
    reason = programs.absence.at(*absent);
  }
  return reason;
}

ListRun run_list(const std::vector<Item>& items, const Programs& programs, const fs::path& target,
                 const ListOptions& options) {
  RunFolder::check(target, options.earlier);
  std::vector<PreparedItem> prepared;
  for (const Item& item : items) prepared.push_back(prepare_item(item, programs, options.quick));
  // Each item records its own inputs, so that a change in one item's inputs does not discard the results of the others.
  ListRun made{std::make_unique<RunFolder>(target, InputRecord{"", options.command, "", {}}, options.earlier), {}};
  RunFolder& folder = *made.folder;
  for (std::size_t k = 0; k < items.size(); ++k) {
    ItemResult& result = made.items.emplace_back();
    result.item = items[k];
    const ordered_json kept = kept_item(folder.place() / item_file(result.item), prepared[k].inputs);
    if (options.progress)
      print_message("[{}/{}] {}{}\n", k + 1, items.size(), result.item.title, kept.is_null() ? "" : " (kept)");
    if (kept.is_null()) {
      make_item(prepared[k], folder, options.progress, result);
      const ordered_json json{{"inputs", prepared[k].inputs}, {"results", result.results}, {"seconds", result.seconds}};
      if (result.failure.empty()) folder.write_text(item_file(result.item), json_text(json, -1) + "\n");
    } else {
      result.results = kept.at("results");
      result.seconds = kept.value("seconds", 0.0);
      result.kept = true;
    }
    hold_against_results(prepared[k], options.quick, result);
  }
  return made;
}

std::vector<ClaimGroup> claims_of(const std::vector<ItemResult>& results) {
  std::vector<ClaimGroup> groups;
  for (const ItemResult& result : results)
    groups.push_back({fmt::format("{} ({:.3g} s)", result.item.title, result.seconds), result.claims});
  return groups;
}

ordered_json list_json(const std::vector<ItemResult>& results, const Programs& programs, bool quick) {
  ordered_json items = ordered_json::array();
  double seconds = 0;
  bool ok = true;
  for (const ItemResult& result : results) {
    items.push_back({{"name", result.item.name},
                     {"title", result.item.title},
                     {"status", result.failure.empty() ? "ok" : "failed"},
                     {"failure", result.failure},
                     {"kept", result.kept},
                     {"seconds", result.seconds},
                     {"claims", rows_of_claims(result.claims)},
                     {"tables", result.tables}});
    seconds += result.seconds;
    ok = ok && result.ok();
  }
  return {{"program", fmt::format("pithball {}", version)},
          {"programs", programs.version},
          {"quick", quick},
          {"ok", ok},
          {"seconds", seconds},
          {"counts", count_verdicts(claims_of(results))},
          {"items", items}};
}

void finish_list(RunFolder& folder, const std::string& name, const ordered_json& json, const std::string& page) {
  folder.write_text(name, json_text(json) + "\n");
  if (!page.empty()) folder.write_text("report.html", page);
  folder.finish();
}

namespace {

/// Returns "Figure 4" for "Figure 4: energy error over time".
std::string short_title(const Item& item) { return item.title.substr(0, item.title.find(':')); }

double seconds_of(const std::vector<ItemResult>& results) {
  double seconds = 0;
  for (const ItemResult& result : results) seconds += result.seconds;
  return seconds;
}

/// Returns why the results are incomplete; empty if they are complete.
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

/// Adds the item's tables under its title.
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

/// Adds the item's figures, with the item's name in their titles.
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
