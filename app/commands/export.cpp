#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>

#include "app/base/new_file.hpp"
#include "app/commands/command.hpp"
#include "app/export/export_format.hpp"
#include "app/export/motion_choice.hpp"
#include "app/run_folder/folder_record.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct ExportOptions {
  std::string run, format, recording;
  Index every = 1;
  double time = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> leave_out;
};

/// Returns RUN/export/FORMAT, with --recording RUN/export/FORMAT-NAME, unless --out is given.
fs::path export_target(const ExportOptions& wanted, const CommonOptions& options) {
  if (!options.out.empty()) return options.out;
  const std::string of = wanted.recording.empty() ? "" : "-" + file_stem(wanted.recording);
  return fs::path(wanted.run) / "export" / (wanted.format + of);
}

int export_motion(const ExportOptions& wanted, const CommonOptions& options) {
  const ExportFormat& format = export_formats().at(wanted.format);
  if (format.whole_motion && !wanted.leave_out.empty())
    throw InvalidArgument({"--leave-out", "", "needs --format lammps", format.name, "omit it"});
  const fs::path target = export_target(wanted, options);
  NewFolder::check(target);
  const std::optional<double> time = std::isnan(wanted.time) ? std::nullopt : std::optional(wanted.time);
  ExportedMotion motion =
      read_motion(read_run(wanted.run), {.recording = wanted.recording, .every = wanted.every, .time = time});
  if (motion.come_and_go() && !format.come_and_go)
    throw InvalidArgument({"--format " + format.name, "", "requires the same particles in every snapshot",
                           "particles that come and go", "choose csv, npz or vtk"});
  if (motion.come_and_go() && !format.whole_motion) motion = motion.present(motion.first);
  const std::string dropped = drop_unholdable_states(format, motion);

  NewFolder folder(target);
  ExportResult result;
  {
    Progress bar("export " + motion.name, motion.size(), !options.quiet);
    result = format.write(motion, {.leave_out = wanted.leave_out}, folder, bar);
  }
  folder.finish();
  std::vector<fs::path> files;
  for (const std::string& file : folder.files()) files.push_back(target / file);
  add_to_record(wanted.run, files);
  if (format.whole_motion && !dropped.empty()) result.notes.push_back(dropped);
  if (!motion.run.complete) result.notes.push_back("the run is incomplete: its stored snapshots are exported");

  const std::size_t states = format.whole_motion ? motion.size() : 1;
  const double first = motion.time.front(), last = motion.time[states - 1];
  const ordered_json json{{"name", motion.name},
                          {"format", format.name},
                          {"folder", target.string()},
                          {"open", (target / result.open).string()},
                          {"files", folder.files().size()},
                          {"states", states},
                          {"times", {first, last}},
                          {"complete", motion.run.complete},
                          {"notes", result.notes}};
  std::string text = fmt::format(
      "{}: {} state{} {}, {} file{} written to {}\n  open  {}\n", motion.name, states, states == 1 ? "" : "s",
      states == 1 ? fmt::format("at t = {:g} s", first) : fmt::format("from t = {:g} to {:g} s", first, last),
      folder.files().size(), folder.files().size() == 1 ? "" : "s", target.string(), (target / result.open).string());
  for (const std::string& note : result.notes) text += "  note  " + note + "\n";
  print_result(options, json, text);
  return Done;
}

/// Returns the choices for `--format`, one per line.
std::string format_page() {
  std::string text = "Formats:\n";
  for (const ExportFormat& format : export_formats()) text += fmt::format("  {:<7} {}\n", format.name, format.summary);
  return text;
}

}  // namespace

Action declare_export(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<ExportOptions>();
  parser.add_option("RUN", wanted->run, "The run folder of `pithball simulate` or `pithball fit`")
      ->required()
      ->type_name("DIR");
  parser.add_option("--format", wanted->format, "File format, see below")
      ->required()
      ->type_name(fmt::format("{}", fmt::join(export_formats().names(), "|")));
  parser
      .add_option("--out", options->out,
                  "The new folder for the files (default RUN/export/FORMAT, with --recording RUN/export/FORMAT-NAME); "
                  "it must not exist yet")
      ->type_name("DIR");
  auto* every = parser.add_option("--every", wanted->every, "Only every K-th snapshot, from the first on (default 1)")
                    ->type_name("K")
                    ->check(CLI::Range(1, 1000000000));
  parser
      .add_option("--time", wanted->time,
                  "Only the snapshot nearest to this time [s]; for lammps, the state from which LAMMPS starts")
      ->type_name("T")
      ->check(number_within(0))
      ->excludes(every);
  parser
      .add_option("--recording", wanted->recording,
                  "For a fit of several recordings: the recording to export, as in trajectory-NAME.h5")
      ->type_name("NAME");
  parser
      .add_option("--leave-out", wanted->leave_out,
                  "For lammps: omit this part of the model, which has no counterpart in LAMMPS (repeatable); the error "
                  "message lists such parts")
      ->type_name("PART")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  add_printing(parser, *options);
  parser.footer(help_footer(
      "  pithball export runs/torus --format vtk\n"
      "  pithball export runs/torus --format csv --every 10 --out torus-tables\n"
      "  pithball export runs/torus --format lammps --time 3 && cd runs/torus/export/lammps && lmp -in in.pithball\n"
      "  pithball export runs/demo --format npz --recording tracks",
      format_page() + "\n"
                      "All values are in SI units; particles and springs count from 0 in csv and npz, from 1 in obj "
                      "and lammps. The motion of a\n"
                      "fit is exported with the fitted values; of an interrupted run, the stored snapshots are "
                      "exported. The folder is created\n"
                      "when all files are complete; inside a run folder, it is removed when the run is repeated. How "
                      "to open the files:\n"
                      "docs/export.md."));
  return [=] { return export_motion(*wanted, *options); };
}

}  // namespace pithball::app
