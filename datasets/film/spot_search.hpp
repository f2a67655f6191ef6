#pragma once
#include <vector>

#include "datasets/film/picture.hpp"

namespace pithball::datasets {

/// A place of a picture where a spot may be.
struct SpotCandidate {
  double x = 0,             ///< of the largest response [px]
      y = 0;                ///< likewise, downwards [px]
  double scale = 0;         ///< standard deviation of the round spot to which the filter responds most [px]
  double height = 0;        ///< peak above the surroundings of such a spot; negative: a dark one
  double significance = 0;  ///< response relative to its noise
};

/// A disc of a picture [px].
struct Disc {
  double x = 0,    ///< of the center
      y = 0,       ///< likewise
      radius = 0;  ///< of the disc
};

/// Looks for round spots of any size: the differences of two Gaussians (standard deviations 1.2 and 2.4 pixels) of the
/// picture and of its halves, quarters, … (Lindeberg, Int. J. Comput. Vis. 30, 79, 1998) respond to spots and not to
/// even or evenly rising surroundings. Each octave of sizes costs a quarter of the one before.
class SpotSearch {
 public:
  /// `largest`: standard deviation of the largest spots [px].
  explicit SpotSearch(double largest);

  /// Computes the responses to a picture.
  void filter(const Picture& picture);

  /// Takes the noise of the last responses for that of white noise, of the octave that shows least of it: a first
  /// guess, from a picture with spots.
  void guess_noise();

  /// Takes the noise of the last responses, of a picture without its spots, into account: 1.4826 times the median of
  /// their magnitudes, at least that of numbers rounded to whole ones. A running mean over the last 16 calls. Places of
  /// spots are left out, because fits took some of their noise, unless little else is left.
  void measure_noise(const std::vector<Disc>& spots);
  /// The next call of `measure_noise` replaces what is known of the noise.
  void restart_noise() { measurements_ = 0; }

  /// Extrema of the last responses that exceed `threshold` times their noise, the most significant first.
  std::vector<SpotCandidate> find(double threshold) const;

  /// Noise of a pixel, in the units of the picture, as it acts on spots of this standard deviation [px]: the white
  /// noise that gives the measured noise of the responses. It is larger than the scatter of single pixels where the
  /// noise of neighbors is alike, as compression makes it.
  double pixel_noise(double scale) const;

 private:
  struct Octave {
    double pixel = 1;  ///< its pixels are those of the picture times this
    double scale = 0;  ///< as of its candidates
    double gain = 0;   ///< root of the sum of squared weights of a response
    double noise = 0;  ///< standard deviation of its responses; 0: not measured yet
    Picture picture, fine, coarse, response;
  };
  void add_candidates(const Octave& octave, double threshold, std::vector<SpotCandidate>& candidates) const;

  std::vector<Octave> octaves_;
  double measurements_ = 0;  // in the running mean
};

}  // namespace pithball::datasets
