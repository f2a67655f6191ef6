#pragma once
#include <optional>
#include <string>

#include "datasets/film/detections.hpp"
#include "datasets/film/spot_detector.hpp"
#include "datasets/film/still_target.hpp"

namespace pithball::app {

/// What `track` takes for the brightness of a frame without spots.
enum class FilmBackground {
  None,    ///< an even one around each spot
  Median,  ///< that of 25 frames of the whole film, pixel by pixel; what never moves is not found
};

/// How a film is searched for spots.
struct TrackOptions {
  datasets::SpotWanted spots;                        ///< which spots
  FilmBackground background = FilmBackground::None;  ///< what is subtracted from each frame
  std::optional<double> rate;                        ///< frames per second, instead of time stamps; images need it
  double row_time = 0;                               ///< time between the exposure of a row of pixels and the next [s]
  std::optional<datasets::Region> still;  ///< where spots stand still: their scatter corrects all covariances
  std::string preview;                    ///< a file .mp4 or a new folder for marked frames; empty: none
  bool overwrite = false;                 ///< replace a preview .mp4 that exists
  bool progress = false;                  ///< show it on standard error
};

/// The detections of a film, and what they rest on.
struct TrackedFilm {
  datasets::Detections detections;  ///< by frame
  datasets::Index frames = 0,       ///< number of frames of the film
      width = 0,                    ///< of a frame [px]
      height = 0;                   ///< of a frame [px]
  double duration = 0,              ///< from the first to the last frame [s]
      pixel_aspect = 1;             ///< width of a pixel divided by its height, as the film says
  datasets::PixelNoise noise;       ///< of single pixels
  datasets::StillScatter still;     ///< factor 1 without still targets
};

/// Finds the spots of every frame of a film (`SpotDetector`). The noise is learned from its first frames, or from those
/// of the background. Throws InvalidArgument on a film that cannot be read, on a region outside of it, on images
/// without a rate, on a preview that cannot be written, and if ffmpeg or the library that filters pictures is missing;
/// std::runtime_error if ffmpeg fails.
TrackedFilm track_film(const std::string& film, const TrackOptions& options);

}  // namespace pithball::app
