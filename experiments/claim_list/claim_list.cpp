#include "experiments/claim_list/claim_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/backend/backend_choice.hpp"
#include "app/base/print_message.hpp"
#include "app/experiment/experiment_file.hpp"
#include "app/report/sections.hpp"
#include "app/result/json_fields.hpp"
#include "app/run/compare_run.hpp"
#include "app/run/fit_run.hpp"
#include "app/run/simulation_run.hpp"
#include "app/yaml/nearest.hpp"
#include "app/yaml/reading.hpp"
#include "app/yaml/yaml_settings.hpp"
#include "datasets/manifest/manifest.hpp"
#include "experiments/claim_list/listed_number.hpp"
#include "experiments/paper/ddef_study.hpp"
#include "experiments/paper/jax_md_charge.hpp"
#include "sim/core/error.hpp"
#include "sim/core/parallel_for.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

namespace fs = std::filesystem;

/// Reads a name that also serves as a folder name.
std::string read_name(Node& node) {
  const std::string name = node.text("name", "");
  const char* letters = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (name.empty() || name.find_first_not_of(letters) != std::string::npos)
    node.reject("name", "must be small letters, digits and _", "'" + name + "'", "write figure_04");
  return name;
}

ItemRun read_run(Node node, const std::vector<std::string>& item_needs) {
  ItemRun run;
  run.name = read_name(node);
  run.command = read_only_one(node, names_of_verbs());
  run.file = node.text(run.command, "");
  if (find_verb(run.command).reads_file) {
    run.file = node.folder(run.command) / run.file;
    if (!fs::is_regular_file(run.file))
      node.reject(run.command, "must name an experiment file", "'" + run.file.string() + "', which is not there", "");
  }
  run.whole_only = node.flag("whole_only", "", false);
  for (auto& [key, texts] :
       {std::pair{"set", &run.set}, {"quick", &run.quick}, {"show", &run.show}, {"needs", &run.needs}})
    if (node.is_written(key)) *texts = node.texts(key, "");
  run.needs.insert(run.needs.end(), item_needs.begin(), item_needs.end());
  for (const std::string& name : run.needs) {
    const auto same = [&](const auto& known) { return known.name == name; };
    if (!names_backend(name) && std::ranges::none_of(datasets::load_manifest().sets, same))
      node.reject("needs", "must name backends or data sets", "'" + name + "'", "");
  }
  return run;
}

/// Reads the tolerance of `about`: a fraction of the number, an amount, or a multiple of our own error.
void read_tolerance(Node& node, double number, ListedClaim& listed) {
  const std::string key = read_only_one(node, {"within", "tolerance", "within_errors"});
  const std::string unit = key == "tolerance" ? listed.claim.unit : "";
  const double written = node.number(key, unit, "", {}, sim::ValueSign::Positive);
  if (key == "within_errors" && listed.error.empty())
    node.reject(key, "requires the key error", "none", "write `error: PATH`");
  (key == "within_errors" ? listed.within_errors : listed.claim.tolerance) =
      key == "within" ? written * std::abs(number) : written;
}

/// Reads how the claim's number is compared, and the value to compare it with.
void read_comparison(Node& node, const NumberScope& scope, ListedClaim& listed) {
  Claim& claim = listed.claim;
  const std::string key = read_only_one(node, {"at_most", "at_least", "about", "is", "beats", "not_stated"});
  if (key == "is") {
    claim.kind = ClaimKind::Word;
    claim.expected = node.text(key, "");
  } else if (key == "beats") {
    claim.kind = ClaimKind::BetterThan;
    claim.rival = node.text("rival", "");
    listed.rival = read_listed_number(node, key, scope);
  } else if (key == "not_stated") {
    if (!node.flag(key, "")) node.reject(key, "must be true", "false", "omit it and state the number");
  } else {
    const double number = node.number(key, claim.unit, "");
    claim.kind = key == "at_most" ? ClaimKind::AtMost : key == "at_least" ? ClaimKind::AtLeast : ClaimKind::Within;
    claim.expected = number;
    if (key == "about") read_tolerance(node, number, listed);
  }
}

