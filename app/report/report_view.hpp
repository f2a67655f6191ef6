#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "app/report/browser.hpp"

namespace pithball::app {

/// Appearance of the images of a report.
struct PictureOptions {
  bool stills = false,          ///< write PNG images
      video = false;            ///< write an MP4 file
  std::optional<double> time;   ///< time of a still image [s]; none: the start of the motion
  std::string color;            ///< coloring of the motion; empty: the default of the page
  std::string theme = "light";  ///< "light" or "dark"
  int width = 1600,             ///< from 640 to 8192, even
      height = 900;             ///< from 360 to 8192, even

  /// "1600x900" into width and height; throws InvalidArgument.
  void set_size(const std::string& text);
};

/// Opens a report and applies these settings. Throws InvalidArgument if its motion has no such coloring or time.
void open_report(Browser& browser, const std::filesystem::path& page, const PictureOptions& options);

/// Hides everything except the motion, and returns the rectangle of the page that gives an image of the requested size.
/// Throws InvalidArgument if the report has no motion.
PageArea view_motion(Browser& browser, const PictureOptions& options);

}  // namespace pithball::app
