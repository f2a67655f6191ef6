#pragma once
#include <string>

#include "experiments/claim/claim.hpp"

namespace pithball::experiments {

/// What becomes of a claim.
enum class Verdict {
  Holds,
  Better,              ///< of BetterThan: clearly less than the rival has
  Missed,              ///< it is not borne out, or what it needs was not measured
  DiffersAsExplained,  ///< it is not borne out, as was known and said why
  HoldsAfterAll,       ///< it is borne out, though it was said that it differs: the explanation is out of date
  NotStated,
  Skipped,
};

/// "holds", "better", "missed", "differs, as explained", "holds after all", "not stated", "skipped".
const char* to_string(Verdict verdict);

struct Judgment {
  Verdict verdict = Verdict::Missed;
  std::string remark = {};  ///< "15 times less"; why something was skipped or is missing
};

/// Judges a claim. Where the number, or what it is held against, is not there, the claim is missed: a known difference
/// explains a number, not its absence. Only NotStated and Skipped do without.
Judgment judge(const Claim& claim);

}  // namespace pithball::experiments
