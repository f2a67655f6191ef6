#pragma once
// What the files of the module `_pithball` share.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <Eigen/Core>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "app/run/value_rollout.hpp"

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

void bind_errors();
void bind_program(nb::module_& module);
void bind_document(nb::module_& module);
void bind_residual(nb::module_& module);
void bind_rollout(nb::module_& module);
void bind_sweep(nb::module_& module);
void bind_trajectory(nb::module_& module);

}  // namespace pithball::python
