#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/base/json_text.hpp"
#include "app/base/progress.hpp"
#include "experiments/bench/diagnosis_bench.hpp"
#include "experiments/commands/lab_commands.hpp"

namespace pithball::experiments {

using namespace app;

namespace {

using nlohmann::ordered_json;

struct DiagnosisBenchOptions {
  std::vector<std::string> faults;
  int recordings = 20;
  std::uint64_t seed = 1;
};

ordered_json diagnosis_json(const MadeFault& fault, const DiagnosisFigures& figures) {
  return {{"fault", fault.name},        {"recordings", figures.recordings},   {"right_first", figures.right_first},
          {"alarmed", figures.alarmed}, {"force_first", figures.force_first}, {"runs", figures.runs},
          {"wrong", figures.wrong}};
}

int bench_diagnosis(const DiagnosisBenchOptions& wanted, const CommonOptions& options) {
  const int threads = use_threads(options);
  ordered_json json{{"bench", "diagnosis"}, {"threads", threads}, {"rows", ordered_json::array()}};
  std::string text = fmt::format("  {:<18} {:>10} {:>12} {:>12} {:>8} {:>6}\n", "fault", "recordings", "right first",
                                 "force first", "alarmed", "runs");
  std::vector<Claim> claims;
  Progress bar("bench diagnosis", 1, !options.quiet);
  bar.update(0);
  std::vector<MadeFault> faults;
  for (const MadeFault& fault : made_faults())
    if (wanted.faults.empty() || std::ranges::find(wanted.faults, fault.name) != wanted.faults.end())
      faults.push_back(fault);
  for (const MadeFault& fault : faults) {
    const double before = json["rows"].size();
    const DiagnosisFigures figures = measure_diagnosis(
        fault, wanted.recordings, wanted.seed, [&](double share) { bar.update((before + share) / faults.size()); });
    for (Claim& claim : diagnosis_claims(fault, figures)) claims.push_back(std::move(claim));
    json["rows"].push_back(diagnosis_json(fault, figures));
    text += fmt::format("  {:<18} {:>10} {:>12} {:>12} {:>8} {:>6.0f}\n", fault.name, figures.recordings,
                        figures.right_first, figures.force_first, figures.alarmed, figures.runs);
    for (const std::string& one : figures.wrong) text += "      " + one + "\n";
  }
  return print_with_claims(options, json, text, claims);
}

}  // namespace

Action declare_diagnosis_bench(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<DiagnosisBenchOptions>();
  std::vector<std::string> names;
  for (const MadeFault& fault : made_faults()) names.push_back(fault.name);
  parser.add_option("--faults", wanted->faults, "Faults to make (default: all, and none)")
      ->type_name("NAME")
      ->check(CLI::IsMember(names));
  parser.add_option("--recordings", wanted->recordings, "Number of simulated recordings per fault (default 20)")
      ->type_name("N")
      ->check(CLI::Range(1, 100000));
  parser.add_option("--seed", wanted->seed, "Seed of faults and noise (default 1)")
      ->type_name("N")
      ->check(whole_number());
  add_threads(parser, *options);
  add_printing(parser, *options);
  parser.footer(help_footer_on_claims(
      "  pithball-lab bench diagnosis\n  pithball-lab bench diagnosis --faults none --recordings 200",
      "Simulates a chain, a net and a torus with one fault each, that the model fitted to their recordings does not "
      "have, "
      "and\n"
      "counts the diagnoses in which it stands first; and, for the complete model, those with an alarm."));
  return [=] { return bench_diagnosis(*wanted, *options); };
}

}  // namespace pithball::experiments
