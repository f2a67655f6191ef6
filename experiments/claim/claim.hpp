#pragma once
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace pithball::experiments {

/// How the measured value is compared with the expected one.
enum class ClaimKind {
  NotStated,   ///< nothing is expected; the number is only shown
  AtMost,      ///< it must not exceed the expected number
  AtLeast,     ///< it must not fall below it
  Within,      ///< it must lie within the tolerance of it
  Word,        ///< it must be this word: a status
  BetterThan,  ///< it must be less than a rival's number in the same runs, as for errors and times
};

/// A number, a word, or nothing: a run failed, a method does not have it. NaN and infinity count as nothing.
using ClaimValue = std::variant<std::monostate, double, std::string>;

/// A statement that a run can confirm or not, and the result of the run.
struct Claim {
  std::string what;
  ClaimValue measured = {};
  double error = std::numeric_limits<double>::quiet_NaN();  ///< standard error or spread of it; NaN: none
  std::string unit = {};                                    ///< of all its numbers
  ClaimKind kind = ClaimKind::NotStated;
  ClaimValue expected = {};  ///< of BetterThan what the rival has; a word there: why the rival has no number
  double tolerance = 0;      ///< of Within; of BetterThan the difference up to which the two are as good
  std::string rival = {};    ///< of BetterThan: name of the rival
  std::string why = {};      ///< where expectation and tolerance come from, or why the numbers agree
  std::string differs = {};  ///< why it is known to differ; empty: no difference is known
  std::string skipped = {};  ///< why it is not judged here; empty: it is judged
  std::string failure = {};  ///< why nothing could be measured; empty: the measurement succeeded
};

/// The most frequent kinds. `measured` is NaN where there is no number.
inline Claim claim_within(std::string what, double measured, double expected, double tolerance, std::string unit,
                          std::string why) {
  return {.what = std::move(what),
          .measured = measured,
          .unit = std::move(unit),
          .kind = ClaimKind::Within,
          .expected = expected,
          .tolerance = tolerance,
          .why = std::move(why)};
}

inline Claim claim_at_most(std::string what, double measured, double limit, std::string unit, std::string why) {
  return {.what = std::move(what),
          .measured = measured,
          .unit = std::move(unit),
          .kind = ClaimKind::AtMost,
          .expected = limit,
          .why = std::move(why)};
}

inline Claim claim_at_least(std::string what, double measured, double limit, std::string unit, std::string why) {
  Claim claim = claim_at_most(std::move(what), measured, limit, std::move(unit), std::move(why));
  claim.kind = ClaimKind::AtLeast;
  return claim;
}

inline Claim claim_word(std::string what, std::string measured, std::string expected, std::string why) {
  return {.what = std::move(what),
          .measured = std::move(measured),
          .kind = ClaimKind::Word,
          .expected = std::move(expected),
          .why = std::move(why)};
}

inline Claim claim_better(std::string what, double measured, double of_rival, std::string rival, std::string unit,
                          std::string why) {
  return {.what = std::move(what),
          .measured = measured,
          .unit = std::move(unit),
          .kind = ClaimKind::BetterThan,
          .expected = of_rival,
          .rival = std::move(rival),
          .why = std::move(why)};
}

/// A number that is shown with its error and compared with nothing.
inline Claim claim_shown(std::string what, double measured, double error, std::string unit, std::string why) {
  return {
      .what = std::move(what), .measured = measured, .error = error, .unit = std::move(unit), .why = std::move(why)};
}

/// Claims with something in common: an item, a demonstration, a case.
struct ClaimGroup {
  std::string title = {};  ///< empty where there is one group only
  std::vector<Claim> claims = {};
};

/// The verdict on a claim.
enum class Verdict {
  Holds,
  Better,              ///< of BetterThan: clearly less than the rival has
  Missed,              ///< it is not confirmed, or what it needs was not measured
  DiffersAsExplained,  ///< it is not confirmed, for a known and stated reason
  HoldsAfterAll,       ///< it is confirmed although a difference was stated: the explanation is out of date
  NotStated,
  Skipped,
};

/// "holds", "better", "missed", "differs, as explained", "holds after all", "not stated", "skipped".
const char* to_string(Verdict verdict);

struct Judgment {
  Verdict verdict = Verdict::Missed;
  std::string remark = {};  ///< "15 times less"; why something was skipped or is missing
};

/// Judges a claim. If the number, or what it is compared with, is missing, the claim is missed: a known difference
/// explains a number, not its absence. Only NotStated and Skipped need none.
Judgment judge(const Claim& claim);

/// What every command says about missed claims in its help.
inline constexpr const char* missed_claim_help = "A missed claim ends with status 1.";

/// Exit status of a command: 1 if any claim is missed, otherwise 0.
int exit_status(const std::vector<ClaimGroup>& groups);
int exit_status(const std::vector<Claim>& claims);

}  // namespace pithball::experiments
