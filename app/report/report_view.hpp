#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "app/report/browser.hpp"

namespace pithball::app {

/// Which pictures of a report are wanted, and how they look.
struct PictureOptions {
  bool stills = false, video = false;
  std::optional<double> time;  ///< the instant of a still [s]; none: the start of the motion
  std::string color;           ///< what the motion is colored by; empty: what the page begins with
  std::string theme = "light";
  int width = 1600, height = 900;  ///< of stills of the motion and of videos, in pixels; even

  /// "1600x900" into width and height; throws InvalidArgument.
  void set_size(const std::string& text);
};

/// Opens a report and sets it as asked for. Throws InvalidArgument if its motion does not have such a color or time.
void open_report(Browser& browser, const std::filesystem::path& page, const PictureOptions& options);

/// Leaves only the motion to be seen, and returns what of the page makes a picture of the wanted size. Throws
/// InvalidArgument if the report has none.
PageArea view_motion(Browser& browser, const PictureOptions& options);

}  // namespace pithball::app
