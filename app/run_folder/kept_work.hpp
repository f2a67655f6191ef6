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

/// A run folder for work of many parts, each of which is kept in a ledger as it is finished. A program that is killed
/// or interrupted leaves the ledger; when it is resumed the parts are asked for again and those that are kept are
/// there.
class KeptWork {
 public:
  KeptWork(const RunOrder& order, const Tree& filled);

  /// Does the work. Where it throws, what was finished is kept; nothing is if it was found impossible
  /// (InvalidArgument).
  void make(const std::function<void(optim::Ledger& ledger)>& work);
  /// Writes the results, each a file, and gives the folder its name.
  void finish(const std::vector<std::pair<std::string, nlohmann::ordered_json>>& results);

 private:
  RunFolder folder_;
};

}  // namespace pithball::app
