#pragma once
#include <optional>
#include <vector>

#include "datasets/film/detections.hpp"
#include "datasets/film/picture.hpp"
#include "datasets/film/spot_fit.hpp"
#include "datasets/film/spot_search.hpp"

namespace pithball::datasets {

/// Which spots are looked for.
struct SpotWanted {
  bool bright = true,            ///< those that are brighter than their surroundings
      dark = true;               ///< those that are darker
  double min_snr = 5;            ///< √(decrease of χ² by the spot), at least
  double smallest = 0.7;         ///< RMS radius [px]
  double largest = 16;           ///< RMS radius, of a ring its radius [px]
  std::optional<Region> region;  ///< where centers lie; empty: anywhere in the picture
};

/// Finds the spots of the frames of a film. In each frame:
/// 1. `SpotSearch` names places, at several sizes.
/// 2. At each place a round spot is fitted while the others' are subtracted, twice in turns, so that neighbors do not
///    pull each other's centers.
/// 3. A spot that a round one does not describe becomes an ellipse or a ring, where that lowers χ² by more than chance
///    does.
/// 4. Spots that lie around a common center are replaced by a ring, where that describes them better.
/// 5. What is left after all spots have been subtracted is looked at in the same way at the places that lay within the
///    spots of others.
///
/// The result depends on the frames so far (`learn`, and the running noise), and on nothing else.
class SpotDetector {
 public:
  /// Throws InvalidArgument if the sizes contradict each other, and as `require_picture_filter`.
  explicit SpotDetector(const SpotWanted& wanted);

  /// Subtracts this picture from every frame from now on, such as the median of some frames.
  void set_background(Picture background);

  /// Measures the noise of pixels, and how it grows with brightness, on some frames of the film. Call it before
  /// `detect`.
  void learn(const std::vector<Picture>& frames);

  /// The spots of a frame, by y.
  std::vector<Detection> detect(const Picture& frame);

  /// Noise of a pixel, as it acts on spots of one pixel's size, and its gain.
  PixelNoise noise() const;

 private:
  struct Place {
    FittedSpot fitted;
    bool is_fitted = false;   ///< otherwise `fitted.spot` is a first guess
    bool is_settled = false;  ///< a further fit would change nothing
  };
  void take(const Picture& frame);
  std::vector<Place> choose(const std::vector<SpotCandidate>& candidates, std::vector<SpotCandidate>& covered) const;
  PixelNoise noise_at(const Spot& spot) const;
  std::optional<FittedSpot> fit_round(SpotWindow& window, const Spot& start) const;
  std::optional<FittedSpot> fit_other_form(const SpotWindow& window, const FittedSpot& round) const;
  bool fit(Place& place, bool may_change_form);
  void fit_all(std::vector<Place>& places, bool may_change_form);
  void settle(std::vector<Place>& places) const;
  bool join_rings(std::vector<Place>& places);
  std::optional<FittedSpot> join(const std::vector<Spot>& pieces);
  bool stands_out(const SpotCandidate& candidate, const std::vector<Place>& places) const;
  bool is_wanted(const FittedSpot& fitted) const;
  void measure_noise(const std::vector<Place>& places);
  std::vector<Place> find_spots(const Picture& frame);

  SpotWanted wanted_;
  SpotSearch search_;
  Region view_;  // the part of the frames that is looked at
  Picture background_;
  Picture seen_, rest_;       // the view of a frame without its background; without the spots found so far
  GainSums* sums_ = nullptr;  // while it learns
  double gain_ = 0;
  long frames_ = 0;
};

}  // namespace pithball::datasets
