#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <set>

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

/// The calls that compute now.
struct Calls {
  std::mutex mutex;
  std::condition_variable fewer;
  std::set<std::atomic<bool>*> stops;
  std::atomic<bool> ending{false};
};

Calls& calls() {
  static auto* all = new Calls;  // never let go: threads may outlive what is destroyed at exit
  return *all;
}

/// Whether Ctrl-C raises KeyboardInterrupt in this thread: nobody has another handler, and it is the main thread.
bool hears_ctrl_c() {
  const nb::module_ threading = nb::module_::import_("threading"), signal = nb::module_::import_("signal");
  return threading.attr("current_thread")().is(threading.attr("main_thread")()) &&
         signal.attr("getsignal")(SIGINT).is(signal.attr("default_int_handler"));
}

[[noreturn]] void raise(PyObject* type) {
  PyErr_SetNone(type);
  throw nb::python_error();
}

}  // namespace

Call::Call() {
  if (calls().ending) raise(PyExc_SystemExit);
  if (hears_ctrl_c()) interruption_.emplace(nullptr);  // without the lock: Python may give the GIL to another thread
  const std::lock_guard lock(calls().mutex);
  calls().stops.insert(&stop_);
}

Call::~Call() {
  const std::lock_guard lock(calls().mutex);
  calls().stops.erase(&stop_);
  calls().fewer.notify_all();
}

void Call::raise_if_ended(Leaves leaves) {
  if (stop_ && calls().ending) raise(PyExc_SystemExit);
  if (!*flag() || leaves == Leaves::Result) return;
  const int signal = interruption_ ? app::Interruption::signal() : 0;
  interruption_.reset();
  if (signal == SIGTERM) std::raise(signal);
  raise(PyExc_KeyboardInterrupt);
}

void Call::run(const std::function<void()>& work, Leaves leaves) {
  Call call;
  try {
    const nb::gil_scoped_release release;
    const sim::Stoppable stoppable(call.flag());
    work();
  } catch (const sim::Stopped&) {
    call.raise_if_ended(Leaves::Nothing);
  } catch (...) {
    call.raise_if_ended(Leaves::Nothing);
    throw;
  }
  call.raise_if_ended(leaves);
}

void Call::stop_all() {
  const std::lock_guard lock(calls().mutex);
  for (std::atomic<bool>* stop : calls().stops) *stop = true;
  app::Interruption::request();
}

void Call::end_all() {
  using namespace std::chrono_literals;
  calls().ending = true;
  stop_all();
  const nb::gil_scoped_release release;
  std::unique_lock lock(calls().mutex);
  calls().fewer.wait_for(lock, 5s, [] { return calls().stops.empty(); });
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
  nanobind::set_leak_warnings(false);  // what the traceback of an exception holds until Python ends is no leak
  module.doc() = "The compiled part of pithball.";
  module.attr("__version__") = app::version;
  python::bind_errors();
  python::bind_program(module);
  python::bind_document(module);
  python::bind_film(module);
  python::bind_residual(module);
  python::bind_common_unit(module);
  python::bind_rollout(module);
  python::bind_sweep(module);
  python::bind_trajectory(module);
}
