#include "datasets/film/spot_detector.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include "datasets/film/picture_filter.hpp"
#include "datasets/film/ring_pieces.hpp"
#include "datasets/film/spot_table.hpp"
#include "sim/core/error.hpp"

namespace pithball::datasets {
namespace {

/// A spot that is nearer to a stronger one than this many of its standard deviations is looked for once that one is
/// subtracted: two equal round spots make one peak within 2 σ.
constexpr double merging_distance = 1.6;
/// A candidate that is within this many standard deviations of a stronger spot, and this part of its height, may be
/// what the filters make of that spot's edge, or what its form leaves: it is looked for likewise. One of the other sign
/// is always that: a form that is not the spot's leaves dark places beside a bright one.
constexpr double edge_distance = 4.5, edge_height = 0.2;
/// The filters see this part of a spot's significance, at sizes between theirs.
constexpr double seen_by_filters = 0.75;
/// Decrease of χ² that a further shape must bring; by chance two parameters bring 2 on average, and 20 in one of
/// 20,000.
constexpr double form_gain = 20;
/// Decrease of the Bayesian information that a ring must bring, compared with the spots that it replaces. The pieces of
/// a drawn ring bring several times as much; two drawn balls that were found as one spot mostly bring less.
constexpr double ring_gain = 60;
/// Next term of the expansion in the noise: the mean squared error of a center is that of the inverse Fisher
/// information times 1 + 13/snr², found with drawn spots (the curvature of χ² is noisy, and the height that is fitted
/// too large).
constexpr double second_order = 13;
/// Longest ellipse: what is longer is a scratch or two spots.
constexpr double longest_ellipse = 5;
/// Margin around a region that is looked at, too, in sizes of the largest spot.
constexpr double view_margin = 3;

double distance(const Spot& spot, double x, double y) {
  return std::sqrt((spot.x - x) * (spot.x - x) + (spot.y - y) * (spot.y - y));
}

/// Mean brightness of the outermost part of a window.
double mean_of_rim(const SpotWindow& window, const Spot& spot) {
  constexpr double outer = 0.8;
  double sum = 0, count = 0;
  for (Index k = 0; k < window.x.size(); ++k)
    if (distance(spot, window.x[k], window.y[k]) > outer * window.radius) {
      sum += window.brightness[k];
      ++count;
    }
  return count > 0 ? sum / count : 0;
}

const SpotWanted& checked(const SpotWanted& wanted) {
  require_picture_filter("spots");
  constexpr double largest = 1000;  // the filters grow with it
  if (!(wanted.smallest > 0 && wanted.largest > wanted.smallest))
    throw InvalidArgument({"spots", "sizes", "must be > 0 px, the smallest below the largest",
                           to_text(wanted.smallest) + " and " + to_text(wanted.largest), "correct them"});
  if (wanted.largest > largest)
    throw InvalidArgument({"spots", "sizes", "must be at most 1000 px", to_text(wanted.largest), "correct them"});
  if (!(wanted.min_snr > 0))
    throw InvalidArgument({"spots", "min_snr", "must be > 0", to_text(wanted.min_snr), "5 is usual"});
  return wanted;
}

}  // namespace

SpotDetector::SpotDetector(const SpotWanted& wanted)
    : wanted_(checked(wanted)), search_(wanted.largest / std::numbers::sqrt2) {}

void SpotDetector::set_background(Picture background) { background_ = std::move(background); }

void SpotDetector::take(const Picture& frame) {
  if (background_.size() > 0 && (background_.rows() != frame.rows() || background_.cols() != frame.cols()))
    throw InvalidArgument({"background", "size", "must be that of the frames",
                           std::to_string(background_.cols()) + " x " + std::to_string(background_.rows()),
                           "make it of the same film"});
  view_ = {0, 0, frame.cols(), frame.rows()};
  if (wanted_.region) {
    // Spots at the region's edges are fitted with their surroundings outside of it.
    const auto margin = static_cast<Index>(std::ceil(view_margin * wanted_.largest));
    const Region& region = *wanted_.region;
    view_.x = std::clamp<Index>(region.x - margin, 0, frame.cols());
    view_.y = std::clamp<Index>(region.y - margin, 0, frame.rows());
    view_.width = std::clamp<Index>(region.x + region.width + margin, view_.x, frame.cols()) - view_.x;
    view_.height = std::clamp<Index>(region.y + region.height + margin, view_.y, frame.rows()) - view_.y;
  }
  seen_ = frame.block(view_.y, view_.x, view_.height, view_.width);
  if (background_.size() > 0) seen_ -= background_.block(view_.y, view_.x, view_.height, view_.width);
  rest_ = seen_;
}

PixelNoise SpotDetector::noise() const { return {search_.pixel_noise(1), gain_}; }

PixelNoise SpotDetector::noise_at(const Spot& spot) const {
  PixelNoise noise{search_.pixel_noise(spot.sigma()), gain_};
  if (gain_ > 0) {  // and that of the light of other spots at its center, which is subtracted from `rest_`
    const Index x = std::clamp<Index>(std::llround(spot.x), 0, rest_.cols() - 1);
    const Index y = std::clamp<Index>(std::llround(spot.y), 0, rest_.rows() - 1);
    const double light = std::max(0.0F, seen_(y, x) - rest_(y, x));
    noise.floor = std::sqrt(noise.floor * noise.floor + gain_ * light);
  }
  return noise;
}

std::vector<SpotDetector::Place> SpotDetector::choose(const std::vector<SpotCandidate>& candidates,
                                                      std::vector<SpotCandidate>& covered) const {
  std::vector<Place> places;
  std::map<double, SpotTable> by_scale;  // candidates have a few scales
  const auto hides = [&](const Place& place, const SpotCandidate& candidate) {
    const Spot& spot = place.fitted.spot;
    const double apart = distance(spot, candidate.x, candidate.y), scale = std::max(spot.sigma(), candidate.scale);
    const bool is_faint = std::abs(candidate.height) < edge_height * std::abs(spot.height);
    return apart < merging_distance * scale ||
           (apart < edge_distance * scale && (is_faint || (candidate.height > 0) == (spot.height < 0)));
  };
  for (const SpotCandidate& candidate : candidates) {
    if (!(candidate.height > 0 ? wanted_.bright : wanted_.dark)) continue;
    const bool is_covered = std::ranges::any_of(by_scale, [&](const auto& entry) {
      const auto& [scale, table] = entry;
      return table.any_near(candidate.x, candidate.y, edge_distance * std::max(scale, candidate.scale),
                            [&](std::size_t k) { return hides(places[k], candidate); });
    });
    if (is_covered) {
      covered.push_back(candidate);
      continue;
    }
    Place place;
    place.fitted.spot = Spot::round(candidate.x, candidate.y, candidate.height, candidate.scale);
    by_scale.try_emplace(candidate.scale, view_.width, view_.height, edge_distance * candidate.scale)
        .first->second.add(candidate.x, candidate.y, places.size());
    places.push_back(place);
  }
  return places;
}

std::optional<FittedSpot> SpotDetector::fit_round(SpotWindow& window, const Spot& start) const {
  constexpr double far = 1.3;  // change of the size that asks for another window
  std::optional<FittedSpot> fitted = fit_spot(window, start, noise_at(start), wanted_.min_snr);
  double sigma = start.sigma();
  for (int k = 0; k < 2 && fitted; ++k) {
    const double change = fitted->spot.sigma() / sigma;
    if (change < far && change > 1 / far) break;
    sigma = fitted->spot.sigma();
    window = SpotWindow(rest_, fitted->spot);
    fitted = fit_spot(window, fitted->spot, noise_at(fitted->spot), wanted_.min_snr);
  }
  return fitted;
}

std::optional<FittedSpot> SpotDetector::fit_other_form(const SpotWindow& window, const FittedSpot& round) const {
  const PixelNoise noise = noise_at(round.spot);
  const double required = std::sqrt(round.significance * round.significance + form_gain);
  std::optional<FittedSpot> best;
  if (round.significance > 0) {
    Spot ellipse = round.spot;
    ellipse.form = SpotForm::Elliptical;
    ellipse.shape[2] = ellipse.shape[0];
    best = fit_spot(window, ellipse, noise, required);
    if (best && best->spot.elongation() > longest_ellipse) best.reset();
  }
  if (const std::optional<Spot> start = find_ring(window, round, noise))
    if (const std::optional<FittedSpot> ring = fit_spot(window, *start, noise, required);
        ring && (!best || ring->chi_square < best->chi_square))
      best = ring;
  return best;
}

bool SpotDetector::fit(Place& place, bool may_change_form) {
  const Spot start = place.fitted.spot;
  SpotWindow window(rest_, start);
  std::optional<FittedSpot> fitted = fit_round(window, start);
  bool is_changed = false;
  if (!fitted && start.form == SpotForm::Round && window.x.size() > 0) {  // the middle of a ring, perhaps
    FittedSpot guess;
    guess.spot = Spot::round(start.x, start.y, start.height, 0.5 * start.sigma());  // a window with finer squares
    window = SpotWindow(rest_, guess.spot);
    guess.background = mean_of_rim(window, guess.spot);
    fitted = fit_other_form(window, guess);
    is_changed = fitted.has_value();
  }
  // What is left beside a spot that takes the light of two may be of the other sign.
  if (!fitted || (fitted->spot.height < 0) != (start.height < 0)) return false;
  const double freedom = static_cast<double>(window.x.size() - fitted->spot.parameters() - 1);
  const bool is_off = fitted->chi_square > freedom + 2 * std::sqrt(2 * freedom);
  if (may_change_form && is_off && fitted->spot.form == SpotForm::Round)
    if (const auto other = fit_other_form(window, *fitted);
        other && other->chi_square < fitted->chi_square - form_gain) {
      fitted = other;
      is_changed = true;
    }
  if (is_changed) {  // with the window of that form
    window = SpotWindow(rest_, fitted->spot);
    if (const auto again = fit_spot(window, fitted->spot, noise_at(fitted->spot))) fitted = again;
  }
  if (sums_) sums_->add(window, *fitted, noise_at(fitted->spot));
  place.fitted = *fitted;
  place.fitted.spot = fitted->spot.sharpened(window.bin);
  place.is_fitted = true;
  place.is_settled = !is_off && !is_changed;
  return true;
}

void SpotDetector::fit_all(std::vector<Place>& places, bool may_change_form) {
  std::vector<Place> found;
  for (Place& place : places) {
    if (place.is_settled) {
      found.push_back(place);
      continue;
    }
    place.fitted.spot.add_to(rest_, 1);
    Place next = place;
    if (!fit(next, may_change_form) || !is_wanted(next.fitted)) continue;
    next.fitted.spot.add_to(rest_, -1);
    found.push_back(std::move(next));
  }
  places = std::move(found);
}

void SpotDetector::settle(std::vector<Place>& places) const {
  double largest = 1;
  for (const Place& place : places) largest = std::max(largest, place.fitted.spot.extent());
  SpotTable table(view_.width, view_.height, largest);
  for (std::size_t k = 0; k < places.size(); ++k) table.add(places[k].fitted.spot.x, places[k].fitted.spot.y, k);
  for (Place& place : places) {
    if (!place.is_settled) continue;
    const Spot& spot = place.fitted.spot;
    const double extent = spot.extent();
    place.is_settled = !table.any_near(spot.x, spot.y, extent + largest, [&](std::size_t k) {
      const Spot& neighbor = places[k].fitted.spot;
      return &places[k] != &place && distance(spot, neighbor.x, neighbor.y) < extent + neighbor.extent();
    });
  }
}

bool SpotDetector::stands_out(const SpotCandidate& candidate, const std::vector<Place>& places) const {
  double hiding = 0;  // height of the highest spot that has the candidate within it
  for (const Place& place : places) {
    const Spot& spot = place.fitted.spot;
    if (distance(spot, candidate.x, candidate.y) >= spot.extent()) continue;
    if ((spot.height < 0) != (candidate.height < 0)) return false;
    hiding = std::max(hiding, std::abs(spot.height));
  }
  const Spot shape = Spot::round(candidate.x, candidate.y, candidate.height < 0 ? -1 : 1, candidate.scale);
  const SpotWindow window(rest_, shape);
  if (window.x.size() < 12) return false;
  const auto [height, significance] = fit_height(window, shape, noise_at(shape));
  return (height < 0) == (candidate.height < 0) && significance >= wanted_.min_snr &&
         std::abs(height) >= edge_height * hiding;
}

bool SpotDetector::join_rings(std::vector<Place>& places) {
  std::vector<Spot> spots;
  for (const Place& place : places) spots.push_back(place.fitted.spot);
  std::vector<Place> rings;
  std::vector<bool> is_piece(places.size(), false);
  const auto take_ring = [&](const std::vector<std::size_t>& group) {
    const std::optional<FittedSpot> ring = join(pieces_of(spots, group));
    if (!ring) return;
    for (const std::size_t k : group) is_piece[k] = true;
    rings.push_back({*ring, true, false});
  };
  std::vector<bool> is_alone(places.size(), true);
  for (const std::vector<std::size_t>& group : find_ring_pieces(spots)) {
    for (const std::size_t k : group) is_alone[k] = false;
    take_ring(group);
  }
  for (std::size_t k = 0; k < places.size(); ++k)  // the only piece that was found, perhaps
    if (is_alone[k] && !places[k].is_settled && spots[k].form == SpotForm::Round) take_ring({k});
  std::size_t number = 0;
  std::erase_if(places, [&](const Place&) { return is_piece[number++]; });
  places.insert(places.end(), rings.begin(), rings.end());
  return !rings.empty();
}

std::optional<FittedSpot> SpotDetector::join(const std::vector<Spot>& pieces) {
  const auto add_pieces = [&](double factor) {
    for (const Spot& piece : pieces) piece.add_to(rest_, factor);
  };
  Spot start = ring_of(pieces);
  if (pieces.size() == 1) {
    add_pieces(1);
    start = ring_around(rest_, pieces.front(), noise_at(start).floor);
    add_pieces(-1);
  }
  if (!(start.size() > 0 && start.size() <= wanted_.largest)) return std::nullopt;
  // The noise is that of the ring's mean brightness everywhere: both descriptions are measured alike.
  PixelNoise noise = noise_at(start);
  noise = {std::sqrt(noise.floor * noise.floor + 0.5 * noise.gain * std::abs(start.height)), 0};
  SpotWindow window(rest_, start);  // what the pieces leave
  const auto pixels = static_cast<double>(window.x.size());
  if (pixels == 0) return std::nullopt;
  const double left = (window.brightness - window.brightness.mean()).square().sum();
  double parameters = 1;
  for (const Spot& piece : pieces) parameters += piece.parameters();
  const double of_pieces =
      bayesian_information(left * window.bin * window.bin / (noise.floor * noise.floor), parameters, pixels);
  add_pieces(1);
  window = SpotWindow(rest_, start);
  const std::optional<FittedSpot> ring = fit_spot(window, start, noise);
  if (ring && ring->spot.size() <= wanted_.largest && ring->spot.size() > ring->spot.sigma() &&
      (ring->spot.height < 0) == (start.height < 0) &&
      bayesian_information(ring->chi_square, ring->spot.parameters() + 1, pixels) < of_pieces - ring_gain) {
    ring->spot.add_to(rest_, -1);
    return ring;
  }
  add_pieces(-1);
  return std::nullopt;
}

bool SpotDetector::is_wanted(const FittedSpot& fitted) const {
  const Spot& spot = fitted.spot;
  const Region region = wanted_.region.value_or(view_);
  return (spot.height > 0 ? wanted_.bright : wanted_.dark) && fitted.significance >= wanted_.min_snr &&
         spot.size() >= wanted_.smallest && spot.size() <= wanted_.largest &&
         region.contains(view_.x + spot.x, view_.y + spot.y);
}

void SpotDetector::measure_noise(const std::vector<Place>& places) {
  constexpr double inner = 2;  // standard deviations of a spot within which its fit has taken much of the noise
  std::vector<Disc> discs;
  for (const Place& place : places) {
    const Spot& spot = place.fitted.spot;
    const double ring = spot.form == SpotForm::Ring ? spot.shape[0] : 0;
    discs.push_back({spot.x, spot.y, ring + inner * spot.sigma()});
  }
  search_.filter(rest_);
  search_.measure_noise(discs);
}

std::vector<SpotDetector::Place> SpotDetector::find_spots(const Picture& frame) {
  constexpr long between_measurements = 8;
  take(frame);
  search_.filter(rest_);
  if (frames_ == 0) search_.guess_noise();
  std::vector<SpotCandidate> covered;
  std::vector<Place> places = choose(search_.find(seen_by_filters * wanted_.min_snr), covered);
  for (const Place& place : places) place.fitted.spot.add_to(rest_, -1);
  GainSums* const sums = std::exchange(sums_, nullptr);
  fit_all(places, false);
  settle(places);
  fit_all(places, true);
  bool is_crowded = join_rings(places);
  std::vector<SpotCandidate> left, ignored;
  for (const SpotCandidate& candidate : covered)
    if (stands_out(candidate, places)) left.push_back(candidate);
  std::vector<Place> further = choose(left, ignored);
  for (const Place& place : further) place.fitted.spot.add_to(rest_, -1);
  fit_all(further, true);
  places.insert(places.end(), further.begin(), further.end());
  if (!further.empty()) {
    join_rings(places);
    is_crowded = true;
  }
  for (Place& place : places) place.is_settled = place.is_settled && !sums;
  sums_ = sums;
  settle(places);
  if (is_crowded || sums_) fit_all(places, true);
  if (sums_ || frames_ % between_measurements == 0) measure_noise(places);
  ++frames_;
  return places;
}

void SpotDetector::learn(const std::vector<Picture>& frames) {
  constexpr int rounds = 2;  // the first has a guess of the noise
  for (int round = 0; round < rounds; ++round) {
    GainSums sums;
    sums_ = &sums;
    search_.restart_noise();
    for (const Picture& frame : frames) find_spots(frame);
    sums_ = nullptr;
    gain_ = sums.gain();
  }
}

std::vector<Detection> SpotDetector::detect(const Picture& frame) {
  std::vector<Detection> detections;
  for (const Place& place : find_spots(frame)) {
    const Spot& spot = place.fitted.spot;
    Detection detection;
    detection.x = view_.x + spot.x;
    detection.y = view_.y + spot.y;
    const double snr = place.fitted.significance;
    detection.covariance = place.fitted.covariance * (1 + second_order / (snr * snr));
    detection.size = spot.size();
    detection.brightness = spot.integral();
    detection.snr = snr;
    detections.push_back(detection);
  }
  std::ranges::stable_sort(detections, {}, &Detection::y);
  return detections;
}

}  // namespace pithball::datasets
