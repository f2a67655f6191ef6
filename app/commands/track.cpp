#include "app/film/track.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <vector>

#include "app/base/interruption.hpp"
#include "app/base/json_text.hpp"
#include "app/base/new_file.hpp"
#include "app/commands/command.hpp"
#include "app/film/ffmpeg.hpp"
#include "datasets/film/picture_filter.hpp"

namespace pithball::app {
namespace {

using nlohmann::ordered_json;

/// The options of `track`.
struct TrackWanted {
  std::string film, out = "detections.csv", spots = "both", background = "none", preview;
  std::vector<Index> region, still;
  std::vector<double> sizes;
  double min_snr = 5, rate = 0, row_time = 0;
  bool overwrite = false;
};

std::optional<datasets::Region> region_of(const std::vector<Index>& numbers) {
  if (numbers.empty()) return std::nullopt;
  return datasets::Region{numbers[0], numbers[1], numbers[2], numbers[3]};
}

TrackOptions options_of(const TrackWanted& wanted, const CommonOptions& options) {
  TrackOptions track;
  track.spots.bright = wanted.spots != "dark";
  track.spots.dark = wanted.spots != "bright";
  track.spots.min_snr = wanted.min_snr;
  if (!wanted.sizes.empty()) {
    track.spots.smallest = wanted.sizes[0];
    track.spots.largest = wanted.sizes[1];
  }
  track.spots.region = region_of(wanted.region);
  track.background = wanted.background == "median" ? FilmBackground::Median : FilmBackground::None;
  if (wanted.rate > 0) track.rate = wanted.rate;
  track.row_time = wanted.row_time;
  track.still = region_of(wanted.still);
  track.preview = wanted.preview;
  track.overwrite = wanted.overwrite;
  track.progress = !options.quiet;
  return track;
}

/// What was found: how many frames and spots, how noisy they are, and where they are written.
std::string text_of(const TrackedFilm& film, const TrackWanted& wanted) {
  const double count = static_cast<double>(film.detections.count());
  std::string text = fmt::format("{}: {} frames of {} x {} pixels, {:g} s\n  {} detections, {:.1f} per frame\n",
                                 wanted.film, film.frames, film.width, film.height, film.duration,
                                 film.detections.count(), count / static_cast<double>(film.frames));
  if (film.pixel_aspect != 1)
    text += fmt::format(
        "  note: as the film says, a pixel is {:.4g} times as wide as high: x and y have different units. Check on a "
        "scale "
        "in the picture, and multiply x and its errors (docs/film.md)\n",
        film.pixel_aspect);
  text += fmt::format("  noise of a pixel {:.3g}{}\n", film.noise.floor,
                      film.noise.gain > 0
                          ? fmt::format(", its variance grows by {:.3g} of the brightness of a spot", film.noise.gain)
                          : "");
  if (film.still.targets > 0)
    text += fmt::format("  covariances multiplied by {:.3g}: scatter of {} still targets in {} detections\n",
                        film.still.factor, film.still.targets, film.still.detections);
  text += fmt::format("written to {}\n", wanted.out);
  if (!wanted.preview.empty()) text += fmt::format("marked frames in {}\n", wanted.preview);
  if (film.detections.count() == 0)
    text += "Nothing was found: try --min-snr 4, other --sizes, or --background median.\n";
  return text;
}

int track(const TrackWanted& wanted, const CommonOptions& options) {
  // What is missing is said before anything is read.
  datasets::require_picture_filter("track");
  find_ffmpeg();
  require_other_file(wanted.out, wanted.film);
  if (!wanted.overwrite) require_new_file(wanted.out, "use --overwrite to replace it, or choose another name: --out");
  const Interruption interruption(Interruption::unfinished_is_removed);
  const TrackedFilm film = track_film(wanted.film, options_of(wanted, options));
  const std::string table = detections_csv(film.detections);
  if (wanted.overwrite)
    replace_file(wanted.out, table);
  else
    write_new_file(wanted.out, table);
  print_result(options,
               {{"film", wanted.film},
                {"frames", film.frames},
                {"width", film.width},
                {"height", film.height},
                {"duration", film.duration},
                {"pixel_aspect", film.pixel_aspect},
                {"detections", film.detections.count()},
                {"noise", film.noise.floor},
                {"gain", film.noise.gain},
                {"covariance_factor", film.still.factor},
                {"still_targets", film.still.targets},
                {"written", wanted.out},
                {"preview", text_or_null(wanted.preview)}},
               text_of(film, wanted));
  return Done;
}

void add_spot_options(CLI::App& parser, TrackWanted& wanted) {
  parser.add_option("--min-snr", wanted.min_snr, "Keep spots that stand out of the noise at least so far (default 5)")
      ->type_name("SNR")
      ->check(number_within(1));
  parser.add_option("--spots", wanted.spots, "Which are looked for: bright, dark or both (default both)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"bright", "dark", "both"}));
  parser
      .add_option("--sizes", wanted.sizes,
                  "RMS radius of the smallest and the largest spots, radius of rings, in pixels (default 0.7,16)")
      ->delimiter(',')
      ->expected(2)
      ->type_name("PX,PX")
      ->check(number_within(0.1, 1000.0));
  parser
      .add_option("--region", wanted.region,
                  "Part of the picture that is searched, in pixels: first column and row, width, height")
      ->delimiter(',')
      ->expected(4)
      ->type_name("X,Y,W,H");
  parser
      .add_option(
          "--background", wanted.background,
          "none, or median: subtract the median of 25 frames; what never moves is not found then (default none)")
      ->type_name("NAME")
      ->check(CLI::IsMember({"none", "median"}));
  parser
      .add_option("--still", wanted.still,
                  "A part where spots stand still: their scatter corrects the covariances of all detections")
      ->delimiter(',')
      ->expected(4)
      ->type_name("X,Y,W,H");
}

}  // namespace

Action declare_track(CLI::App& parser) {
  auto options = std::make_shared<CommonOptions>();
  auto wanted = std::make_shared<TrackWanted>();
  parser.add_option("FILM", wanted->film, "A film, or a pattern of images such as frames/%04d.png (read by ffmpeg)")
      ->required();
  parser.add_option("--out", wanted->out, "The table (default detections.csv)")->type_name("FILE.csv");
  parser.add_flag("--overwrite", wanted->overwrite, "Replace an earlier table, and an earlier preview .mp4");
  add_spot_options(parser, *wanted);
  parser.add_option("--rate", wanted->rate, "Frames per second (default: the time stamps of the film; images need it)")
      ->type_name("HZ")
      ->check(number_within(1e-9, 1e12));
  parser
      .add_option("--row-time", wanted->row_time,
                  "Rolling shutter: time in s between the exposure of one row of pixels and the next (default 0)")
      ->type_name("SECONDS")
      ->check(number_within(-1, 1));
  parser
      .add_option(
          "--preview", wanted->preview,
          "Also write the frames with a circle around each detection, as a video FILE.mp4 or into a new folder as PNG")
      ->type_name("FILE");
  add_printing(parser, *options);
  parser.footer(help_footer(
      "  pithball track drops.mov --spots bright --preview marked.mp4\n  pithball track beads.avi --region "
      "100,50,400,300 --background median --out beads.csv",
      "Writes a row for each spot of each frame: time, center, covariance of the center, size, brightness and signal "
      "to noise.\nWhich spots are the same particle is not decided here (docs/film.md)."));
  return [=] { return track(*wanted, *options); };
}

}  // namespace pithball::app
