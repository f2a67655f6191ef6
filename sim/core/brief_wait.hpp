#pragma once
#include <chrono>
#include <thread>

namespace pithball::sim {

/// Busy-waits until the condition holds, but no longer than it takes to put a thread to sleep and wake it again;
/// returns whether it holds. If not, the caller should sleep: the other side may have lost its processor.
template <class Condition>
bool brief_wait(const Condition& condition) {
  if (condition()) return true;
  // Waking a thread takes 5 µs to 50 µs on the machines measured, so that busy-waiting costs at most about twice the
  // optimum. The clock decides how to wait, never what is computed.
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds patience{50};
  // Yielding takes up to 1 µs, in which the condition is not seen. Most waits are shorter than this.
  constexpr std::chrono::microseconds alone{5};
  constexpr int looks = 16;  // 0.3 µs to 1 µs
  const auto begin = Clock::now();
  for (Clock::duration waited{}; waited < patience; waited = Clock::now() - begin) {
    if (waited > alone) std::this_thread::yield();  // the other thread may need this processor
    for (int k = 0; k < looks; ++k) {
      if (condition()) return true;
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    }
  }
  return condition();
}

}  // namespace pithball::sim
