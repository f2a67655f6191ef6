#include "experiments/commands/claims_result.hpp"

#include "experiments/claim/claim_json.hpp"
#include "experiments/claim/claim_text.hpp"
#include "experiments/claim/exit_status.hpp"

namespace pithball::experiments {

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
