#pragma once
#include <functional>
#include <string>
#include <vector>

#include "app/run/sampled_run.hpp"
#include "optim/search/ledger.hpp"

namespace pithball::app {

struct ComparedRun;

/// Completed runs of a comparison, of this program and of an earlier, interrupted one, stored on disk so that a
/// restarted comparison makes only the others.
class KeptRuns {
 public:
  /// Stored in the file of a ledger; `comparison` distinguishes several in one file.
  KeptRuns(optim::Ledger& ledger, std::string comparison) : ledger_(ledger), comparison_(std::move(comparison)) {}

  /// The reference with its samples: stored, or made by `make`.
  void reference(ComparedRun& run, std::vector<Sample>& samples, const std::function<void()>& make);
  /// Any other run, by its index.
  void run(std::size_t number, ComparedRun& run, const std::function<void()>& make);

 private:
  optim::Ledger& ledger_;
  std::string comparison_;
};

}  // namespace pithball::app
