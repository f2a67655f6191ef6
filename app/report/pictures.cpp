#include "app/report/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "app/base/new_file.hpp"
#include "app/base/partial_file.hpp"
#include "app/base/progress.hpp"
#include "app/film/ffmpeg.hpp"

namespace pithball::app {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// Returns the area of a section on the page, with a margin.
PageArea area_of(Browser& browser, const std::string& id) {
  const json box =
      browser.evaluate(fmt::format("(() => {{ const box = document.getElementById({}).getBoundingClientRect();"
                                   "return [box.x + scrollX, box.y + scrollY, box.width, box.height]; }})()",
                                   json(id).dump()));
  const double margin = 16;
  const double x = box[0], y = box[1], width = box[2], height = box[3];
  return {std::max(0.0, x - margin), y, width + 2 * margin, height + margin};
}

}  // namespace

std::vector<fs::path> write_stills(Browser& browser, const fs::path& page, const fs::path& folder,
                                   const PictureOptions& options) {
  open_report(browser, page, options);
  std::vector<fs::path> files;
  std::string motion;  // its picture is taken last, because it hides everything else
  const bool has_motion = browser.evaluate("pithball.motion !== null");
  fs::create_directories(folder);
  for (const json& section : browser.evaluate("pithball.sections")) {
    const std::string id = section["id"];
    files.push_back(folder / (id + ".png"));
    if (has_motion && motion.empty() && section["kind"] == "motion")
      motion = files.back();
    else
      replace_file(files.back(), browser.screenshot(area_of(browser, id)));
  }
  if (!motion.empty()) {
    const PageArea picture = view_motion(browser, options);
    replace_file(motion, browser.screenshot(picture));
  }
  return files;
}

namespace {

constexpr int pictures_per_second = 30;

std::vector<std::string> ffmpeg_command(const fs::path& file) {
  std::vector<std::string> all{find_ffmpeg()};
  append(all, option_words("-loglevel error -y -f image2pipe -c:v png -framerate " +
                           std::to_string(pictures_per_second) + " -i pipe:0"));
  append(all, mp4_output(file));
  return all;
}

}  // namespace

int write_video(Browser& browser, const fs::path& page, const fs::path& file, const PictureOptions& options,
                bool progress) {
  open_report(browser, page, options);
  const PageArea picture = view_motion(browser, options);
  const nlohmann::json motion =
      browser.evaluate("[pithball.motion.start, pithball.motion.end, pithball.motion.playback]");
  const double start = motion[0], end = motion[1], seconds = motion[2];
  const int pictures = std::max(2, static_cast<int>(std::lround(pictures_per_second * seconds)));

  Progress bar("video", pictures, progress, Progress::Piped::Lines);
  bar.update(0);
  const PartialFile partial(file);
  // At the end, some hundred buffered pictures remain to be encoded, at a pessimistic rate of ten million pixels a
  // second.
  const double patience = 60 + 100 * 1e-7 * options.width * options.height;
  ChildProcess ffmpeg(ffmpeg_command(partial.name()), {0}, patience);
  for (int k = 0; k < pictures; ++k) {
    browser.evaluate(fmt::format("pithball.motion.show({})", start + (end - start) * k / (pictures - 1)));
    ffmpeg.write(browser.screenshot(picture, true));
    bar.update(k + 1);
  }
  if (ffmpeg.finish() != 0) ffmpeg.fail("failed");
  partial.complete();
  return pictures;
}

}  // namespace pithball::app