ListedClaim read_claim(Node node, const NumberScope& scope) {
  ListedClaim listed;
  listed.claim.what = node.text("says", "");
  listed.claim.unit = node.text("unit", "", "");
  listed.find = read_listed_number(node, "find", scope);
  if (node.is_written("over")) listed.over = read_listed_number(node, "over", scope);
  if (node.is_written("error")) listed.error = read_listed_number(node, "error", scope);
  read_comparison(node, scope, listed);
  const std::string reason = read_only_one(node, {"why", "differs"});
  (reason == "why" ? listed.claim.why : listed.claim.differs) = node.text(reason, "");
  if (reason == "differs" && listed.claim.kind == ClaimKind::NotStated)
    node.reject("differs", "must be given together with a stated number or word", "not_stated", "write why");
  listed.whole_only = node.flag("whole_only", "", false);
  return listed;
}

ItemTable read_table(Node node, const NumberScope& scope) {
  ItemTable table{node.text("title", ""), {}};
  Node columns = node.child("columns", "", true);
  for (const auto& [label, column] : columns.entries("LABEL"))
    table.columns.emplace_back(label, read_item_value(columns, label, scope));
  return table;
}

/// Rejects a name that is already in use.
template <class Things>
void require_new_name(Node& node, const Things& earlier, const std::string& name) {
  const auto same = [&](const auto& other) { return other.name == name; };
  if (std::ranges::any_of(earlier, same))
    node.reject("name", "must differ from the others", "'" + name + "' again", "");
}

Item read_item(Node node) {
  Item item;
  item.name = read_name(node);
  item.title = node.text("title", "");
  item.about = node.text("about", "");
  const std::vector<std::string> needs =
      node.is_written("needs") ? node.texts("needs", "") : std::vector<std::string>{};
  NumberScope scope;
  for (Node& run : node.items("runs", "", true)) {
    ItemRun read = read_run(run, needs);
    require_new_name(run, item.runs, read.name);
    scope.runs.push_back(read.name);
    item.runs.push_back(std::move(read));
  }
  read_item_values(node, scope);
  for (Node& claim : node.items("claims", "", true)) item.claims.push_back(read_claim(claim, scope));
  for (Node& table : node.items("tables", "")) item.tables.push_back(read_table(table, scope));
  item.values = std::move(scope.values);
  return item;
}

}  // namespace

bool names_backend(const std::string& name) {
  return std::ranges::any_of(backends(), [&](const BackendInfo& backend) { return backend.name == name; });
}

ClaimList read_claim_list(const fs::path& file) {
  Reading reading(parse_yaml_file(file.string()), fs::absolute(file).parent_path());
  Node root = reading.root();
  ClaimList list{root.text("title", "", "Claims"), root.text("about", "", ""), {}};
  for (Node& node : root.items("items", "", true)) {
    Item item = read_item(node);
    require_new_name(node, list.items, item.name);
    list.items.push_back(std::move(item));
  }
  reading.reject_unknown_keys();
  return list;
}

std::vector<Item> chosen_items(const std::vector<Item>& all, const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const Item& item : all) known.push_back(item.name);
  for (const std::string& name : names)
    if (std::ranges::find(known, name) == known.end())
      throw InvalidArgument({"", "ITEM", "must be one of " + joined(known), "'" + name + "'",
                             suggestion(name, known, "choose one of these")});
  std::vector<Item> chosen;
  for (const Item& item : all)
    if (names.empty() || std::ranges::find(names, item.name) != names.end()) chosen.push_back(item);
  return chosen;
}

