#include "app/experiment/detections.hpp"

#include "app/yaml/file_name.hpp"
#include "datasets/capture/detection_links.hpp"

namespace pithball::app {

datasets::LinkRule read_link_rule(Node& node) {
  datasets::LinkRule rule;
  if (node.has("frame") &&
      node.document("frame", "integer >= 0", "first of the file", "number of the frame whose spots are followed"))
    rule.frame = node.integer("frame", "");
  rule.lasting =
      node.integer("lasting", "frames after it in which a spot has to be seen, or it is left out", rule.lasting);
  rule.travel = node.number("travel", "", "largest distance that a spot moves from one frame to the next, in pixels",
                            {}, sim::ValueSign::Positive);
  rule.gap = node.integer("gap", "frames of the file in which a spot may be missing in a row", rule.gap);
  return rule;
}

Points read_detected_particles(Node& system) {
  Node film = system.child("vertices", "particles from a film: one for each spot that is seen in a frame and lasts");
  const std::filesystem::path file =
      read_file_name(film, "file", "table of detections (`pithball list formats`)", false);
  datasets::CaptureFrame frame;
  frame.scale = film.number("scale", "m", "length of one pixel at the particles", {}, sim::ValueSign::Positive);
  frame.axes = datasets::axes_with_up(film.choice("up", {"x", "-x", "y", "-y", "z", "-z"},
                                                  "the picture's upward axis, which is rotated to z: -y for a camera "
                                                  "that looks horizontally",
                                                  "z"));
  const auto rate =
      film.optional_number("rate", "1/s", "frames per second, of a table without times", sim::ValueSign::Positive);
  const datasets::LinkRule rule = read_link_rule(film);
  return film.located_or(Points::Zero(3, 1), "", [&] {
    const datasets::Detections seen = datasets::read_detections(file.string(), rate);
    const datasets::LinkedSpots linked = datasets::link_spots(seen, rule, file.string());
    for (const std::string& note : linked.notes) film.note(file.filename().string() + ": " + note);
    Points pixels = Points::Zero(3, static_cast<Index>(linked.tracks.size()));
    for (Index i = 0; i < pixels.cols(); ++i) {
      const datasets::SpotSight& first = linked.tracks[i].front();
      const datasets::Detection& spot = seen.frames[first.frame].spots[first.spot];
      pixels.col(i).head(2) << spot.x, spot.y;
    }
    return Points(datasets::to_meters(datasets::matrix_of(frame, file.string()), pixels));
  });
}

}  // namespace pithball::app
