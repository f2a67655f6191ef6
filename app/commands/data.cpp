#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/base/interruption.hpp"
#include "app/commands/command.hpp"
#include "datasets/manifest/manifest.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

using datasets::DataSet;
using datasets::FileReport;
using datasets::FileStatus;
using datasets::Manifest;
using nlohmann::ordered_json;

/// Returns the local folder of a data set; empty if there is none.
std::string folder_of(const Manifest& manifest, const std::string& name) {
  try {
    return datasets::find_dataset(manifest, name);
  } catch (const InvalidArgument&) {
    return "";
  }
}

int list_sets(const CommonOptions& options) {
  const Manifest manifest = datasets::load_manifest();
  ordered_json json = ordered_json::array();
  std::string text;
  for (const DataSet& set : manifest.sets) {
    const std::string folder = folder_of(manifest, set.name);
    json.push_back({{"name", set.name},
                    {"title", set.title},
                    {"kind", set.kind},
                    {"license", set.license},
                    {"citation", set.citation},
                    {"units", set.units},
                    {"files", set.files.size()},
                    {"folder", folder.empty() ? ordered_json(nullptr) : ordered_json(folder)}});
    text += fmt::format("{}\n  {} ({})\n  license  {}\n  cite     {}\n  units    {}\n  here     {}\n", set.name,
                        set.title, set.kind, set.license, set.citation, set.units,
                        folder.empty() ? "no: pithball data get " + set.name : folder);
  }
  print_result(options, {{"data_sets", json}}, text);
  return Done;
}

int get_set(const std::string& name, const CommonOptions& options) {
  const Manifest manifest = datasets::load_manifest();
  const Interruption interruption(Interruption::unfinished_is_removed);
  datasets::FetchOptions fetching;
  fetching.stop = &Interruption::flag();
  const datasets::FetchReport report = datasets::fetch(manifest, name, fetching);
  ordered_json missing = ordered_json::array();
  std::string text = fmt::format("{}: {} {}\n", name, report.already_there ? "already in" : "fetched and verified into",
                                 report.folder);
  for (const FileReport& file : report.not_fetched) {
    missing.push_back({{"file", file.name}, {"origin", file.remedy}});
    text += fmt::format("  not fetched: {} ({})\n", file.name, file.remedy);
  }
  print_result(
      options,
      {{"name", name}, {"folder", report.folder}, {"already_there", report.already_there}, {"not_fetched", missing}},
      text);
  return Done;
}

const char* word(FileStatus status) {
  return status == FileStatus::Ok ? "ok" : status == FileStatus::Missing ? "missing" : "changed";
}

int verify_sets(std::vector<std::string> names, const CommonOptions& options) {
  const Manifest manifest = datasets::load_manifest();
  if (names.empty())
    for (const DataSet& set : manifest.sets)
      if (!folder_of(manifest, set.name).empty()) names.push_back(set.name);
  bool passed = true;
  ordered_json json = ordered_json::array();
  std::string text;
  for (const std::string& name : names) {
    const DataSet& set = manifest.at(name);
    const std::string folder = datasets::find_dataset(manifest, name);
    ordered_json bad = ordered_json::array();
    std::string lines;
    for (const FileReport& file : datasets::verify(set, folder)) {
      if (file.status == FileStatus::Ok) continue;
      bad.push_back({{"file", file.name}, {"status", word(file.status)}, {"remedy", file.remedy}});
      lines += fmt::format("  {:<8} {}{}\n", word(file.status), file.name,
                           file.remedy.empty() ? "" : " (" + file.remedy + ")");
    }
    passed = passed && bad.empty();
    text += fmt::format("{}: {} of {} files verified, in {}\n{}", name, set.files.size() - bad.size(), set.files.size(),
                        folder, lines);
    json.push_back({{"name", name}, {"folder", folder}, {"files", set.files.size()}, {"problems", bad}});
  }
  if (names.empty()) text = "no data set is installed on this machine; `pithball data list` lists them\n";
  print_result(options, {{"passed", passed}, {"data_sets", json}}, text);
  return passed ? Done : NumbersFailed;
}

}  // namespace

Action declare_data(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto name = std::make_shared<std::string>();
  auto names = std::make_shared<std::vector<std::string>>();
  parser.require_subcommand(1);
  CLI::App* list = parser.add_subcommand("list", "list the data sets, their licenses and their folders");
  CLI::App* get =
      parser.add_subcommand("get", "download a data set to the user's data folder and verify its checksums");
  CLI::App* verify = parser.add_subcommand("verify", "verify the checksums of installed data sets");
  CLI::App* show =
      parser.add_subcommand("show", "read a recording and print its contents: frames, markers, missing samples");
  const Action show_file = declare_data_show(*show);
  list->footer(help_footer("  pithball data list\n  pithball data list --json"));
  get->footer(
      help_footer("  pithball data get meshes\n  XDG_DATA_HOME=/scratch pithball data get meshes",
                  "Data sets are stored in $XDG_DATA_HOME/pithball (by default ~/.local/share/pithball). If the "
                  "download\nfails or is stopped, nothing is left of it."));
  verify->footer(help_footer(
      "  pithball data verify\n  pithball data verify meshes\n  PITHBALL_DATA=~/data pithball data verify"));
  get->add_option("NAME", *name, "The data set")->required();
  verify->add_option("NAME", *names, "The data sets (default: all installed ones)");
  for (CLI::App* sub : {list, get, verify}) add_printing(*sub, *options);
  parser.footer(help_footer(
      "  pithball data list\n  pithball data get meshes\n  pithball data show walk.c3d\n  "
      "PITHBALL_DATA=~/data pithball data verify",
      "Data sets are searched in the folder given by PITHBALL_DATA, then among the recordings installed with\n"
      "the program, then in $XDG_DATA_HOME/pithball (by default ~/.local/share/pithball), where `get` stores them."));
  return [=] {
    if (list->parsed()) return list_sets(*options);
    if (show->parsed()) return show_file();
    if (get->parsed()) return get_set(*name, *options);
    return verify_sets(*names, *options);
  };
}

}  // namespace pithball::app
