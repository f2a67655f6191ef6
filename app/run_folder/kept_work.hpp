#pragma once
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/run_folder/run_folder.hpp"
#include "optim/search/ledger.hpp"

namespace pithball::app {

/// A run folder for work in many parts, each stored in a ledger when it is complete. A killed or interrupted program
/// leaves the ledger; a resumed one requests the same parts and finds the stored ones there.
class KeptWork {
 public:
  /// Creates or resumes the run folder, and writes run.yaml with `filled`. Throws InvalidArgument as RunFolder does.
  KeptWork(const RunOrder& order, const Tree& filled);

  /// Does the work. If it throws, completed parts are kept, except after InvalidArgument (the work is impossible).
  void make(const std::function<void(optim::Ledger& ledger)>& work);
  /// Writes the result files and gives the folder its final name.
  void finish(const std::vector<std::pair<std::string, nlohmann::ordered_json>>& results);

 private:
  RunFolder folder_;
};

}  // namespace pithball::app
