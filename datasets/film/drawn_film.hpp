#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "datasets/film/picture.hpp"

namespace pithball::datasets {

/// A ball of a drawn frame: where it is in the middle of the exposure of row 0, and how it moves meanwhile.
struct DrawnBall {
  double x = 0,           ///< of the center [px]
      y = 0;              ///< likewise, downwards [px]
  double velocity_x = 0,  ///< to the right [px per frame]
      velocity_y = 0;     ///< downwards [px per frame]
  double height = 0;      ///< of its brightness at rest above the background; negative: dark
  double sigma = 1.5;     ///< standard deviation of a ball in focus; width w of a ring [px]
  double ring = 0;        ///< radius R of a ring out of focus [px]; 0: in focus
};

/// What a drawn film has beside its balls.
struct DrawnScene {
  Index width = 512,             ///< of a frame [px]
      height = 512;              ///< of a frame [px]
  double background = 20;        ///< brightness
  double noise = 1;              ///< standard deviation of a pixel's brightness
  double gain = 0;               ///< brightness for each photon: adds the variance gain · brightness
  double exposure = 0;           ///< part of the time between frames: a moving ball is drawn out
  double row_time = 0;           ///< time between the exposure of a row and the next, in times between frames
  std::optional<Region> hidden;  ///< a part that shows the background alone
  double most = 255;             ///< brightness is rounded to whole numbers from 0 to this; 0: not rounded
  std::uint64_t seed = 1;        ///< of its noise
};

/// Draws frame `number`, whose noise differs from that of others: sums, over each pixel's square, the Gaussians
/// h exp(−r²/2σ²) and rings h exp(−(r − R)²/2w²), averaged over the exposure.
Picture draw_frame(const DrawnScene& scene, const std::vector<DrawnBall>& balls, std::uint64_t number);

/// Where a ball of the scene appears: with a row time in the middle of the exposure of the row in which it then is.
DrawnBall appearance(const DrawnScene& scene, const DrawnBall& ball);

}  // namespace pithball::datasets
