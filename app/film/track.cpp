#include "app/film/track.hpp"

#include <algorithm>
#include <memory>

#include "app/base/progress.hpp"
#include "app/film/film_preview.hpp"
#include "app/film/film_reader.hpp"
#include "datasets/film/median_picture.hpp"
#include "datasets/film/picture_filter.hpp"
#include "sim/core/error.hpp"
#include "sim/core/stop.hpp"

namespace pithball::app {
namespace {

using datasets::Detection;
using datasets::Detections;
using datasets::Region;
using datasets::SpotDetector;

/// Frames that are spread evenly over a film, about as many as wanted.
std::vector<Picture> sample_frames(const std::string& film, Index wanted) {
  const auto count = static_cast<Index>(describe_film(film).times.size());
  FilmReader reader(film, std::max<Index>(1, count / wanted));
  std::vector<Picture> frames;
  for (Picture frame; static_cast<Index>(frames.size()) < 2 * wanted && reader.read(frame);) frames.push_back(frame);
  return frames;
}

void require_inside(const Picture& frame, const std::optional<Region>& region, const std::string& name) {
  if (!region) return;
  const bool is_inside = region->x >= 0 && region->y >= 0 && region->width > 0 && region->height > 0 &&
                         region->x + region->width <= frame.cols() && region->y + region->height <= frame.rows();
  if (!is_inside)
    throw InvalidArgument({name, "",
                           "must lie within the " + std::to_string(frame.cols()) + " x " +
                               std::to_string(frame.rows()) + " pixels of the film",
                           std::to_string(region->x) + "," + std::to_string(region->y) + "," +
                               std::to_string(region->width) + "," + std::to_string(region->height),
                           "give the column and row of its first pixel, its width and its height"});
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
    if (reader.frames() == 0) throw InvalidArgument({film_, "", "must have a frame", "none", "name another film"});
    if (preview_) preview_->finish();
    return finish(reader);
  }

 private:
  void learn_from_sample() {
    constexpr Index wanted = 25;
    const std::vector<Picture> frames = sample_frames(film_, wanted);
    detector_.set_background(datasets::median_picture(frames));
    detector_.learn(frames);
    has_learned_ = true;
  }

  /// Learns from the frames that wait, and searches them.
  void learn(std::vector<Picture>& waiting) {
    if (waiting.empty()) return;
    detector_.learn(waiting);
    has_learned_ = true;
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
};

}  // namespace

TrackedFilm track_film(const std::string& film, const TrackOptions& options) {
  datasets::require_picture_filter("track");
  return FilmSearch(film, options).run();
}

}  // namespace pithball::app
