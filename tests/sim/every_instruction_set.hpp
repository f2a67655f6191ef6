#pragma once
#include <hwy/targets.h>

#include "tests/support/catch.hpp"

namespace pithball::tests {

/// Calls check() with the vector kernels of every instruction set that this processor has.
template <class Check>
void with_every_instruction_set(Check check) {
  for (std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    CAPTURE(hwy::TargetName(target));
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace pithball::tests
