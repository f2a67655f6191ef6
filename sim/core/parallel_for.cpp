#include "sim/core/parallel_for.hpp"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "sim/core/brief_wait.hpp"
#include "sim/core/stop.hpp"

namespace pithball::sim {
namespace {

/// Returns the number of processors that this process may use.
int processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// A part of a loop's iterations.
struct alignas(64) Part {  // a cache line of its own, because another thread writes to the next
  std::atomic<Index> next{0};
  Index end = 0;
  bool is_open() const { return next.load(std::memory_order_relaxed) < end; }
};

/// A loop in progress.
class Loop {
 public:
  Loop(const parallel::Shared& loop, parallel::Turn turn, const void* work)
      : grain_(loop.grain),
        most_helpers_(loop.threads - 1),
        part_(loop.parts),
        turn_(turn),
        work_(work),
        stop_(Stoppable::flag()),
        first_failed_(loop.count) {
    const Index grains = (loop.count + grain_ - 1) / grain_;
    for (Index k = 0; k < loop.parts; ++k) {
      part_[k].next = std::min(loop.count, k * grains / loop.parts * grain_);
      part_[k].end = std::min(loop.count, (k + 1) * grains / loop.parts * grain_);
    }
  }

  /// Takes turns until none is left, beginning with the part of this thread.
  void take_turns(int thread) {
    const Stoppable as_caller(stop_);
    const std::size_t parts = part_.size();
    const std::size_t own = thread == 0 || parts == 1 ? 0 : 1 + (thread - 1) % (parts - 1);
    for (std::size_t k = 0; k < parts; ++k) {
      Part& part = part_[(own + k) % parts];
      for (Index begin; (begin = part.next.fetch_add(grain_, std::memory_order_relaxed)) < part.end;)
        for (Index turn = begin; turn < std::min(begin + grain_, part.end); ++turn) take(turn);
    }
  }
  bool wants_help() const {
    return helpers_.load(std::memory_order_relaxed) < most_helpers_ &&
           std::ranges::any_of(part_, [](const Part& part) { return part.is_open(); });
  }
  int most_helpers() const { return most_helpers_; }
  void add_helper() { helpers_.fetch_add(1, std::memory_order_relaxed); }
  void remove_helper() { helpers_.fetch_sub(1, std::memory_order_release); }
  bool has_helpers() const { return helpers_.load(std::memory_order_acquire) > 0; }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void take(Index k) {
    try {
      if (part_.size() > 1) require_not_stopped();  // not in ordered loops, where other turns may wait for it
      turn_(work_, k);
    } catch (...) {
      const std::lock_guard lock(failing_);
      if (k >= first_failed_) return;
      first_failed_ = k;
      failure_ = std::current_exception();
    }
  }

  const Index grain_;
  const int most_helpers_;
  std::vector<Part> part_;
  const parallel::Turn turn_;
  const void* const work_;
  const std::atomic<bool>* const stop_;
  std::atomic<int> helpers_{0};
  std::mutex failing_;
  Index first_failed_;
  std::exception_ptr failure_;
};

/// The threads that help with loops. They are started by the first loop and sleep between loops.
class Pool {
 public:
  static Pool& instance();

  ~Pool() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    loops_changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void run(Loop& loop) {
    open(loop);
    loop.take_turns(0);
    close(loop);
  }

  std::uint64_t loops_opened() const { return opened_.load(std::memory_order_relaxed); }
  /// Number of helpers that are not asleep: they look for a loop, or wait for a processor in order to do so.
  int awake() const { return awake_.load(std::memory_order_relaxed); }

 private:
  using Lock = std::unique_lock<std::mutex>;

  /// Spins briefly before it sleeps, because the mutex is held for nanoseconds only.
  Lock lock() {
    Lock held(mutex_, std::defer_lock);
    if (!brief_wait([&] { return held.try_lock(); })) held.lock();
    return held;
  }

  void open(Loop& loop) {
    int asleep;
    {
      const Lock held = lock();
      start_threads(loop.most_helpers());
      loops_.push_back(&loop);
      asleep = asleep_;
    }
    const int missing = loop.most_helpers() - awake();
    opened_.fetch_add(1, std::memory_order_release);
    for (int k = 0; k < std::min(asleep, missing); ++k) loops_changed_.notify_one();
  }

