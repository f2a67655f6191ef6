#pragma once
#include <string>
#include <vector>

#include "datasets/film/drawn_film.hpp"

namespace pithball::experiments {

/// A film of balls of one kind, at known places: what the detector finds in it.
struct FilmRow {
  std::string kind;               ///< "ball", "large ball", "dark ball", "ring", "photons", "moving ball"
  double brightness = 0;          ///< height of the balls relative to the noise of a pixel
  double found = 0;               ///< part of the balls
  double false_per_frame = 0;     ///< detections of no ball
  double bias_x = 0, bias_y = 0;  ///< mean of detected − drawn [px]
  double bias_error = 0;          ///< standard error of it [px]
  double scatter = 0;             ///< of the errors, relative to the stated ones
};

/// Names of the kinds.
std::vector<std::string> film_kinds();

/// Detects the balls of `frames` drawn frames of 512 × 512 pixels with some hundred balls each, after the detector has
/// learned from others.
FilmRow measure_film(const std::string& kind, double brightness, int frames);

/// Time for a frame of a drawn film of 512 × 512 pixels with 20 balls.
struct FilmTimes {
  double detect = 0;  ///< processor time of the detector [s]
  double track = 0;   ///< time of `track` with its decoder, for a film in H.264 [s]; NaN: no ffmpeg
};

/// Measures it over so many frames.
FilmTimes time_film(int frames);

}  // namespace pithball::experiments
