#include "app/film/track.hpp"

#include "app/base/new_file.hpp"
#include "python/binding/binding.hpp"

namespace pithball::python {
namespace {

using namespace nb::literals;

std::optional<datasets::Region> region_of(const std::optional<std::vector<sim::Index>>& numbers) {
  if (!numbers) return std::nullopt;
  return datasets::Region{numbers->at(0), numbers->at(1), numbers->at(2), numbers->at(3)};
}

/// Detections side by side: frame, time, x, y, variances, size, brightness, snr.
Eigen::MatrixXd numbers_of(const datasets::Detections& detections) {
  Eigen::MatrixXd columns(10, static_cast<Eigen::Index>(detections.count()));
  Eigen::Index k = 0;
  for (const datasets::DetectionFrame& frame : detections.frames)
    for (const datasets::Detection& spot : frame.spots)
      columns.col(k++) << static_cast<double>(frame.number), spot.time, spot.x, spot.y, spot.covariance(0, 0),
          spot.covariance(0, 1), spot.covariance(1, 1), spot.size, spot.brightness, spot.snr;
  return columns;
}

nb::dict track(const std::string& film, const app::TrackOptions& options, const std::string& out) {
  const app::TrackedFilm tracked = released([&] {
    if (!out.empty()) app::require_new_file(out);
    app::TrackedFilm found = app::track_film(film, options);
    if (!out.empty()) app::write_new_file(out, detections_csv(found.detections));
    return found;
  });
  nb::dict result;
  result["table"] = to_array(numbers_of(tracked.detections), {tracked.detections.count(), 10});
  result["frames"] = tracked.frames;
  result["width"] = tracked.width;
  result["height"] = tracked.height;
  result["pixel_aspect"] = tracked.pixel_aspect;
  result["noise"] = tracked.noise.floor;
  result["gain"] = tracked.noise.gain;
  result["covariance_factor"] = tracked.still.factor;
  return result;
}

}  // namespace

void bind_film(nb::module_& module) {
  using app::TrackOptions;
  using Numbers = std::optional<std::vector<sim::Index>>;
  nb::class_<TrackOptions>(module, "TrackOptions", "How a film is searched for spots.")
      .def(nb::init<>())
      .def_rw("rate", &TrackOptions::rate)
      .def_rw("row_time", &TrackOptions::row_time)
      .def_rw("preview", &TrackOptions::preview)
      .def_rw("progress", &TrackOptions::progress)
      .def("set_spots",
           [](TrackOptions& self, bool bright, bool dark, double min_snr) {
             self.spots.bright = bright;
             self.spots.dark = dark;
             self.spots.min_snr = min_snr;
           })
      .def("set_sizes",
           [](TrackOptions& self, double smallest, double largest) {
             self.spots.smallest = smallest;
             self.spots.largest = largest;
           })
      .def(
          "set_regions",
          [](TrackOptions& self, const Numbers& region, const Numbers& still) {
            self.spots.region = region_of(region);
            self.still = region_of(still);
          },
          "region"_a.none(), "still"_a.none())
      .def("subtract_median", [](TrackOptions& self) { self.background = app::FilmBackground::Median; });
  module.def("track", &track, "film"_a, "options"_a, "out"_a,
             "The spots of a film: `table`, a row for each detection, and what else is known of the film.");
}

}  // namespace pithball::python
