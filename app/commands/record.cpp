#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "app/backend/backend_choice.hpp"
#include "app/base/new_file.hpp"
#include "app/base/print_message.hpp"
#include "app/commands/command.hpp"
#include "app/experiment/mesh_source.hpp"
#include "app/run/recording_run.hpp"
#include "app/yaml/quantity.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// Options as given on the command line.
struct RecordOptions {
  std::string file, to, rate, noise, missing = "0", gap = "0", markers, recording;
  std::uint64_t seed = 1;
  CommonOptions common;
};

double read_option(const char* name, const std::string& text, const char* unit) {
  const Quantity quantity = read_quantity(text, unit);
  if (!quantity.problem.empty())
    throw InvalidArgument(
        {"", name, fmt::format("must be a number{}", *unit ? fmt::format(" in {}, or text with a unit", unit) : ""),
         fmt::format("'{}' ({})", text, quantity.problem),
         *unit ? fmt::format("write a number in {}, or a number with its unit", unit) : "write a number"});
  if (quantity.value < 0)
    throw InvalidArgument({"", name, "must not be negative", text, "give zero or a positive value"});
  return quantity.value;
}

double read_missing(const RecordOptions& options) {
  const double missing = read_option("--missing", options.missing, "");
  if (missing >= 1)
    throw InvalidArgument({"", "--missing", "must be a fraction below 1", options.missing, "write 0.05 for 5 %"});
  return missing;
}

RecordingSettings read_recording_settings(const RecordOptions& options, const Body& body) {
  RecordingSettings settings;
  if (options.rate.empty())
    throw InvalidArgument({"", "--rate", "is required without --recording", "nothing", "give frames per second"});
  settings.rate = read_option("--rate", options.rate, "1/s");
  if (!(settings.rate > 0))
    throw InvalidArgument({"", "--rate", "must be > 0 frames per second", options.rate, "give a positive value"});
  settings.noise = options.noise.empty() ? 0 : read_option("--noise", options.noise, "m");
  settings.missing = read_missing(options);
  settings.gap = read_option("--gap", options.gap, "s");
  settings.seed = options.seed;
  const std::string markers = options.markers.empty() ? "all" : options.markers;
  Reading reading(parse_yaml("markers: [" + markers + "]", "--markers"), "");
  Node root = reading.root();
  settings.particles = read_particles(root, "markers", "", body.mesh.vertices.cols(), body.vertex_groups);
  if (settings.particles.empty())
    throw InvalidArgument(
        {"", "--markers", "must name at least one particle", "'" + markers + "'", "write --markers 0,12,tip"});
  return settings;
}

void require_target(const RecordOptions& options) {
  if (!options.common.earlier.overwrite)
    require_new_file(options.to, "give --overwrite to replace it, or choose another --out");
  if (fs::is_directory(options.to))
    throw InvalidArgument({options.to, "", "must be the name of a file", "a folder", "choose another name"});
}

std::string source_of(const RecordOptions& options) {
  std::string source = fs::path(options.file).filename().string();
  for (const std::string& change : options.common.set) source += " --set '" + change + "'";
  return source;
}

/// Makes the recording planned in the file, with its own instrument.
int run_planned(const RecordOptions& options) {
  for (const auto& [option, text] : {std::pair{"--rate", options.rate}, {"--markers", options.markers}})
    if (!text.empty())
      throw InvalidArgument(
          {"", option, "must not be given together with --recording", text, "write it into the planned recording"});
  if (options.gap != "0")
    throw InvalidArgument({"", "--gap", "must not be given together with --recording", options.gap, "use --missing"});
  require_target(options);
  const FitSpec spec = read_fit(load_document(options.file, options.common), FitPurpose::Prediction);
  PlannedRecordingSettings settings{
      .recording = options.recording, .noise = 1, .missing = read_missing(options), .seed = options.seed};
  if (!options.noise.empty()) settings.noise = read_option("--noise", options.noise, "");
  const MadeRecording made = record_planned(spec, settings, source_of(options));
  if (!made.explanation.empty()) {
    print_message("{}: {}\n", options.file, made.explanation);
    return NumbersFailed;
  }
  write_recording(made, options.to, options.common.earlier.overwrite);
  const ordered_json json{
      {"file", options.to},      {"recording", settings.recording}, {"frames", made.capture.frames()},
      {"noise", settings.noise}, {"missing", settings.missing},     {"seed", settings.seed},
      {"comment", made.comment}};
  print_result(options.common, json,
               fmt::format("{}\n\nwritten to {}; in the experiment file of a fit, write `file: {}` in place of "
                           "`planned`\n",
                           made.comment, options.to, fs::path(options.to).filename().string()));
  return Done;
}

