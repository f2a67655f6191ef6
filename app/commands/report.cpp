#include <fmt/format.h>

#include <memory>
#include <optional>
#include <vector>

#include "app/base/new_file.hpp"
#include "app/commands/command.hpp"
#include "app/film/ffmpeg.hpp"
#include "app/report/pictures.hpp"
#include "app/report/report_page.hpp"
#include "app/run_folder/folder_record.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;
namespace fs = std::filesystem;

/// Throws InvalidArgument if the pictures cannot be made from this page, which is not in its final place yet.
void check_pictures(Browser& browser, const std::string& page, const PictureOptions& wanted) {
  const fs::path draft = browser.folder() / "report.html";
  replace_file(draft.string(), page);
  open_report(browser, draft, wanted);
  if (wanted.video) view_motion(browser, wanted);
}

/// Writes the pictures of a finished report beside its run; returns their names.
std::vector<fs::path> write_pictures(Browser& browser, const fs::path& page, const fs::path& folder,
                                     const PictureOptions& wanted, bool progress) {
  std::vector<fs::path> files;
  if (wanted.stills) files = write_stills(browser, page, folder / "report", wanted);
  if (wanted.video) {
    files.push_back(folder / "motion.mp4");
    write_video(browser, page, files.back(), wanted, progress);
  }
  return files;
}

int report(const std::string& folder, const ReportOptions& wanted, const PictureOptions& pictures,
           const CommonOptions& options) {
  const fs::path file = options.out.empty() ? fs::path(folder) / "report.html" : fs::path(options.out);
  const Run run = read_run(folder);
  std::optional<Browser> browser;  // so that a missing browser is reported before anything is written
  if (pictures.video) find_ffmpeg();
  if (pictures.stills || pictures.video) browser.emplace();
  const WrittenReport written = write_report(run, file, find_report_template(), wanted, [&](const std::string& page) {
    if (browser) check_pictures(*browser, page, pictures);
  });
  ordered_json sections = ordered_json::array();
  for (const Section& section : written.sections)
    sections.push_back({{"kind", section.kind}, {"title", section.title()}});
  std::string text = fmt::format("{}: report of a run that ended as {}\n", run.summary.name, run.summary.status);
  text += fmt::format("  {} sections, {:.2f} MB, written to {}\n", written.sections.size(), 1e-6 * written.bytes,
                      file.string());
  ordered_json files = ordered_json::array();
  if (browser)
    for (const fs::path& picture : write_pictures(*browser, file, folder, pictures, !options.quiet)) {
      add_to_record(folder, {picture});
      text += fmt::format("  {}\n", picture.string());
      files.push_back(picture.string());
    }
  print_result(options,
               {{"name", run.summary.name},
                {"command", run.summary.command},
                {"status", run.summary.status},
                {"sections", sections},
                {"bytes", written.bytes},
                {"report", file.string()},
                {"pictures", files}},
               text);
  return Done;
}

void add_pictures(CLI::App& parser, PictureOptions& pictures) {
  CLI::Option* const png = parser.add_flag(
      "--png", pictures.stills,
      "Also write an image of each section, RUN/report/*.png, including a 3D image of the motion (needs Chromium)");
  parser.add_flag("--mp4", pictures.video,
                  "Also write a video of the motion, RUN/motion.mp4 (needs Chromium and ffmpeg)");
  parser.add_option("--time", pictures.time, "Time of the images of the motion in s (default: start)")
      ->type_name("SECONDS")
      ->check(number_within(-any_number))
      ->needs(png);
  const std::vector<CLI::Option*> looks{
      parser.add_option("--color", pictures.color, "Quantity shown as color: speed, strain, charge, …")
          ->type_name("NAME"),
      parser.add_option("--theme", pictures.theme, "Light or dark images (default light)")
          ->type_name("NAME")
          ->check(CLI::IsMember({"light", "dark"})),
      parser
          .add_option_function<std::string>(
              "--size", [&pictures](const std::string& text) { pictures.set_size(text); },
              "Size of videos and images of the motion in pixels (default 1600x900)")
          ->type_name("WIDTHxHEIGHT")};
  parser.final_callback([&pictures, looks] {
    for (const CLI::Option* look : looks)
      if (look->count() > 0 && !pictures.stills && !pictures.video)
        throw CLI::RequiresError(look->get_name(), "--png or --mp4");
  });
}

}  // namespace

Action declare_report(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto folder = std::make_shared<std::string>();
  auto wanted = std::make_shared<ReportOptions>();
  parser
      .add_option("RUN", *folder,
                  "The run folder of `simulate`, `fit`, `compare`, `scan` or, with --out, `identify`, `plan` or "
                  "`check-gradient`")
      ->required()
      ->type_name("DIR");
  parser.add_option("--out", options->out, "The page (default RUN/report.html); an earlier report is replaced")
      ->type_name("FILE");
  parser
      .add_option("--motion-size", wanted->motion_size,
                  "Largest size in MB of the motion, or of the motions of all recordings together (default 8); frames "
                  "are omitted evenly to fit")
      ->type_name("MB")
      ->check(number_within(0.01, 400.0));
  auto pictures = std::make_shared<PictureOptions>();
  add_pictures(parser, *pictures);
  add_printing(parser, *options);
  parser.footer(help_footer(
      "  pithball report runs/torus\n  pithball report runs/torus --png --time 3 --color charge --theme dark\n  "
      "pithball report runs/torus --mp4 --size 1280x720\n  pithball report runs/demo --out demo.html --motion-size 20",
      "Writes one HTML file with the run's motion in 3D, its energies, and the results of a fit or a gradient check. "
      "It opens\n"
      "from disk in any current browser, without a network. The option `--report` of those commands does the same at "
      "their end."));
  return [=] { return report(*folder, *wanted, *pictures, *options); };
}

}  // namespace pithball::app
