#pragma once
#include <string>
#include <vector>

#include "app/commands/command.hpp"
#include "experiments/claim/claim.hpp"

namespace pithball::experiments {

/// The commands for studies, the paper, demonstrations and benchmarks, in the order of the help page.
const std::vector<app::Command>& lab_commands();

app::Action declare_bench(CLI::App& parser);
app::Action declare_coulomb_bench(CLI::App& parser);        // of `bench`
app::Action declare_cloth_bench(CLI::App& parser);          // of `bench`
app::Action declare_fit_bench(CLI::App& parser);            // of `bench`
app::Action declare_recovery_bench(CLI::App& parser);       // of `bench`
app::Action declare_net_bench(CLI::App& parser);            // of `bench`
app::Action declare_diagnosis_bench(CLI::App& parser);      // of `bench`
app::Action declare_coverage_bench(CLI::App& parser);       // of `bench`
app::Action declare_neighbor_bench(CLI::App& parser);       // of `bench`
app::Action declare_lennard_jones_bench(CLI::App& parser);  // of `bench`
app::Action declare_peers_bench(CLI::App& parser);          // of `bench`
app::Action declare_film_bench(CLI::App& parser);           // of `bench`
app::Action declare_study(CLI::App& parser);
app::Action declare_cases(CLI::App& parser);
app::Action declare_demos(CLI::App& parser);
app::Action declare_paper(CLI::App& parser);

/// Ends a command: prints its result with the claims below it, as JSON under the key "claims", and returns the exit
/// status that they ask for.
int print_with_claims(const app::CommonOptions& options, nlohmann::ordered_json json, const std::string& text,
                      const std::vector<Claim>& claims);

/// `app::help_footer`, with the sentence on missed claims before all that is said besides.
std::string help_footer_on_claims(const std::string& examples, const std::string& more = {});

}  // namespace pithball::experiments
