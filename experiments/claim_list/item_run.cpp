#include "experiments/claim_list/item_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/base/print_message.hpp"
#include "app/report/sections.hpp"
#include "app/result/json_fields.hpp"
#include "app/run/compare_run.hpp"
#include "app/run/fit_run.hpp"
#include "app/run/scan_run.hpp"
#include "app/run/simulation_run.hpp"
#include "app/spec/experiment_file.hpp"
#include "experiments/paper/ddef_sections.hpp"
#include "experiments/paper/ddef_study.hpp"
#include "experiments/paper/jax_md_charge.hpp"
#include "sim/core/error.hpp"
#include "sim/core/parallel_for.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;
using Overrides = std::vector<std::string>;

constexpr double motion_size = 2;  // of one motion [MB]: a page of several shall still open at once

ExperimentDocument load(const ItemRun& run, const Overrides& overrides) {
  std::vector<Override> changes;
  for (const std::string& text : overrides) changes.push_back(parse_override(text));
  return load_document(run.file.string(), changes);
}

/// Of a run whose folder belongs to its item alone. What it is made from, the item remembers; what a killed program
/// left of it is made again.
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

/// The sections of a run folder's report that are wanted; a run that failed may lack some.
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