  /// Waits for the helpers that are in the middle of an iteration; no further helper starts.
  void close(Loop& loop) {
    {
      const Lock held = lock();
      std::erase(loops_, &loop);
      if (!loop.has_helpers()) return;
    }
    brief_wait([&] { return !loop.has_helpers(); });
    Lock held = lock();
    helper_left_.wait(held, [&] { return !loop.has_helpers(); });
  }

  /// If the system provides no more threads, loops have fewer helpers.
  void start_threads(int wanted) try {
    while (static_cast<int>(threads_.size()) < wanted)
      threads_.emplace_back([this, thread = 1 + static_cast<int>(threads_.size())] { help(thread); });
  } catch (const std::system_error&) {
  }

  /// The number of a thread determines which part of a loop it takes first; callers have number 0.
  void help(int thread) {
    for (std::uint64_t seen = 0;;) {
      awake_.fetch_add(1, std::memory_order_relaxed);
      const bool news = brief_wait([&] { return opened_.load(std::memory_order_acquire) != seen; });
      awake_.fetch_sub(1, std::memory_order_relaxed);
      Lock held = lock();
      seen = opened_.load(std::memory_order_relaxed);
      Loop* loop = find_loop();
      if (!loop && news) continue;
      if (!loop) {
        ++asleep_;
        loops_changed_.wait(held, [&] { return ending_ || (loop = find_loop()); });
        --asleep_;
        if (!loop) return;
      }
      loop->add_helper();
      held.unlock();
      loop->take_turns(thread);
      held = lock();
      loop->remove_helper();
      if (!loop->has_helpers()) helper_left_.notify_all();
    }
  }

  /// Returns the latest loop that can use another thread, since other loops may wait for it.
  Loop* find_loop() const {
    const auto found =
        std::find_if(loops_.rbegin(), loops_.rend(), [](const Loop* loop) { return loop->wants_help(); });
    return found == loops_.rend() ? nullptr : *found;
  }

  std::mutex mutex_;  // protects the members below, except the atomic ones
  std::condition_variable loops_changed_, helper_left_;
  std::vector<std::thread> threads_;
  std::vector<Loop*> loops_;
  int asleep_ = 0;
  bool ending_ = false;
  alignas(64) std::atomic<std::uint64_t> opened_{0};  // on a cache line that only callers write
  alignas(64) std::atomic<int> awake_{0};
};

/// The pool of this process. A forked child has none of its parent's threads: it begins with a pool of its own, and
/// leaves that of the parent as it was, because threads that do not exist can neither be joined nor stop waiting.
class PoolOfProcess {
 public:
  PoolOfProcess() { pthread_atfork(nullptr, nullptr, &begin_child); }
  static PoolOfProcess& instance() {
    static PoolOfProcess pool;
    return pool;
  }
  Pool& pool() { return *pool_; }

 private:
  static void begin_child() {
    std::unique_ptr<Pool>& pool = instance().pool_;
    static_cast<void>(pool.release());
    pool = std::make_unique<Pool>();
  }
  std::unique_ptr<Pool> pool_ = std::make_unique<Pool>();
};

Pool& Pool::instance() { return PoolOfProcess::instance().pool(); }

std::atomic<int>& thread_limit() {
  static std::atomic<int> limit = processors();
  return limit;
}

}  // namespace

int max_threads() { return thread_limit().load(std::memory_order_relaxed); }

void set_max_threads(int threads) { thread_limit() = std::max(1, threads); }

int threads_for(double pairs) {
  require_not_stopped();  // every loop begins here
  // 30 µs to 50 µs of work: the time that a sleeping thread takes to wake on a busy processor.
  constexpr double for_sleeping = 1e5;
  // 10 µs to 15 µs of work: twenty times what an awake thread takes to find a loop.
  constexpr double for_awake = 3e4;
  double threads = pairs / for_sleeping;
  if (pairs >= 2 * for_awake && threads < max_threads())
    threads = std::max(threads, std::min(pairs / for_awake, 1.0 + Pool::instance().awake()));
  return static_cast<int>(std::clamp(threads, 1.0, static_cast<double>(max_threads())));
}

std::uint64_t shared_loops() { return Pool::instance().loops_opened(); }

void parallel::share(const Shared& loop, Turn turn, const void* work) {
  Loop shared(loop, turn, work);
  Pool::instance().run(shared);
  shared.rethrow();
}

}  // namespace pithball::sim
