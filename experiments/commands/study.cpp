#include <fmt/format.h>

#include <memory>

#include "datasets/manifest.hpp"
#include "experiments/captured/charged_drops/study.hpp"
#include "experiments/captured/trunk_decay/study.hpp"
#include "experiments/commands/command.hpp"
#include "experiments/paper/estimation.hpp"
#include "sim/core/error.hpp"

namespace pithball::experiments {
namespace {

/// A piece of research that is more than one fit.
struct Study {
  const char* name;
  const char* data_set;  ///< the recordings that it needs; empty: none
  nlohmann::json (*run)(const std::string& folder, bool quick, void (*progress)(const std::string&));
  std::string (*to_text)(const nlohmann::json&);
};

const std::vector<Study>& studies() {
  static const std::vector<Study> list{
      {"charged_drops", "charged_drops", charged_drops::run_study, charged_drops::to_text},
      {"trunk_decay", "trunk_decay", trunk_decay::run_study, trunk_decay::to_text},
      {"paper_estimation", "", paper::run_estimation, paper::estimation_to_text},
  };
  return list;
}

void say(const std::string& what) { fmt::print(stderr, "{}\n", what); }
void say_nothing(const std::string&) {}

int run(const std::string& name, bool quick, const CommonOptions& options) {
  std::string known;
  for (const Study& study : studies()) {
    if (study.name == name) {
      use_threads(options);
      const std::string set = study.data_set;
      const std::string folder = set.empty() ? "" : datasets::find_dataset(datasets::load_manifest(), set);
      const nlohmann::json result = study.run(folder, quick, options.quiet ? say_nothing : say);
      print_result(options, nlohmann::ordered_json::parse(result.dump()), study.to_text(result));
      return Done;
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
    CommonOptions options;
  };
  auto a = std::make_shared<Arguments>();
  std::string names;
  for (const Study& study : studies()) names += (names.empty() ? "" : ", ") + std::string(study.name);
  parser.add_option("NAME", a->name, "which study: " + names)->required();
  parser.add_flag("--quick", a->quick, "only the main fit and what its claims need");
  add_threads(parser, a->options);
  add_printing(parser, a->options);
  parser.footer(
      help_footer("  pithball study charged_drops          charges beside the published ones, seconds\n"
                  "  pithball study trunk_decay            all fits and judgements, about a minute\n"
                  "  pithball study paper_estimation       the estimations of Zhang et al. (2024)\n"));
  return [a] { return run(a->name, a->quick, a->options); };
}

}  // namespace pithball::experiments
