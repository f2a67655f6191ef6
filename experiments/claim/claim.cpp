#include "experiments/claim/claim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/commands/command.hpp"

namespace pithball::experiments {
namespace {

bool has_number(const ClaimValue& value) {
  const double* number = std::get_if<double>(&value);
  return number && std::isfinite(*number);
}

bool has_word(const ClaimValue& value) {
  const std::string* word = std::get_if<std::string>(&value);
  return word && !word->empty();
}

/// Returns what a claim lacks for a comparison; empty if it is complete.
std::string lacking(const Claim& claim) {
  const bool words = claim.kind == ClaimKind::Word;
  if (!(words ? has_word(claim.measured) : has_number(claim.measured)))
    return words ? "no word was found" : "there is no number";
  const bool rival_without = claim.kind == ClaimKind::BetterThan && has_word(claim.expected);
  if (!rival_without && !(words ? has_word(claim.expected) : has_number(claim.expected)))
    return "there is nothing to hold it against";
  return "";
}

/// "20 times less"; empty if the quotient is meaningless.
std::string times_text(double measured, double rival) {
  if (!(measured > 0 && rival > 0)) return "";
  return measured < rival ? fmt::format("{:.3g} times less", rival / measured)
                          : fmt::format("{:.3g} times more", measured / rival);
}

Judgment compare_with_rival(const Claim& claim, double measured) {
  if (const std::string* none = std::get_if<std::string>(&claim.expected)) return {Verdict::Better, *none};
  const double rival = std::get<double>(claim.expected);
  if (std::abs(measured - rival) <= claim.tolerance) return {Verdict::Holds, "as good"};
  return {measured < rival ? Verdict::Better : Verdict::Missed, times_text(measured, rival)};
}

/// Compares a complete claim.
Judgment compare(const Claim& claim) {
  const auto verdict_if = [](bool holds) -> Judgment { return {holds ? Verdict::Holds : Verdict::Missed}; };
  if (claim.kind == ClaimKind::Word) return verdict_if(claim.measured == claim.expected);
  const double measured = std::get<double>(claim.measured);
  if (claim.kind == ClaimKind::BetterThan) return compare_with_rival(claim, measured);
  const double expected = std::get<double>(claim.expected);
  if (claim.kind == ClaimKind::AtMost) return verdict_if(measured <= expected);
  if (claim.kind == ClaimKind::AtLeast) return verdict_if(measured >= expected);
  return verdict_if(std::abs(measured - expected) <= claim.tolerance);
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::Holds:
      return "holds";
    case Verdict::Better:
      return "better";
    case Verdict::Missed:
      return "missed";
    case Verdict::DiffersAsExplained:
      return "differs, as explained";
    case Verdict::HoldsAfterAll:
      return "holds after all";
    case Verdict::NotStated:
      return "not stated";
    case Verdict::Skipped:
      return "skipped";
  }
  return "";
}

Judgment judge(const Claim& claim) {
  if (!claim.failure.empty()) return {Verdict::Missed, claim.failure};
  if (!claim.skipped.empty()) return {Verdict::Skipped, claim.skipped};
  if (claim.kind == ClaimKind::NotStated) return {Verdict::NotStated};
  if (const std::string what = lacking(claim); !what.empty()) return {Verdict::Missed, what};
  Judgment judgment = compare(claim);
  if (!claim.differs.empty())
    judgment.verdict = judgment.verdict == Verdict::Missed ? Verdict::DiffersAsExplained : Verdict::HoldsAfterAll;
  return judgment;
}

int exit_status(const std::vector<Claim>& claims) {
  const auto missed = [](const Claim& claim) { return judge(claim).verdict == Verdict::Missed; };
  return std::ranges::any_of(claims, missed) ? app::NumbersFailed : app::Done;
}

int exit_status(const std::vector<ClaimGroup>& groups) {
  const auto missed = [](const ClaimGroup& group) { return exit_status(group.claims) != app::Done; };
  return std::ranges::any_of(groups, missed) ? app::NumbersFailed : app::Done;
}

}  // namespace pithball::experiments
