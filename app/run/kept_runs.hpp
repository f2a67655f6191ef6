#pragma once
#include <functional>
#include <string>
#include <vector>

#include "app/run/sampled_run.hpp"
#include "optim/search/ledger.hpp"

namespace pithball::app {

struct ComparedRun;

/// The runs of comparisons that an earlier, interrupted program finished, and those that this one finishes; kept on
/// disk, so that a comparison that is started again makes only the others.
class KeptRuns {
 public:
  /// In the file of a ledger; `comparison` tells apart those that share one.
  KeptRuns(optim::Ledger& ledger, std::string comparison) : ledger_(ledger), comparison_(std::move(comparison)) {}

  /// The reference, with its samples: as kept, or as `make` makes it.
  void reference(ComparedRun& run, std::vector<Sample>& samples, const std::function<void()>& make);
  /// Any other run, by its number.
  void run(std::size_t number, ComparedRun& run, const std::function<void()>& make);

 private:
  optim::Ledger& ledger_;
  std::string comparison_;
};

}  // namespace pithball::app
