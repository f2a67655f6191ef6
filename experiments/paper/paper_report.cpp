#include "experiments/paper/paper_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "app/backend/backend.hpp"
#include "app/base/version.hpp"
#include "app/run/run_verdict.hpp"

namespace pithball::experiments::paper {

using namespace app;

namespace {

using nlohmann::ordered_json;

std::map<std::string, int> count_verdicts(const std::vector<ItemResult>& results) {
  std::map<std::string, int> counts;
  for (const ItemResult& result : results)
    for (const Finding& finding : result.findings) ++counts[to_string(finding.verdict)];
  return counts;
}

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
    for (const Finding& finding : result.findings)
      if (finding.missing) text += fmt::format("{}: {}. ", result.item.title, finding.remark);
  }
  return text;
}

Section summary(const std::vector<ItemResult>& results, const Programs& programs, bool quick) {
  ordered_json facts{{{"label", "program"}, {"value", fmt::format("pithball {}", version)}},
                     {{"label", "variant"}, {"value", quick ? "quick: shorter and coarser runs" : "whole"}},
                     {{"label", "items"}, {"value", results.size()}}};
  for (const auto& [name, version_text] : programs.version)
    facts.push_back({{"label", find_backend(name)->title}, {"value", version_text}});
  for (const auto& [name, reason] : programs.absence)
    facts.push_back({{"label", names_backend(name) ? find_backend(name)->title : "data set " + name},
                     {"value", "not there, its runs are left out"}});
  for (const auto& [verdict, count] : count_verdicts(results))
    facts.push_back({{"label", "claims: " + verdict}, {"value", count}});
  facts.push_back({{"label", "computing time"}, {"value", seconds_of(results)}, {"unit", "s"}});
  const std::string failed = failures(results), status = failed.empty() ? "complete" : "incomplete";
  return {"summary",
          {{"title", "The paper, item by item"},
           {"name",
            "Zhang, Liu, Papanicolopulos, Subr: Implicit-Explicit simulation of Mass-Spring-Charge Systems, "
            "arXiv 2403.03005"},
           {"command", "paper"},
           {"status", status},
           {"grade", to_string(grade_of(status))},
           {"explanation", failed.empty() ? ordered_json(nullptr) : ordered_json(failed)},
           {"facts", facts}}};
}

Section all_claims(const std::vector<ItemResult>& results) {
  ordered_json rows = ordered_json::array();
  for (const ItemResult& result : results)
    for (std::size_t k = 0; k < result.findings.size(); ++k) {
      const Claim& claim = result.item.claims[k];
      const Finding& finding = result.findings[k];
      rows.push_back({short_title(result.item), claim.says, paper_text(claim, finding), our_text(claim, finding),
                      verdict_text(finding)});
    }
  return {"table",
          {{"title", "Claims"},
           {"note",
            "Every number of ours comes from a run below. 'Better' marks where a method of ours does better than the "
            "paper's own at the same step; 'not comparable' what the paper shows without a number."},
           {"columns",
            {{{"label", "item"}},
             {{"label", "claim of the paper"}},
             {{"label", "its number"}},
             {{"label", "ours"}},
             {{"label", "verdict"}}}},
           {"rows", rows}}};
}

Section item_claims(const ItemResult& result) {
  ordered_json rows = ordered_json::array();
  for (std::size_t k = 0; k < result.findings.size(); ++k) {
    const Claim& claim = result.item.claims[k];
    const Finding& finding = result.findings[k];
    rows.push_back(
        {claim.says, paper_text(claim, finding), our_text(claim, finding), verdict_text(finding), claim.why});
  }
  return {"table",
          {{"title", result.item.title},
           {"note", result.item.about},
           {"columns",
            {{{"label", "claim of the paper"}},
             {{"label", "its number"}},
             {{"label", "ours"}},
             {{"label", "verdict"}},
             {{"label", "reason"}}}},
           {"rows", rows}}};
}

/// The item's figures, under titles that say whose they are.
void add_figures(const ItemResult& result, const std::filesystem::path& target, Sections& sections) {
  for (const ItemRun& run : result.item.runs) {
    if (run.show.empty() || !result.results.contains(run.name)) continue;
    const std::string whose = result.item.runs.size() > 1 ? fmt::format("{}, {}", short_title(result.item), run.name)
                                                          : short_title(result.item);
    for (Section& figure :
         find_command(run.command).figures(run, run_folder(target, result.item, run), result.results.at(run.name))) {
      figure.document["title"] = fmt::format("{}: {}", whose, figure.document.at("title").get<std::string>());
      if (figure.document.contains("time")) figure.document["time"] = false;  // items have no common clock
      sections.push_back(std::move(figure));
    }
  }
}

}  // namespace

Sections paper_sections(const std::vector<ItemResult>& results, const Programs& programs,
                        const std::filesystem::path& target, bool quick) {
  Sections sections{summary(results, programs, quick), all_claims(results)};
  for (const ItemResult& result : results) {
    sections.push_back(item_claims(result));
    add_figures(result, target, sections);
  }
  return sections;
}

std::string paper_text(const std::vector<ItemResult>& results, const Programs& programs) {
  std::string text;
  std::size_t width = 18;
  for (const ItemResult& result : results)
    for (const Claim& claim : result.item.claims) width = std::max(width, claim.says.size());
  for (const ItemResult& result : results) {
    text += fmt::format("{} ({:.3g} s)\n  {:<{}} {:<26} {:<12} {}\n", result.item.title, result.seconds,
                        "claim of the paper", width, "its number", "ours", "verdict");
    for (std::size_t k = 0; k < result.findings.size(); ++k) {
      const Claim& claim = result.item.claims[k];
      const Finding& finding = result.findings[k];
      text += fmt::format("  {:<{}} {:<26} {:<12} {}\n", claim.says, width, paper_text(claim, finding),
                          our_text(claim, finding), verdict_text(finding));
    }
    text += "\n";
  }
  std::string counts;
  for (const auto& [verdict, count] : count_verdicts(results))
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, verdict);
  text += fmt::format("  {} items in {:.3g} s: {}\n", results.size(), seconds_of(results), counts);
  for (const auto& [name, version_text] : programs.version) text += fmt::format("  {:<22} {}\n", name, version_text);
  for (const auto& [name, reason] : programs.absence) text += fmt::format("  {:<22} left out: {}\n", name, reason);
  if (const std::string failed = failures(results); !failed.empty()) text += "  " + failed + "\n";
  return text;
}

}  // namespace pithball::experiments::paper
