#include <fstream>
#include <memory>

#include "datasets/manifest/manifest.hpp"
#include "experiments/captured/captured_case.hpp"
#include "experiments/commands/claims_result.hpp"
#include "experiments/commands/lab_commands.hpp"
#include "experiments/paper/ddef_claims.hpp"
#include "experiments/paper/ddef_study.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

/// A piece of research that is more than one fit.
struct Study {
  const char* name;
  const char* data_set;  ///< the recordings that it needs; empty: none
  nlohmann::json (*run)(const std::string& folder, bool quick, void (*progress)(const std::string&));
  std::string (*to_text)(const nlohmann::json&);
  std::vector<Claim> (*to_claims)(const nlohmann::json&);
  std::string (*to_csv)(const nlohmann::json&) = nullptr;  ///< its rows for other programs, for `--out`; null: none
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

int run(const std::string& name, bool quick, const std::string& csv_file, const CommonOptions& options) {
  std::string known;
  for (const Study& study : studies()) {
    if (study.name == name) {
      if (!csv_file.empty() && !study.to_csv)
        throw InvalidArgument({"", "--out", "is for studies with rows: ddef", "the study " + name, "use --json"});
      if (!csv_file.empty()) write(csv_file, "");  // a folder that is missing shall not cost the whole study
      use_threads(options);
      const std::string set = study.data_set;
      const std::string folder = set.empty() ? "" : datasets::find_dataset(datasets::load_manifest(), set);
      const nlohmann::json result = study.run(folder, quick, progress_lines(options));
      if (!csv_file.empty()) write(csv_file, study.to_csv(result));
      return print_with_claims(options, nlohmann::ordered_json::parse(result.dump()), study.to_text(result),
                               study.to_claims(result));
    }
    known += (known.empty() ? "" : ", ") + std::string(study.name);
  }
  throw InvalidArgument({"", "study", "must be one of " + known, name, ""});
}

}  // namespace

Action declare_study(CLI::App& parser) {
  struct Arguments {
    std::string name;
    bool quick = false;
    std::string csv_file;
    CommonOptions options;
  };
  auto a = std::make_shared<Arguments>();
  std::string names;
  for (const Study& study : studies()) names += (names.empty() ? "" : ", ") + std::string(study.name);
  parser.add_option("NAME", a->name, "Study to run: " + names)->required();
  parser.add_flag("--quick", a->quick, "Make only the main fit and what its claims require, or the smaller cases");
  parser.add_option("--out", a->csv_file, "Write the rows of the study (ddef) into this file as CSV")
      ->type_name("FILE.csv");
  add_threads(parser, a->options);
  add_printing(parser, a->options);
  parser.footer(help_footer_on_claims(
      "  pithball-lab study charged_drops          charges compared with the published ones, seconds\n"
      "  pithball-lab study trunk_decay            all fits, checks and a prediction, some minutes\n"
      "  pithball-lab study ion_trap_pair          charges of two grains trapped side by side, seconds\n"
      "  pithball-lab study pendulum_encoder       effective length and friction of a pendulum, seconds\n"
      "  pithball-lab study double_pendulum_ibm    mass ratio and scale of a chaotic motion, a minute\n"
      "  pithball-lab study tshirt_obj_sequence    wind and stiffness of another program's T-shirt, two minutes\n"
      "  pithball-lab study ddef --out ddef.csv    errors and times of the paper's grid for Coulomb forces\n"));
  return [a] { return run(a->name, a->quick, a->csv_file, a->options); };
}

}  // namespace pithball::experiments