namespace {

using nlohmann::ordered_json;
using Overrides = std::vector<std::string>;

constexpr double motion_size = 2;  // limit for each motion [MB], so that a page with several still opens quickly

ExperimentDocument load(const ItemRun& run, const Overrides& overrides) {
  std::vector<Override> changes;
  for (const std::string& text : overrides) changes.push_back(parse_override(text));
  return load_document(run.file.string(), changes);
}

/// Returns the order of a run in a folder that belongs to its item alone. The item records the inputs; what a killed
/// program left in the folder is overwritten.
RunOrder order_of(const ItemRun& run, const Overrides& overrides, const fs::path& target, bool progress) {
  return {target,
          {run.command, run.file.lexically_normal().string(), overrides, sim::max_threads()},
          {.resume = false, .overwrite = true},
          progress};
}

PreparedRun prepare_simulate(const ItemRun& run, const Overrides& overrides, bool) {
  const auto experiment = std::make_shared<Experiment>(read_experiment(load(run, overrides)));
  return {to_yaml(experiment->filled), [=](const fs::path& target, bool progress) {
            const RunResult result = run_simulation(*experiment, order_of(run, overrides, target, progress));
            return to_json(result.summary, result.outcome);
          }};
}

PreparedRun prepare_fit(const ItemRun& run, const Overrides& overrides, bool) {
  const auto spec = std::make_shared<FitSpec>(read_fit(load(run, overrides)));
  return {to_yaml(spec->filled), [=](const fs::path& target, bool progress) {
            return to_json(run_fit(*spec, {order_of(run, overrides, target, progress)}).record);
          }};
}

PreparedRun prepare_compare(const ItemRun& run, const Overrides& overrides, bool) {
  const auto spec = std::make_shared<CompareSpec>(read_compare(load(run, overrides)));
  return {to_yaml(spec->filled), [=](const fs::path& target, bool progress) {
            return to_json(run_comparison(*spec, order_of(run, overrides, target, progress)).record);
          }};
}

PreparedRun prepare_scan(const ItemRun& run, const Overrides& overrides, bool) {
  const auto spec = std::make_shared<ScanSpec>(read_scan(load(run, overrides)));
  return {to_yaml(spec->filled), [=](const fs::path& target, bool progress) {
            return to_json(run_scan(*spec, order_of(run, overrides, target, progress)).record);
          }};
}

PreparedRun prepare_jax_md_charge(const ItemRun& run, const Overrides& overrides, bool) {
  const auto spec = std::make_shared<FitSpec>(read_fit(load(run, overrides)));
  paper::require_charge_of_final_positions(*spec);
  return {to_yaml(spec->filled), [=](const fs::path&, bool) { return paper::estimate_charge_by_jax_md(*spec); }};
}

void say_nothing(const std::string&) {}
void say(const std::string& what) { app::print_message("  {}\n", what); }

PreparedRun prepare_study(const ItemRun& run, const Overrides& overrides, bool quick) {
  if (run.file != "ddef") throw InvalidArgument({run.name, "study", "must be ddef", "'" + run.file.string() + "'", ""});
  if (!overrides.empty())
    throw InvalidArgument({run.name, "set", "must be omitted: a study has no file to change", overrides[0], ""});
  return {fmt::format("study ddef, quick: {}", quick), [=](const fs::path&, bool progress) {
            return ordered_json::parse(paper::run_ddef_study("", quick, progress ? say : say_nothing).dump());
          }};
}

/// Returns the requested sections of the report of a run folder; if the run failed, some may be missing.
Sections report_figures(const ItemRun& run, const fs::path& folder, const ordered_json&) {
  const Sections all = make_sections(app::read_run(folder), {.motion_size = motion_size});
  Sections figures;
  for (const std::string& title : run.show)
    for (const Section& section : all)
      if (section.title() == title) figures.push_back(section);
  return figures;
}

Sections jax_md_charge_figures(const ItemRun&, const fs::path&, const ordered_json& result) {
  return paper::jax_md_charge_sections(result);
}

Sections study_figures(const ItemRun& run, const fs::path&, const ordered_json& result) {
  Sections figures;
  for (const Section& section : paper::ddef_sections(result))
    if (std::ranges::find(run.show, section.title()) != run.show.end()) figures.push_back(section);
  return figures;
}

}  // namespace

const std::vector<RunVerb>& run_verbs() {
  static const std::vector<RunVerb> all{
      {"simulate", true, prepare_simulate, report_figures},
      {"fit", true, prepare_fit, report_figures},
      {"compare", true, prepare_compare, report_figures},
      {"scan", true, prepare_scan, report_figures},
      {"jax_md_charge", true, prepare_jax_md_charge, jax_md_charge_figures},
      {"study", false, prepare_study, study_figures},
  };
  return all;
}

std::vector<std::string> names_of_verbs() {
  std::vector<std::string> names;
  for (const RunVerb& command : run_verbs()) names.emplace_back(command.name);
  return names;
}

const RunVerb& find_verb(const std::string& name) {
  return *std::ranges::find_if(run_verbs(), [&](const RunVerb& command) { return command.name == name; });
}

PreparedRun prepare(const ItemRun& run, bool quick) {
  Overrides overrides = run.set;
  if (quick) overrides.insert(overrides.end(), run.quick.begin(), run.quick.end());
  return find_verb(run.command).prepare(run, overrides, quick);
}

}  // namespace pithball::experiments
