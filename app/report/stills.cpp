#include "app/report/stills.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/base/new_file.hpp"

namespace pithball::app {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// Where a section lies on the page, with a margin.
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
  std::string motion;  // its picture comes last, because it hides all else
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

}  // namespace pithball::app
