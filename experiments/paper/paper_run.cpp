#include "experiments/paper/paper_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "app/backend/backend.hpp"
#include "app/base/json_text.hpp"
#include "app/base/version.hpp"
#include "datasets/manifest/manifest.hpp"
#include "datasets/text/text_scan.hpp"
#include "experiments/claim/claim_json.hpp"
#include "experiments/claim/claim_text.hpp"
#include "experiments/claim/exit_status.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments::paper {

using namespace app;

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

std::string item_file(const Item& item) { return item.name + "/item.json"; }
std::string run_name(const Item& item, const ItemRun& run) { return item.name + "/" + run.name; }

/// The runs of an item, read and checked.
struct PreparedItem {
  std::vector<std::pair<ItemRun, PreparedRun>> runs;
  std::map<std::string, std::string> left_out;  ///< why, by the run's name
  ordered_json inputs;                          ///< what its results depend on
};

/// Why the run is not made; empty: it is.
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

/// What an unfinished run left of the item, if it was of the same inputs; null otherwise.
ordered_json kept_item(const fs::path& file, const ordered_json& inputs) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return nullptr;
  const ordered_json kept =
      ordered_json::parse(datasets::read_text_file(file.string(), "item"), nullptr, false);  // killed while writing?
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
      result.results[run.name] = prepared_run.make(folder.file(run_name(result.item, run)), progress);
    } catch (const std::exception& error) {  // of this run; the others may do
      result.failure += fmt::format("{}{}: {}", result.failure.empty() ? "" : "; ", run.name, error.what());
    }
  }
  result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

/// Why there is no number for the claim; empty: there is one.
std::string reason_to_skip(const ListedClaim& claim, const PreparedItem& prepared, bool quick) {
  if (quick && claim.whole_only) return "needs the whole run";
  for (const auto& [run, reason] : prepared.left_out)
    for (const std::string& path : {claim.find, claim.over, claim.rival})
      if (path.rfind(run + "/", 0) == 0) return reason;
  return "";
}

std::vector<Claim> find_all(const ItemResult& result, const PreparedItem& prepared, bool quick) {
  std::vector<Claim> claims;
  for (const ListedClaim& listed : result.item.claims) {
    const std::string reason = reason_to_skip(listed, prepared, quick);
    claims.push_back(reason.empty() ? measured_claim(listed, result.results) : skipped_claim(listed, reason));
  }
  return claims;
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

PaperRun run_paper(const std::vector<Item>& items, const Programs& programs, const fs::path& target,
                   const PaperOptions& options) {
  RunFolder::check(target, options.earlier);
  std::vector<PreparedItem> prepared;
  for (const Item& item : items) prepared.push_back(prepare_item(item, programs, options.quick));
  // What an item depends on it remembers itself, so that the others are kept where one has changed.
  PaperRun paper{std::make_unique<RunFolder>(target, InputRecord{"", "paper", "", {}}, options.earlier), {}};
  RunFolder& folder = *paper.folder;
  for (std::size_t k = 0; k < items.size(); ++k) {
    ItemResult& result = paper.items.emplace_back();
    result.item = items[k];
    const ordered_json kept = kept_item(folder.place() / item_file(result.item), prepared[k].inputs);
    if (options.progress)
      fmt::print(stderr, "[{}/{}] {}{}\n", k + 1, items.size(), result.item.title, kept.is_null() ? "" : " (kept)");
    if (kept.is_null()) {
      make_item(prepared[k], folder, options.progress, result);
      const ordered_json json{{"inputs", prepared[k].inputs}, {"results", result.results}, {"seconds", result.seconds}};
      if (result.failure.empty()) folder.write_text(item_file(result.item), json_text(json, -1) + "\n");
    } else {
      result.results = kept.at("results");
      result.seconds = kept.value("seconds", 0.0);
      result.kept = true;
    }
    result.claims = find_all(result, prepared[k], options.quick);
  }
  return paper;
}

std::vector<ClaimGroup> claims_of(const std::vector<ItemResult>& results) {
  std::vector<ClaimGroup> groups;
  for (const ItemResult& result : results)
    groups.push_back({fmt::format("{} ({:.3g} s)", result.item.title, result.seconds), result.claims});
  return groups;
}

ordered_json paper_json(const std::vector<ItemResult>& results, const Programs& programs, bool quick) {
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
                     {"claims", rows_of_claims(result.claims)}});
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

void finish_paper(RunFolder& folder, const ordered_json& json, const std::string& page) {
  folder.write_text("paper.json", json_text(json) + "\n");
  if (!page.empty()) folder.write_text("report.html", page);
  folder.finish();
}

}  // namespace pithball::experiments::paper
