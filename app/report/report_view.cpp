#include "app/report/report_view.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "sim/core/error.hpp"

namespace pithball::app {

using nlohmann::json;

namespace {

/// Page width of a picture in CSS pixels: wide enough for the full layout of every section, narrow enough that text
/// stays legible in a small picture.
constexpr int page_width = 1000;

[[noreturn]] void reject_without_motion(const std::string& option) {
  throw InvalidArgument({option, "", "requires a run with a motion", "a run without one", "omit it"});
}

/// Throws unless the page's motion supports the options.
void require_in_motion(const json& motion, const PictureOptions& options) {
  if (options.time) {
    if (motion.is_null()) reject_without_motion("--time");
    const double start = motion["start"], end = motion["end"];
    if (*options.time < start || *options.time > end)
      throw InvalidArgument({"--time", "", fmt::format("must be within the motion, {:g} to {:g} s", start, end),
                             fmt::format("{:g} s", *options.time), "choose a time of the run"});
  }
  if (!options.color.empty()) {
    if (motion.is_null()) reject_without_motion("--color");
    std::string names;
    for (const json& name : motion["colors"]) {
      if (name == options.color) return;
      names += (names.empty() ? "" : ", ") + name.get<std::string>();
    }
    throw InvalidArgument({"--color", "", "must be one of " + names, options.color, "choose one of them"});
  }
}

}  // namespace

void PictureOptions::set_size(const std::string& text) {
  const char* const end = text.data() + text.size();
  const auto [middle, wrong_width] = std::from_chars(text.data(), end, width);
  const bool by = middle != end && *middle == 'x';
  const auto [last, wrong_height] = std::from_chars(by ? middle + 1 : middle, end, height);
  const auto fits = [](int pixels, int least) { return pixels >= least && pixels <= 8192 && pixels % 2 == 0; };
  if (wrong_width != std::errc() || !by || wrong_height != std::errc() || last != end || !fits(width, 640) ||
      !fits(height, 360))
    throw InvalidArgument(
        {"--size", "", "must be WIDTHxHEIGHT in pixels, both even, from 640x360 to 8192x8192", text, "say 1600x900"});
}

void open_report(Browser& browser, const std::filesystem::path& page, const PictureOptions& options) {
  browser.viewport(page_width, page_width, 2);
  browser.open(page);
  browser.evaluate("pithball.ready");
  browser.evaluate("pithball.theme(" + json(options.theme).dump() + ")");
  const json motion = browser.evaluate(
      "pithball.motion && {start: pithball.motion.start, end: pithball.motion.end, colors: pithball.motion.colors}");
  require_in_motion(motion, options);
  if (motion.is_null()) return;
  if (!options.color.empty()) browser.evaluate("pithball.motion.color(" + json(options.color).dump() + ")");
  browser.evaluate(fmt::format("pithball.motion.show({})", options.time.value_or(motion["start"])));
}

PageArea view_motion(Browser& browser, const PictureOptions& options) {
  if (browser.evaluate("pithball.motion === null")) reject_without_motion("a video");
  const double scale = double(options.width) / page_width, height = options.height / scale;
  browser.viewport(page_width, static_cast<int>(std::ceil(height)), scale);
  browser.evaluate(fmt::format("pithball.motion.view({}, {})", page_width, height));
  return {0, 0, page_width, height};
}

}  // namespace pithball::app
