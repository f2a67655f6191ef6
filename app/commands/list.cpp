#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/commands/command.hpp"
#include "app/experiment/experiment.hpp"
#include "app/experiment/experiment_file.hpp"
#include "app/experiment/parameter_names.hpp"
#include "app/experiment/shapes/shape.hpp"
#include "app/export/export_format.hpp"
#include "app/result/result_description.hpp"
#include "app/result/result_texts.hpp"
#include "app/yaml/key_schema.hpp"
#include "datasets/capture/capture_format.hpp"
#include "datasets/mesh/mesh_reader.hpp"
#include "diff/step/step_derivative.hpp"
#include "optim/measurement/measurement_kinds.hpp"
#include "sim/check/observed_order.hpp"
#include "sim/constraint/constraint_registry.hpp"
#include "sim/core/error.hpp"
#include "sim/force/force_registry.hpp"
#include "sim/integrator/integrator_choice.hpp"

namespace pithball::app {
namespace {

struct Listing {
  nlohmann::ordered_json json;
  std::string text;
};

/// Returns orders and numbers of force evaluations as measured in runs, not as declared by the integrator.
nlohmann::ordered_json measured_json(const sim::MeasuredIntegrator& measured) {
  return {{"position_order", measured.position_order},
          {"velocity_order", measured.velocity_order},
          {"force_evaluations", measured.force_evaluations}};
}

Listing list_integrators(bool measure) {
  Listing list{nlohmann::ordered_json::array(), ""};
  const std::vector<std::string> differentiable = diff::differentiable_integrators();
  for (const sim::IntegratorInfo& integrator : sim::integrators()) {
    const bool has_derivative = std::count(differentiable.begin(), differentiable.end(), integrator.name) > 0;
    list.json.push_back({{"name", integrator.name},
                         {"summary", integrator.summary},
                         {"position_order", integrator.position_order},
                         {"velocity_order", integrator.velocity_order},
                         {"force_evaluations", integrator.force_evaluations},
                         {"implicit", integrator.implicit},
                         {"time_reversible", integrator.time_reversible},
                         {"symplectic", integrator.symplectic},
                         {"startup_steps", integrator.startup_steps},
                         {"history", integrator.history},
                         {"first_order", integrator.supports.tracers},
                         {"adaptive", integrator.adaptive},
                         {"constraints", integrator.supports.constraints},
                         {"differentiable", has_derivative}});
    list.text +=
        fmt::format("{:<18} order {} (velocities {}), {}, {} force evaluation{} per step{}\n{:19}{}\n", integrator.name,
                    integrator.position_order, integrator.velocity_order, integrator.implicit ? "implicit" : "explicit",
                    integrator.force_evaluations, integrator.force_evaluations == 1 ? "" : "s",
                    has_derivative ? ", differentiable" : "", "", integrator.summary);
    if (!measure) continue;
    const sim::MeasuredIntegrator measured = sim::measure_integrator(integrator.name);
    list.json.back()["measured"] = measured_json(measured);
    list.text += fmt::format("{:19}measured: order {:.2f} (velocities {:.2f}), {} force evaluation{} per step\n", "",
                             measured.position_order, measured.velocity_order, measured.force_evaluations,
                             measured.force_evaluations == 1 ? "" : "s");
  }
  return list;
}

Listing list_forces() {
  Listing list{nlohmann::ordered_json::array(), ""};
  for (const sim::ForceInfo& force : sim::forces()) {
    list.json.push_back({{"name", force.name}, {"summary", force.summary}, {"differentiable", force.differentiable}});
    list.text +=
        fmt::format("{:<18} {}{}\n", force.name, force.summary, force.differentiable ? "" : " (not differentiable)");
  }
  return list;
}

Listing list_constraints() {
  Listing list{nlohmann::ordered_json::array(), ""};
  for (const sim::ConstraintInfo& constraint : sim::constraints()) {
    list.json.push_back(
        {{"name", constraint.name}, {"summary", constraint.summary}, {"differentiable", constraint.differentiable}});
    list.text += fmt::format("{:<18} {}{}\n", constraint.name, constraint.summary,
                             constraint.differentiable ? "; differentiable" : "");
  }
  return list;
}

Listing list_measurements() {
  Listing list{nlohmann::ordered_json::array(), ""};
  for (const optim::MeasurementKind* kind : optim::measurement_kinds()) {
    nlohmann::ordered_json own = nlohmann::ordered_json::array();
    std::string values;
    for (const optim::RecordingFrameValue& value : kind->own_values) {
      own.push_back({{"name", value.name}, {"unit", value.unit}});
      values += (values.empty() ? "; own values " : ", ") + value.name;
    }
    list.json.push_back({{"name", kind->name},
                         {"summary", kind->meaning},
                         {"components", kind->components},
                         {"unit", kind->unit},
                         {"own_values", own}});
    list.text += fmt::format("{:<18} {} [{}]{}\n", kind->name, kind->meaning, kind->unit, values);
  }
  return list;
}

Listing list_shapes() {
  Listing list{nlohmann::ordered_json::array(), ""};
  for (const ShapeInfo& shape : shapes()) {
    list.json.push_back({{"name", shape.name}, {"summary", shape.meaning}});
    list.text += fmt::format("{:<18} {}\n", shape.name, shape.meaning);
  }
  return list;
}

Listing list_parameters() {
  Listing list{nlohmann::ordered_json::array(), ""};
  for (const ParameterName& parameter : parameter_names()) {
    list.json.push_back({{"name", parameter.name},
                         {"unit", parameter.unit},
                         {"owner", parameter.owner},
                         {"differentiable", parameter.differentiable}});
    list.text += fmt::format("{:<18} [{}] per {}{}\n", parameter.name, parameter.unit, parameter.owner,
                             parameter.differentiable ? "" : " (not differentiable: no fit)");
  }
  return list;
}

Listing list_formats() {
  Listing list{nlohmann::ordered_json::array(), ""};
  const auto add = [&](const std::string& kind, const std::string& ending, const std::string& direction) {
    list.json.push_back({{"kind", kind}, {"ending", ending}, {"direction", direction}});
    list.text += fmt::format("{:<12} {:<6} {}\n", kind, ending, direction);
  };
  for (const std::string& ending : datasets::mesh_file_endings())
    add("mesh", ending, ending == ".stl" ? "read" : "read, written");
  for (const datasets::CaptureFormat& format : datasets::capture_formats())
    for (const std::string& ending : format.endings)
      add("recording", ending, "read (" + format.name + ": " + format.summary + ")");
  add("recording", ".csv", "written (record)");
  add("trajectory", ".h5", "read, written (H5MD)");
  add("energies", ".csv", "written");
  for (const ExportFormat& format : export_formats())
    add("motion", format.ending, "written (export --format " + format.name + ")");
  add("field", ".vti", "written (a grid, VTK)");
  add("field", ".vtp", "written (a line, VTK)");
  add("field", ".csv", "written");
  return list;
}

Listing list_schema() {
  const nlohmann::ordered_json schema = experiment_schema(experiment_keys());
  return {schema, schema.dump(1) + "\n"};
}

/// Types of results whose fields are all shown on the page of a report.
const std::vector<std::string> shown_results{"FittedParameter", "HalvedStep", "Misfit"};

/// Returns the lists of fields of all results: the page, and the code generated from them for other languages.
Listing list_results(const std::string& what) {
  const ResultDescription& all = result_files();
  nlohmann::ordered_json json = what == "results" ? results_json(all) : results_schema(all);
  if (what == "results") return {std::move(json), results_page(all)};
  if (what == "results-python") return {std::move(json), results_python(all)};
  if (what == "results-typescript") return {std::move(json), results_typescript(all, shown_results)};
  return {json, json.dump(1) + "\n"};
}

}  // namespace

Action declare_list(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto what = std::make_shared<std::string>();
  parser.add_option("WHAT", *what, "What to list")
      ->required()
      ->check(CLI::IsMember({"integrators", "forces", "constraints", "measurements", "shapes", "parameters", "formats",
                             "keys", "schema", "results", "results-schema", "results-python", "results-typescript"}));
  auto measure = std::make_shared<bool>(false);
  parser.add_flag(
      "--measured", *measure,
      "For integrators: also measure the orders and force evaluations per step on problems with exact solutions");
  add_printing(parser, *options);
  parser.footer(
      help_footer("  pithball list integrators\n  pithball list integrators --measured --json\n"
                  "  pithball list keys > keys.md\n  pithball list schema > experiment.schema.json\n"
                  "  pithball list results > results.md\n  pithball list results-schema > results.schema.json"));
  return [options, what, measure] {
    if (*measure && *what != "integrators")
      throw InvalidArgument({"list", "--measured", "is for integrators", *what, "omit it"});
    Listing list;
    if (*what == "integrators") list = list_integrators(*measure);
    if (*what == "forces") list = list_forces();
    if (*what == "constraints") list = list_constraints();
    if (*what == "measurements") list = list_measurements();
    if (*what == "shapes") list = list_shapes();
    if (*what == "parameters") list = list_parameters();
    if (*what == "formats") list = list_formats();
    if (*what == "keys") list = {keys_json(experiment_keys()), keys_page()};
    if (*what == "schema") list = list_schema();
    if (what->starts_with("results")) list = list_results(*what);
    print_result(*options, {{*what, list.json}}, list.text);
    return Done;
  };
}

}  // namespace pithball::app
