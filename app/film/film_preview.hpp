#pragma once
#include <memory>
#include <string>
#include <vector>

#include "app/base/child_process.hpp"
#include "app/base/partial_file.hpp"
#include "datasets/film/detections.hpp"
#include "datasets/film/picture.hpp"

namespace pithball::app {

/// A film's frames with a circle around each detection, as a video or as images: yellow around bright spots, blue
/// around dark ones.
class FilmPreview {
 public:
  /// `target`: a file .mp4, which is replaced, or a folder that gets frames as 00000.png, 00001.png, …. Throws
  /// InvalidArgument if it has another ending or ffmpeg is not installed.
  FilmPreview(const std::string& target, double rate);

  /// Adds a frame; all must have one size.
  void add(const datasets::Picture& frame, const std::vector<datasets::Detection>& spots);
  /// Completes the video.
  void finish();

 private:
  void start(datasets::Index width, datasets::Index height);

  std::string target_;
  bool is_video_ = false;
  double rate_ = 30, brightness_ = 1;  ///< frames per second; of a picture's unit in the preview
  std::unique_ptr<PartialFile> partial_;
  std::unique_ptr<ChildProcess> ffmpeg_;
};

}  // namespace pithball::app
