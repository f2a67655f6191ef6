#include "experiments/claim/exit_status.hpp"

#include <algorithm>

#include "app/commands/command.hpp"
#include "experiments/claim/verdict.hpp"

namespace pithball::experiments {

int exit_status(const std::vector<Claim>& claims) {
  const auto missed = [](const Claim& claim) { return judge(claim).verdict == Verdict::Missed; };
  return std::ranges::any_of(claims, missed) ? app::NumbersFailed : app::Done;
}

int exit_status(const std::vector<ClaimGroup>& groups) {
  const auto missed = [](const ClaimGroup& group) { return exit_status(group.claims) != app::Done; };
  return std::ranges::any_of(groups, missed) ? app::NumbersFailed : app::Done;
}

}  // namespace pithball::experiments
