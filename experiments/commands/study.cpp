#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>

#include "app/yaml/nearest.hpp"
#include "datasets/manifest/manifest.hpp"
#include "experiments/captured/captured_case.hpp"
#include "experiments/claim/claim.hpp"
#include "experiments/commands/lab_commands.hpp"
#include "experiments/commands/made_list.hpp"
#include "experiments/paper/ddef_study.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

struct StudyArguments {
  std::string name;
  bool quick = false;
  CommonOptions options;
};

/// A study in C++ that consists of more than one fit.
struct Study {
  const char* name;
  const char* data_set;  ///< the recordings that it needs; empty if none
  nlohmann::json (*run)(const std::string& folder, bool quick, void (*progress)(const std::string&));
  std::string (*to_text)(const nlohmann::json&);
  std::vector<Claim> (*to_claims)(const nlohmann::json&);
  std::string (*to_csv)(const nlohmann::json&) = nullptr;  ///< writes its rows as CSV for `--out`; null if it has none
};

const std::vector<Study>& studies() {
  static const std::vector<Study> list = [] {
    std::vector<Study> all;
    for (const CapturedCase& c : captured_cases()) all.push_back({c.name, c.name, c.run, c.to_text, c.to_claims});
    all.push_back(
        {"ddef", "", paper::run_ddef_study, paper::ddef_study_to_text, paper::ddef_claims, paper::ddef_study_to_csv});
    return all;
  }();
  return list;
}

void write(const std::string& file, const std::string& text) {
  std::ofstream out(file);
  out << text;
  out.close();
  if (!out) throw InvalidArgument({"", "--out", "must be a file that can be written", file, "check the folder"});
}

int run_study(const Study& study, const StudyArguments& arguments) {
  const CommonOptions& options = arguments.options;
  const std::string& csv_file = options.out;
  if (!csv_file.empty() && !study.to_csv)
    throw InvalidArgument(
        {"", "--out", "is for cases that are files, and ddef", "the study " + arguments.name, "use --json"});
  if (!csv_file.empty()) write(csv_file, "");  // detects a missing folder before the study runs
  use_threads(options);
  const std::string set = study.data_set;
  const std::string folder = set.empty() ? "" : datasets::find_dataset(datasets::load_manifest(), set);
  const nlohmann::json result = study.run(folder, arguments.quick, progress_lines(options));
  if (!csv_file.empty()) write(csv_file, study.to_csv(result));
  return print_with_claims(options, nlohmann::ordered_json::parse(result.dump()), study.to_text(result),
                           study.to_claims(result));
}

int run_case(const CaseFolder& found, const StudyArguments& arguments) {
  const CommonOptions& options = arguments.options;
  if (const std::string absent = reason_to_leave_out(found.item, arguments.quick); !absent.empty())
    throw InvalidArgument({"", "study", "needs recordings that are installed", found.name + ", whose are not", absent});
  const MadeList made = make_list({found.item}, {found.item.title, found.item.about, "study", arguments.quick},
                                  run_target(options, found.name), options);
  nlohmann::ordered_json json = made.json.at("items").at(0);
  for (const char* key : {"quick", "folder", "report"}) json[key] = made.json.at(key);
  print_result(
      options, json,
      list_text(made.results, made.programs) + fmt::format("  report                 {}\n", made.report.string()));
  return made.json["ok"] == true ? Done : NumbersFailed;
}

int run(const StudyArguments& arguments) {
  for (const Study& study : studies())
    if (study.name == arguments.name) return run_study(study, arguments);
  return run_case(read_case_folder(arguments.name), arguments);
}

}  // namespace

Action declare_study(CLI::App& parser) {
  auto a = std::make_shared<StudyArguments>();
  parser
      .add_option("NAME", a->name,
                  "Study to run: a case (a folder of experiments/captured, or another one with a claims.yaml), or ddef")
      ->required();
  parser.add_flag("--quick", a->quick, "Make only the main fit and what its claims require, or the smaller cases");
  add_list_folder(parser, a->options, "runs/NAME; of ddef: none, a file FILE.csv for its rows");
  add_threads(parser, a->options);
  add_printing(parser, a->options);
  parser.footer(help_footer_on_claims(
      "  pithball-lab study charged_drops          charges compared with the published ones, seconds\n"
      "  pithball-lab study trunk_decay            all fits, checks and a prediction, some minutes\n"
      "  pithball-lab study ion_trap_pair          charges of two grains trapped side by side, seconds\n"
      "  pithball-lab study pendulum_encoder       effective length and friction of a pendulum, a minute\n"
      "  pithball-lab study eulers_pendulum        period against amplitude of a hanging magnet, seconds\n"
      "  pithball-lab study double_pendulum_ibm    mass ratio and scale of a chaotic motion, a minute\n"
      "  pithball-lab study millikan_films         charges of oil drops in five films, minutes\n"
      "  pithball-lab study tshirt_obj_sequence    wind and stiffness of another program's T-shirt, two minutes\n"
      "  pithball-lab study my_drops --out drops   a copy of such a folder with other recordings\n"
      "  pithball-lab study ddef --out ddef.csv    errors and times of the paper's grid for Coulomb forces\n"));
  return [a] { return run(*a); };
}

}  // namespace pithball::experiments
