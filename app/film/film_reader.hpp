#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/base/child_process.hpp"
#include "datasets/film/picture.hpp"

namespace pithball::app {

using datasets::Index;
using datasets::Picture;

/// What a film says of itself.
struct FilmDescription {
  std::string pixel_format;   ///< ffmpeg's name: "yuv420p"
  std::vector<double> times;  ///< time stamps of the frames [s], ascending; empty: they must be found by decoding it
  double pixel_aspect = 1;    ///< width of a pixel divided by its height, as the file says
};

/// Describes a film without decoding it. Throws InvalidArgument if it is missing or not a video, and if ffprobe is not
/// installed.
FilmDescription describe_film(const std::string& film);

/// Whether FILM is a pattern of images, which have no time stamps: ffmpeg invents some.
bool are_images(const std::string& film);

/// The frames of a film, one after the other, as brightness: decoded by ffmpeg, a child process, while the ones before
/// are worked on. FILM is any file that ffmpeg reads, or a pattern of images such as frames/%04d.png. Brightness is
/// that of the file: 0 to 255, or to 65535 where it has more than 8 bits; colors become gray.
class FilmReader {
 public:
  /// `every`: only frames 0, every, 2·every, …. Throws InvalidArgument if the film cannot be read.
  explicit FilmReader(const std::string& film, Index every = 1);

  /// Reads the next frame; returns false after the last one. Throws std::runtime_error if ffmpeg fails.
  bool read(Picture& frame);

  /// Number of frames that were read.
  Index frames() const { return frames_; }
  /// How many the film has by its time stamps; 0: unknown.
  Index expected() const { return static_cast<Index>(description_.times.size()); }

  /// Time stamps of the film's packets [s], for an estimate of its rate.
  const std::vector<double>& stamps() const { return description_.times; }
  /// Width of a pixel divided by its height, as the file says; 1 where it says nothing.
  double pixel_aspect() const { return description_.pixel_aspect; }

  /// The time stamp of each frame that was read [s], after the last one. Where the packets of the film do not match its
  /// frames it is decoded once more. Throws InvalidArgument if frames have no time stamps.
  std::vector<double> times() const;

 private:
  /// The next line of an image's header, without its end.
  std::string line();
  /// Fills `bytes_` with at least `count` bytes from `at_` on; returns false at the end of the film.
  bool require(std::size_t count);
  [[noreturn]] void fail(const std::string& what) const;

  std::string film_;
  FilmDescription description_;
  std::unique_ptr<ChildProcess> ffmpeg_;
  std::string bytes_;  ///< received, from `at_` on not used yet
  std::size_t at_ = 0;
  Index frames_ = 0;
  Index width_ = 0, height_ = 0;  ///< of the frames, after the first
};

}  // namespace pithball::app
