#pragma once
#include <string>
#include <vector>

#include "app/commands/command.hpp"
#include "experiments/claim/claim.hpp"

namespace pithball::experiments {

/// Ends a command: prints its result with the claims below it, as JSON under the key "claims", and returns the exit
/// status that they ask for.
int print_with_claims(const app::CommonOptions& options, nlohmann::ordered_json json, const std::string& text,
                      const std::vector<Claim>& claims);

/// `app::help_footer`, with the sentence on missed claims before all that is said besides.
std::string help_footer_on_claims(const std::string& examples, const std::string& more = {});

}  // namespace pithball::experiments