int run(const RecordOptions& options) {
  if (!options.recording.empty()) return run_planned(options);
  const ExperimentDocument document = load_document(options.file, options.common);
  const Experiment experiment = read_experiment(document);
  reject_population(experiment, options.file);
  require_own_backend(experiment.backend, "record");
  const RecordingSettings settings = read_recording_settings(options, experiment.body);
  require_target(options);
  note_many_steps(options.common, options.file, experiment.scenario, experiment.every);
  RunOrder order = run_order("record", options.file, document, options.common, options.to);
  const MadeRecording result = run_recording(experiment, settings, source_of(options), order);
  if (!result.explanation.empty()) {
    print_message("{}: {}\n", options.file, result.explanation);
    return NumbersFailed;
  }
  ordered_json json{{"file", options.to},
                    {"frames", result.capture.frames()},
                    {"markers", settings.particles},
                    {"rate", settings.rate},
                    {"noise", settings.noise},
                    {"missing", settings.missing},
                    {"gap", settings.gap},
                    {"seed", settings.seed},
                    {"comment", result.comment}};
  print_result(
      options.common, json,
      fmt::format(
          "{}\n\nwritten to {}; in the experiment file of a fit:\n  recordings:\n    - file: {}\n      markers: [{}]\n",
          result.comment, options.to, fs::path(options.to).filename().string(), fmt::join(settings.particles, ", ")));
  return Done;
}

}  // namespace

Action declare_record(CLI::App& parser) {
  auto options = std::make_shared<RecordOptions>();
  parser
      .add_option("FILE", options->file,
                  "The experiment file; choose a small time step, since its error becomes part of the recording")
      ->required()
      ->type_name("FILE.yaml");
  parser.add_option("--out", options->to, "Write the recording to this new file: columns t, x0, y0, z0, x1, …")
      ->required()
      ->type_name("FILE.csv");
  parser
      .add_option("--rate", options->rate, "Frames per second; the frame interval must be a whole number of time steps")
      ->type_name("HZ");
  parser
      .add_option("--recording", options->recording,
                  "Instead of --rate: make the planned recording of this name under fit.recordings, as its measurement "
                  "(camera, angle, force, …) would read it")
      ->type_name("NAME");
  parser
      .add_option("--markers", options->markers,
                  "Particle numbers and group names; each particle gets one marker (default: all)")
      ->type_name("0,12,tip");
  parser
      .add_option("--noise", options->noise,
                  "Standard deviation of normally distributed noise on each coordinate: '1 mm' (default 0); with "
                  "--recording a factor of the recording's sigma (default 1)")
      ->type_name("LENGTH");
  parser.add_option("--missing", options->missing, "Fraction of samples dropped independently: 0.05 (default 0)")
      ->type_name("SHARE");
  parser
      .add_option("--gap", options->gap, "Add one gap of this length per marker, at a random time: '0.3 s' (default 0)")
      ->type_name("TIME");
  parser.add_option("--seed", options->seed, "Seed of noise, dropouts and gaps (default 1)")
      ->type_name("N")
      ->check(whole_number());
  add_set(parser, options->common);
  add_threads(parser, options->common);
  add_resume(parser, options->common);
  parser.add_flag("--overwrite", options->common.earlier.overwrite, "Replace the file of --out if it exists");
  add_printing(parser, options->common);
  parser.footer(
      help_footer("  pithball record swing.yaml --rate 50 --out exact.csv\n"
                  "  pithball record swing.yaml --rate 25 --noise '1 mm' --missing 0.05 --gap '0.3 s' --seed 7 "
                  "--markers 3,5,tip --out tracks.csv\n"
                  "  pithball record two-cameras.yaml --recording left --out left.csv",
                  "Simulates the experiment and writes the motion of its markers as a recording that `fit` reads, to "
                  "test a fit with\n"
                  "known true values. The first lines of the file state that it was simulated, how, and with which "
                  "true values. After an\n"
                  "interruption, FILE.csv.record.partial contains the frames simulated so far, and --resume continues "
                  "from there."));
  return [=] { return run(*options); };
}

}  // namespace pithball::app
