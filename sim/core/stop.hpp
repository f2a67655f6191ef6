#pragma once
#include <atomic>
#include <utility>

namespace pithball::sim {

/// Thrown by a computation that was asked to end. It is not a std::exception, because it is not an error: nothing that
/// handles errors may take it for one.
struct Stopped {};

/// While this object exists, a flag ends what its thread computes, and what other threads do for it: steps, solves,
/// passes and loops check the flag, and throw `Stopped` once it is true. Of several such objects the latest counts.
class Stoppable {
 public:
  /// `flag` must outlive this object; null: nothing ends what is computed.
  explicit Stoppable(const std::atomic<bool>* flag) : outer_(std::exchange(current(), flag)) {}
  ~Stoppable() { current() = outer_; }
  Stoppable(const Stoppable&) = delete;
  Stoppable& operator=(const Stoppable&) = delete;

  /// The flag of the calling thread; null: none.
  static const std::atomic<bool>* flag() { return current(); }

 private:
  static const std::atomic<bool>*& current() {
    static thread_local const std::atomic<bool>* flag = nullptr;
    return flag;
  }
  const std::atomic<bool>* outer_;
};

/// Whether the calling thread's computation was asked to end.
inline bool is_stopped() {
  const std::atomic<bool>* const flag = Stoppable::flag();
  return flag && flag->load(std::memory_order_relaxed);
}

/// Throws `Stopped` if it was.
inline void require_not_stopped() {
  if (is_stopped()) throw Stopped();
}

}  // namespace pithball::sim
