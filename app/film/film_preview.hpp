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

/// A film's frames with a circle around each detection, as a video or as images: yellow around bright spots, blue
/// around dark ones.
class FilmPreview {
 public:
  /// `target`: a file .mp4, which is replaced, or a new folder that gets frames as 00000.png, 00001.png, …. Both appear
  /// when they are complete. Throws InvalidArgument if it has another ending, on a folder that exists, and if ffmpeg is
  /// not installed.
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
