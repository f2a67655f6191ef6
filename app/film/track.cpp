#include "app/film/track.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "app/base/progress.hpp"
#include "app/film/film_preview.hpp"
#include "app/film/film_reader.hpp"
#include "datasets/film/median_picture.hpp"
#include "datasets/film/picture_filter.hpp"
#include "sim/core/error.hpp"
#include "sim/core/stop.hpp"
#include "sim/core/text.hpp"

namespace pithball::app {
namespace {

using datasets::Detection;
using datasets::Detections;
using datasets::Region;
using datasets::SpotDetector;

/// Number of frames of a film; it is decoded where its packets have no time stamps.
Index count_frames(const std::string& film) {
  const auto stamped = static_cast<Index>(describe_film(film).times.size());
  if (stamped > 0) return stamped;
  FilmReader reader(film);
  for (Picture frame; reader.read(frame);) sim::require_not_stopped();
  return reader.frames();
}

/// Frames that are spread evenly over a film, about as many as wanted.
std::vector<Picture> sample_frames(const std::string& film, Index wanted) {
  const Index count = count_frames(film);
  FilmReader reader(film, std::max<Index>(1, count / wanted));
  std::vector<Picture> frames;
  for (Picture frame; static_cast<Index>(frames.size()) < 2 * wanted && reader.read(frame);) frames.push_back(frame);
  return frames;
}

void require_inside(const Picture& frame, const std::optional<Region>& region, const std::string& name) {
  if (!region) return;
  const bool is_inside = region->x >= 0 && region->y >= 0 && region->width > 0 && region->height > 0 &&
                         region->x <= frame.cols() && region->width <= frame.cols() - region->x &&
                         region->y <= frame.rows() && region->height <= frame.rows() - region->y;
  if (!is_inside)
    throw InvalidArgument({name, "",
                           "must lie within the " + std::to_string(frame.cols()) + " x " +
                               std::to_string(frame.rows()) + " pixels of the film",
                           std::to_string(region->x) + "," + std::to_string(region->y) + "," +
                               std::to_string(region->width) + "," + std::to_string(region->height),
                           "give the column and row of its first pixel, its width and its height"});
}

void require_frames(bool has_frames, const std::string& film) {
  if (!has_frames) throw InvalidArgument({film, "", "must have a frame", "none", "name another film"});
}

void check_clock(const std::string& film, const TrackOptions& options) {
  if (options.rate && !(*options.rate > 0 && std::isfinite(*options.rate)))
    throw InvalidArgument({film, "rate", "must be > 0 frames per second", to_text(*options.rate), "correct it"});
  if (!std::isfinite(options.row_time))
    throw InvalidArgument({film, "row_time", "must be a time in s", to_text(options.row_time), "correct it"});
  if (!options.rate && are_images(film))
    throw InvalidArgument(
        {film, "rate", "must be known: images have no time stamps", "none", "give the frames per second: --rate"});
}

void set_times(Detections& detections, const std::vector<double>& times, double row_time) {
  for (std::size_t k = 0; k < detections.frames.size(); ++k)
    for (Detection& spot : detections.frames[k].spots) spot.time = times[k] + row_time * spot.y;
}

/// A film on its way through the detector.
class FilmSearch {
 public:
  FilmSearch(const std::string& film, const TrackOptions& options)
      : film_(film), options_(options), detector_(options.spots) {}

  TrackedFilm run() {
    constexpr std::size_t to_learn_from = 16;
    if (options_.background == FilmBackground::Median) learn_from_sample();
    FilmReader reader(film_);
    const Index expected = reader.expected();
    if (!options_.preview.empty()) preview_ = std::make_unique<FilmPreview>(options_.preview, preview_rate(reader));
    if (preview_ && has_learned_) preview_->set_white(brightest_);
    Progress bar("track", static_cast<double>(std::max<Index>(1, expected)), options_.progress, Progress::Piped::Lines);
    bar.update(0);
    std::vector<Picture> waiting;
    for (Picture frame; reader.read(frame);) {
      sim::require_not_stopped();
      if (reader.frames() == 1) check(frame);
      if (has_learned_) {
        search(frame);
      } else {
        waiting.push_back(frame);
        if (waiting.size() == to_learn_from) learn(waiting);
      }
      if (expected > 0) bar.update(static_cast<double>(std::min(reader.frames(), expected)));
    }
    learn(waiting);
    require_frames(reader.frames() > 0, film_);
    if (preview_) preview_->finish();
    return finish(reader);
  }

 private:
  void learn_from_sample() {
    constexpr Index wanted = 25;
    const std::vector<Picture> frames = sample_frames(film_, wanted);
    require_frames(!frames.empty(), film_);
    check(frames.front());
    detector_.set_background(datasets::median_picture(frames));
    learn_from(frames);
  }

  void learn_from(const std::vector<Picture>& frames) {
    detector_.learn(frames);
    has_learned_ = true;
    for (const Picture& frame : frames) brightest_ = std::max<double>(brightest_, frame.maxCoeff());
    if (preview_) preview_->set_white(brightest_);
  }

  /// Learns from the frames that wait, and searches them.
  void learn(std::vector<Picture>& waiting) {
    if (waiting.empty()) return;
    learn_from(waiting);
    for (const Picture& frame : waiting) search(frame);
    waiting.clear();
  }

  void check(const Picture& frame) {
    require_inside(frame, options_.spots.region, "region");
    require_inside(frame, options_.still, "still");
    result_.width = frame.cols();
    result_.height = frame.rows();
  }

  void search(const Picture& frame) {
    std::vector<Detection> spots = detector_.detect(frame);
    if (preview_) preview_->add(frame, spots);
    result_.detections.frames.push_back({static_cast<Index>(result_.detections.frames.size()), std::move(spots)});
  }

  /// Frames per second of the preview: those of the film.
  double preview_rate(const FilmReader& reader) const {
    constexpr double usual = 30;
    if (options_.rate) return *options_.rate;
    const auto& times = reader.stamps();
    const double duration = times.size() < 2 ? 0 : times.back() - times.front();
    return duration > 0 ? static_cast<double>(times.size() - 1) / duration : usual;
  }

  TrackedFilm finish(const FilmReader& reader) {
    result_.frames = reader.frames();
    result_.pixel_aspect = reader.pixel_aspect();
    std::vector<double> times;
    if (options_.rate)
      for (Index k = 0; k < result_.frames; ++k) times.push_back(static_cast<double>(k) / *options_.rate);
    else
      times = reader.times();
    result_.duration = times.back() - times.front();
    set_times(result_.detections, times, options_.row_time);
    result_.noise = detector_.noise();
    if (options_.still) {
      result_.still = measure_still(result_.detections, *options_.still);
      scale_covariances(result_.detections, result_.still.factor);
    }
    return std::move(result_);
  }

  std::string film_;
  TrackOptions options_;
  SpotDetector detector_;
  std::unique_ptr<FilmPreview> preview_;
  TrackedFilm result_;
  bool has_learned_ = false;
  double brightest_ = 1;  ///< of the pixels that it learned from
};

}  // namespace

TrackedFilm track_film(const std::string& film, const TrackOptions& options) {
  datasets::require_picture_filter("track");
  check_clock(film, options);
  if (!options.preview.empty()) require_preview(options.preview, film, options.overwrite);
  return FilmSearch(film, options).run();
}

}  // namespace pithball::app
