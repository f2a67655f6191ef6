#include "app/sweep/sweep_table.hpp"
#include "app/sweep/work.hpp"
#include "python/binding/binding.hpp"

namespace pithball::python {
namespace {

using namespace nb::literals;

void write_plan(const app::ExperimentDocument& document, const std::string& name, const std::string& target) {
  released([&] {
    const app::SweepSpec spec = app::read_sweep(document);
    app::write_plan(spec, *document.root.find("sweep"), {"sweep", name, {}}, target);
  });
}

bool do_tasks(const app::PlanFolder& plan, sim::Index first, sim::Index end, bool progress) {
  return !released([&] { return app::do_tasks(plan, {first, end}, progress); }, Call::Leaves::Result).stopped;
}

nb::dict table(const app::PlanFolder& plan) {
  app::SweepTable table;
  std::string csv;
  released([&] {
    table = app::collect(plan);
    csv = app::to_csv(table);
  });
  nb::dict result;
  result["csv"] = csv;
  result["missing"] = table.missing();
  result["failed"] = table.failed();
  return result;
}

}  // namespace

void bind_sweep(nb::module_& module) {
  module.def("write_plan", &write_plan, "document"_a, "name"_a, "target"_a, "Writes the plan folder of a sweep.");
  nb::class_<app::PlanFolder>(module, "PlanFolder", "A plan folder that is open for work.")
      .def(
          "__init__", [](app::PlanFolder* self, const std::string& folder) { new (self) app::PlanFolder(folder); },
          "folder"_a)
      .def_prop_ro("tasks", &app::PlanFolder::tasks)
      .def_prop_ro("name", [](const app::PlanFolder& self) { return self.record().name; })
      .def("require_same_inputs", &app::PlanFolder::require_same_inputs)
      .def("do_tasks", &do_tasks, "first"_a, "end"_a, "progress"_a = false,
           "Does the tasks from `first` to before `end` that have no result; False: interrupted.")
      .def("table", &table, "All results as CSV, and how many are missing or failed.");
}

}  // namespace pithball::python
