#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/base/child_process.hpp"
#include "app/base/new_file.hpp"
#include "app/base/partial_file.hpp"
#include "datasets/film/detections.hpp"
#include "datasets/film/picture.hpp"

namespace pithball::app {

/// Throws InvalidArgument unless marked frames of the film can be written to `target`: a file .mp4, which is new or,
/// with `overwrite`, replaced, and never the film itself; or a new folder. Its folder must exist.
void require_preview(const std::string& target, const std::string& film, bool overwrite);

/// A film's frames with a circle around each detection, as a video or as images: yellow around bright spots, blue
/// around dark ones.
class FilmPreview {
 public:
  /// `target`: a file .mp4, or a new folder that gets frames as 00000.png, 00001.png, …, which `require_preview` has
  /// let pass. Both appear when they are complete.
  FilmPreview(const std::string& target, double rate);

  /// The brightness that is shown white (default 255), for all frames from now on: dim films become visible.
  void set_white(double brightness) { white_ = brightness; }
  /// Adds a frame; all must have one size.
  void add(const datasets::Picture& frame, const std::vector<datasets::Detection>& spots);
  /// Completes the video or the folder.
  void finish();

 private:
  void start(datasets::Index width, datasets::Index height);

  std::string target_;
  bool is_video_ = false;
  double rate_ = 30, white_ = 255;  ///< frames per second; brightness shown as white
  datasets::Index frames_ = 0;
  std::unique_ptr<PartialFile> partial_;  ///< of a video
  std::unique_ptr<NewFolder> folder_;     ///< of images
  std::unique_ptr<ChildProcess> ffmpeg_;
};

}  // namespace pithball::app
