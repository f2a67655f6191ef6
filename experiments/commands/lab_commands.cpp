#include "experiments/commands/lab_commands.hpp"

#include "experiments/claim/claim.hpp"
#include "experiments/claim/claim_report.hpp"

namespace pithball::experiments {

const std::vector<app::Command>& lab_commands() {
  static const char *const recordings = "Real recordings", *const claims = "Claims", *const times = "Times",
                           *const shell = "Shell";
  static const std::vector<app::Command> all{
      {recordings, "study", "studies of real recordings that consist of several fits", declare_study},
      {recordings, "cases", "all studies of installed real recordings, in one table", declare_cases},
      {claims, "demos", "example simulations with checks against known results", declare_demos},
      {claims, "paper", "reproduce the figures and tables of the paper, with a check of each claim, as one page",
       declare_paper},
      {times, "bench", "measure the run time of steps, gradients, fits, Coulomb methods and neighbor searches",
       declare_bench},
      {shell, "completion", "print a script that lets the shell complete commands and options",
       app::declare_completion},
  };
  return all;
}

int print_with_claims(const app::CommonOptions& options, nlohmann::ordered_json json, const std::string& text,
                      const std::vector<Claim>& claims) {
  json["claims"] = rows_of_claims(claims);
  const std::string table = table_of_claims({{"", claims}});
  app::print_result(options, json, table.empty() ? text : text + "\n" + table);
  return exit_status(claims);
}

std::string help_footer_on_claims(const std::string& examples, const std::string& more) {
  return app::help_footer(examples, missed_claim_help + (more.empty() ? std::string() : "\n" + more));
}

}  // namespace pithball::experiments
