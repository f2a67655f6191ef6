#pragma once
// What the files of the module `_pithball` share.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <Eigen/Core>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/base/interruption.hpp"
#include "app/run/value_functions.hpp"

namespace pithball::python {

namespace nb = nanobind;

/// An array of doubles that owns its memory: `matrix` in its own order, read as `shape` with the last index fastest.
nb::ndarray<nb::numpy, double> to_array(Eigen::MatrixXd matrix, const std::vector<std::size_t>& shape);

/// To be called between steps while the GIL is released: twenty times a second it lets Python handle signals, and
/// throws what their handlers raise, such as KeyboardInterrupt.
class SignalCheck {
 public:
  void operator()();

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// A call that computes without the GIL. Ctrl-C ends it within a step, where Python's own handler would raise
/// KeyboardInterrupt; calls of other threads end when Python does, or when they are asked to.
class Call {
 public:
  /// What a call leaves that was ended early.
  enum class Leaves { Nothing, Result };

  /// Releases the GIL while `work` computes. If that was ended early and leaves nothing, raises KeyboardInterrupt, or
  /// in a thread of a Python that ends, SystemExit, of which threads say nothing.
  static void run(const std::function<void()>& work, Leaves leaves = Leaves::Nothing);
  /// Asks all calls to end.
  static void stop_all();
  /// The same for good, when Python ends: waits until they have, at most some seconds. (A thread that asks for the GIL
  /// later would be ended within our code, and with it the process.)
  static void end_all();

 private:
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  const std::atomic<bool>* flag() const { return interruption_ ? &app::Interruption::flag() : &stop_; }
  void raise_if_ended(Leaves leaves);

  std::optional<app::Interruption> interruption_;  // of the main thread
  std::atomic<bool> stop_{false};                  // of another
};

/// The result of `work`, computed without the GIL.
template <class Work>
auto released(const Work& work, Call::Leaves leaves = Call::Leaves::Nothing) {
  if constexpr (std::is_void_v<std::invoke_result_t<Work>>) {
    Call::run(work, leaves);
  } else {
    std::optional<std::invoke_result_t<Work>> result;
    Call::run([&] { result.emplace(work()); }, leaves);
    return *std::move(result);
  }
}

void bind_common_unit(nb::module_& module);
void bind_errors();
void bind_film(nb::module_& module);
void bind_program(nb::module_& module);
void bind_document(nb::module_& module);
void bind_residual(nb::module_& module);
void bind_rollout(nb::module_& module);
void bind_sweep(nb::module_& module);
void bind_trajectory(nb::module_& module);

}  // namespace pithball::python
