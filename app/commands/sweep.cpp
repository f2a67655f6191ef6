#include <fmt/format.h>

#include <memory>

#include "app/base/new_file.hpp"
#include "app/base/print_message.hpp"
#include "app/commands/command.hpp"
#include "app/sweep/plan_folder.hpp"
#include "sim/core/text.hpp"

namespace pithball::app {
namespace {

int run_sweep_command(const std::string& file, const CommonOptions& options) {
  const ExperimentDocument document = load_document(file, options);
  const std::filesystem::path given = options.out;
  if (!given.empty()) NewFolder::check(given);
  const SweepSpec spec = read_sweep(document);
  if (!options.quiet)
    for (const std::string& doubt : spec.doubts) print_message("{}: {}\n", file, printable(doubt));
  const std::filesystem::path target = run_target(options, spec.name + "-sweep");
  const std::string origin = std::filesystem::absolute(file).lexically_normal().string();
  write_plan(spec, *document.root.find("sweep"), {"sweep", origin, options.set}, target);
  const std::string folder = target.string();
  const nlohmann::ordered_json json{{"folder", folder}, {"command", spec.command}, {"tasks", spec.tasks.count}};
  print_result(options, json,
               fmt::format("{}: {} tasks of `{}`, planned in {}\n"
                           "  here                   pithball run {} --local 2\n"
                           "  with Slurm             sbatch {}/slurm.sh\n"
                           "  then                   pithball collect {}\n",
                           spec.name, spec.tasks.count, spec.command, folder, folder, folder, folder));
  return Done;
}

}  // namespace

Action declare_sweep(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto file = std::make_shared<std::string>();
  parser.add_option("FILE", *file, "The experiment file, with a section `sweep:` that says what differs between tasks")
      ->required()
      ->type_name("FILE.yaml");
  parser.add_option("--out", options->out, "The plan folder, which must not exist (default runs/<name>-sweep)")
      ->type_name("PLAN");
  add_set(parser, *options);
  add_printing(parser, *options);
  parser.footer(help_footer(
      "  pithball sweep torus.yaml --set 'sweep.grid={system.charge: [3 uC, 6 uC, 12 uC]}'\n"
      "  pithball sweep net.yaml --set 'sweep={command: fit, starts: 40}' --out runs/starts\n"
      "  pithball run runs/starts --local 2 && pithball collect runs/starts",
      "Plans many runs of one experiment. `sweep:` names the command of each task (simulate, fit or identify) and "
      "what\n"
      "differs: `grid` (keys and values), `latin_hypercube` (samples of ranges), `recordings: each`, `bootstrap` "
      "(draws\n"
      "of recordings), `starts` (of a fit's search) and `seeds`; combinations multiply, up to 10,000,000 tasks.\n"
      "Every written value is checked now. The plan folder holds the experiment (plan.yaml), checksums of all input\n"
      "files (plan.json) and a Slurm array script (slurm.sh). What a task sets, and its seed, follow from the plan\n"
      "and the number of the task. Nothing is run: see `pithball run` and docs/cluster.md."));
  return [=] { return run_sweep_command(*file, *options); };
}

}  // namespace pithball::app
