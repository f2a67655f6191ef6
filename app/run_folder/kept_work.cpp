#include "app/run_folder/kept_work.hpp"

#include <nlohmann/json.hpp>

#include "app/base/interruption.hpp"
#include "app/base/json_text.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

constexpr const char* ledger_name = "ledger.bin";

}  // namespace

KeptWork::KeptWork(const RunOrder& order, const Tree& filled)
    : folder_(order.target, make_input_record(filled, order.provenance), order.earlier) {
  folder_.write_experiment(filled, order.provenance);
}

void KeptWork::make(const std::function<void(optim::Ledger& ledger)>& work) {
  try {
    optim::Ledger ledger(folder_.file(ledger_name).string(), "");
    if (!end_unless_interrupted([&] { work(ledger); })) require_no_interruption();
  } catch (const InvalidArgument&) {
    if (!folder_.resumed()) folder_.abandon();
    throw;
  }
}

void KeptWork::finish(const std::vector<std::pair<std::string, nlohmann::ordered_json>>& results) {
  for (const auto& [name, json] : results) folder_.write_text(name, json_text(json) + "\n");
  folder_.finish();
  folder_.remove(ledger_name);  // last: until the work has its name, a killed program takes it up from here
}

}  // namespace pithball::app
