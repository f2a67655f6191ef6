#include "app/base/version.hpp"
#include "python/binding/binding.hpp"
#include "sim/core/error.hpp"

namespace pithball::python {

using namespace nb::literals;

nb::ndarray<nb::numpy, double> to_array(Eigen::MatrixXd matrix, const std::vector<std::size_t>& shape) {
  auto* owned = new Eigen::MatrixXd(std::move(matrix));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Eigen::MatrixXd*>(p); });
  return {owned->data(), shape.size(), shape.data(), owner};
}

void SignalCheck::operator()() {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < 50ms) return;
  last_ = now;
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

namespace {

/// Raises an exception of pithball.errors.
void raise(const char* name, const nb::tuple& arguments) {
  const nb::object type = nb::module_::import_("pithball.errors").attr(name);
  PyErr_SetObject(type.ptr(), arguments.ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const InvalidArgument& error) {
    const InvalidArgument::Parts& p = error.parts();
    raise("InvalidArgument", nb::make_tuple(error.what(), p.where, p.what, p.required, p.got, p.remedy));
  } catch (const app::SimulationFailed& error) {
    raise("SimulationFailed", nb::make_tuple(error.what()));
  }
}

}  // namespace

void bind_errors() { nb::register_exception_translator(translate); }

}  // namespace pithball::python

NB_MODULE(_pithball, module) {
  using namespace pithball;
  module.doc() = "The compiled part of pithball.";
  module.attr("__version__") = app::version;
  python::bind_errors();
  python::bind_program(module);
  python::bind_document(module);
  python::bind_residual(module);
  python::bind_rollout(module);
  python::bind_sweep(module);
  python::bind_trajectory(module);
}
