#include "app/base/program_folder.hpp"
#include "app/base/progress.hpp"
#include "app/report/report_page.hpp"
#include "python/binding/binding.hpp"
#include "sim/core/parallel_for.hpp"

namespace pithball::python {
namespace {

using namespace nb::literals;

/// A bar of Python: an object with `update(done)` and `close()`.
class Bar final : public app::ProgressView {
 public:
  explicit Bar(nb::object bar) : bar_(std::move(bar)) {}
  ~Bar() override {
    const nb::gil_scoped_acquire gil;
    try {
      bar_.attr("close")();
    } catch (const nb::python_error&) {
      // A bar that cannot be closed is no reason to lose the run.
    }
    bar_.reset();
  }
  void update(double done) override {
    const nb::gil_scoped_acquire gil;
    bar_.attr("update")(done);
  }

 private:
  nb::object bar_;
};

void show_progress_by(nb::object make) {
  PyObject* const kept = make.release().ptr();  // never let go: at exit the interpreter ends before the engine
  app::show_progress_by([kept](const std::string& title, double total) -> std::unique_ptr<app::ProgressView> {
    const nb::gil_scoped_acquire gil;
    return std::make_unique<Bar>(nb::borrow(kept)(title, total));
  });
}

}  // namespace

void bind_program(nb::module_& module) {
  module.def("max_threads", &sim::max_threads, "How many threads a computation uses at most.");
  module.def("set_max_threads", &sim::set_max_threads, "threads"_a,
             "Limits the threads of computations that begin later; results do not depend on it.");
  module.def(
      "use_shared_folder", [](const std::string& folder) { app::use_shared_folder(folder); }, "folder"_a,
      "Where the files are that the program needs at run time.");
  module.def("stop_calls", &Call::stop_all, "Asks all computations to end.");
  module.def("end_calls", &Call::end_all, "Asks all computations to end for good, and waits until they have.");
  module.def("show_progress_by", &show_progress_by, "make"_a,
             "make(title, total) returns an object with update(done) and close().");
  module.def(
      "write_report",
      [](const std::string& folder, const std::string& file) {
        released([&] { app::write_report(app::read_run(folder), file, app::find_report_template(), {}); });
      },
      "folder"_a, "file"_a, "Writes the HTML report of a run folder.");
}

}  // namespace pithball::python
