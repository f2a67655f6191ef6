#include <map>
#include <nlohmann/json.hpp>

#include "app/experiment/experiment_file.hpp"
#include "app/result/json_fields.hpp"
#include "app/result/prediction_record.hpp"
#include "app/run/diagnose_run.hpp"
#include "app/run/fit_run.hpp"
#include "app/run/optimize_run.hpp"
#include "app/run/prediction_run.hpp"
#include "app/run/simulation_run.hpp"
#include "app/run/value_functions.hpp"
#include "app/yaml/tree.hpp"
#include "python/binding/binding.hpp"
#include "sim/core/parallel_for.hpp"

namespace pithball::python {
namespace {

using namespace nb::literals;
using app::ExperimentDocument;

/// Keys with their new values as YAML text.
using Changes = std::vector<std::pair<std::string, std::string>>;

std::vector<app::Override> to_overrides(const Changes& changes) {
  std::vector<app::Override> overrides;
  for (const auto& [path, value] : changes) overrides.push_back({path, value, path});
  return overrides;
}

/// Where a run goes, and how it is described in its run.yaml.
app::RunOrder order_of(const char* command, const std::string& name, const ExperimentDocument& document,
                       const std::string& target, bool overwrite, bool progress) {
  return {
      target, {command, name, {}, sim::max_threads(), document.inputs->files()}, {.overwrite = overwrite}, progress};
}

/// What Python makes of a run: the files of its folder, and how it ended.
nb::dict outcome(const std::filesystem::path& folder, const optim::RunVerdict& verdict, bool ok) {
  nb::dict result;
  result["folder"] = folder.string();
  result["status"] = to_string(verdict.status);
  result["explanation"] = verdict.explanation();
  result["ok"] = ok;
  return result;
}

nb::dict simulate(const ExperimentDocument& document, const std::string& name, const std::string& target,
                  bool overwrite, bool progress) {
  const auto run = [&] {
    const app::Experiment experiment = app::read_experiment(document);
    return app::run_simulation(experiment, order_of("simulate", name, document, target, overwrite, progress));
  };
  const app::RunResult result = released(run, Call::Leaves::Result);
  return outcome(result.folder, result.verdict, result.verdict.grade() != optim::Grade::Bad);
}

/// `tell` is called with the doubts about the recordings, before the search.
nb::dict fit(const ExperimentDocument& document, const std::string& name, const std::string& target,
             const nb::callable& tell, bool overwrite, bool progress) {
  const auto say = [&](const app::FitScreening& screening) {
    const nb::gil_scoped_acquire gil;
    for (const std::string& doubt : screening.sentences()) tell(doubt);
  };
  const auto run = [&] {
    const app::FitSpec spec = app::read_fit(document);
    return app::run_fit(spec, {order_of("fit", name, document, target, overwrite, progress), false, say});
  };
  const app::FitResult result = released(run, Call::Leaves::Result);
  return outcome(result.folder, result.record.verdict, result.ok);
}

std::string diagnose(const ExperimentDocument& document, const std::string& folder, double level) {
  return released([&] {
    app::Run run = app::read_run(folder);
    run.document = document;
    const app::DiagnosisRecord record = app::diagnose_run(run, {.level = level});
    app::write_diagnosis(folder, record);
    return app::to_json(record).dump();
  });
}

std::string identify(const ExperimentDocument& document, const std::string& at) {
  return released([&] {
    const app::FitSpec spec = app::read_fit(document, app::FitPurpose::Prediction);
    const optim::Vector theta = app::prediction_point(spec.fit->map(), at);
    const optim::IdentifyReport report = app::identify_recordings(spec, theta);
    return app::to_json(app::IdentifyRecord{spec.base.name, at.empty() ? "start" : at, report}).dump();
  });
}

/// The record as JSON, and the optimized experiment as YAML; empty without a search.
std::pair<std::string, std::string> plan(const ExperimentDocument& document, bool optimize, const std::string& given) {
  return released([&]() -> std::pair<std::string, std::string> {
    const app::EarlierFit earlier = given.empty() ? app::EarlierFit{} : app::read_earlier_fit(given);
    const app::PlanSpec spec =
        app::read_plan(document, given.empty() ? app::PlanKnowledge::File : app::PlanKnowledge::EarlierFit);
    if (!optimize) return {app::to_json(app::predict_plan_after(spec, earlier)).dump(), ""};
    const app::OptimizedPlan found = app::optimize_plan(spec, earlier);
    return {app::to_json(found.record).dump(), app::to_yaml(found.spec.filled) + "\n"};
  });
}

/// The keys of each entry of `fit.recordings`, and those that all share, with the texts of those that are one value.
std::vector<std::map<std::string, std::string>> listed_recordings(const ExperimentDocument& document) {
  const app::Tree* fit = document.root.find("fit");
  const app::Tree* list = fit ? fit->find("recordings") : nullptr;
  if (!list) return {};
  std::map<std::string, std::string> shared;
  if (const app::Tree* defaults = fit->find("recording_defaults"))
    for (const app::Tree& key : defaults->entries) shared[key.key] = key.text;
  std::vector<std::map<std::string, std::string>> found;
  for (const app::Tree& entry : list->entries) {
    found.push_back(shared);
    for (const app::Tree& key : entry.entries) found.back()[key.key] = key.text;
  }
  return found;
}

}  // namespace

void bind_document(nb::module_& module) {
  nb::class_<ExperimentDocument>(module, "Document", "An experiment file as data.")
      .def_static(
          "load",
          [](const std::string& file, const Changes& changes) {
            return app::load_document(file, to_overrides(changes));
          },
          "file"_a, "changes"_a)
      .def_static(
          "parse",
          [](const std::string& text, const std::string& name, const std::string& folder, const Changes& changes) {
            return app::parse_document(text, {name, folder}, to_overrides(changes));
          },
          "text"_a, "name"_a, "folder"_a, "changes"_a)
      .def(
          "changed",
          [](const ExperimentDocument& self, const Changes& changes) {
            ExperimentDocument copy = self;
            copy.inputs = std::make_shared<app::InputFiles>(*self.inputs);  // with files of its own
            app::apply_overrides(to_overrides(changes), copy);
            return copy;
          },
          "changes"_a, "A copy with other values.")
      .def("filled", [](const ExperimentDocument& self) { return app::to_yaml(app::read_experiment(self).filled); })
      .def("name",
           [](const ExperimentDocument& self) {
             const app::Tree* name = self.root.find("name");
             return name ? name->text : std::string();
           })
      .def("listed_recordings", &listed_recordings, "The keys of each entry of `fit.recordings`.")
      .def("simulate", &simulate, "name"_a, "target"_a, "overwrite"_a, "progress"_a)
      .def("fit", &fit, "name"_a, "target"_a, "tell"_a, "overwrite"_a, "progress"_a)
      .def("diagnose", &diagnose, "folder"_a, "level"_a)
      .def("identify", &identify, "at"_a = "")
      .def("plan", &plan, "optimize"_a = false, "given"_a = "")
      .def("residual",
           [](const ExperimentDocument& self) {
             return released([&] { return std::make_unique<app::ValueResidual>(self); });
           })
      .def("rollout", [](const ExperimentDocument& self) {
        return released([&] { return std::make_shared<app::ValueRollout>(self); });
      });
}

}  // namespace pithball::python
