#include <filesystem>
#include <stdexcept>

#include "app/run/comparison.hpp"
#include "fuzz/target.hpp"
#include "optim/search/journal.hpp"

/// A sound ledger with an answer of any bytes. `kind`: whose it is: "journal", "reference" or "run".
void pithball::fuzz::kept_answer(std::string_view bytes, const std::string& kind) {
  const std::string file = scratch_folder() + "/ledger.bin";
  const std::string question = kind == "journal" ? "" : kind == "run" ? "\n0" : "\nreference";
  std::filesystem::remove(file);
  optim::Ledger(file, "").add(question, std::string(bytes));
  try {
    if (kind == "journal") return void(optim::Journal(file, sim::Vector()).find(sim::Vector(), true));
    optim::Ledger ledger(file, "");
    app::KeptRuns kept(ledger, "");
    app::ComparedRun run;
    std::vector<app::Sample> samples;
    const auto make = [] { require(false, "what was kept is not made again"); };
    if (kind == "run") return kept.run(0, run, make);
    kept.reference(run, samples, make);
  } catch (const std::runtime_error&) {  // a record that is shorter than it says
  }
}
