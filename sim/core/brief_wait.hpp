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
  constexpr std::chrono::microseconds patience{50};
  constexpr int looks = 16;  // about 1 µs
  const auto end = std::chrono::steady_clock::now() + patience;
  do {
    for (int k = 0; k < looks; ++k) {
      if (condition()) return true;
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    }
    std::this_thread::yield();  // the other thread may need this processor
  } while (std::chrono::steady_clock::now() < end);
  return condition();
}

}  // namespace pithball::sim
