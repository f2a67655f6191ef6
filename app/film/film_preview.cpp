#include "app/film/film_preview.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "app/film/ffmpeg.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

namespace fs = std::filesystem;
using datasets::Detection;
using datasets::Index;

namespace {

/// An image of red, green and blue bytes.
struct ColorImage {
  Index width = 0, height = 0;
  std::string bytes;

  void set(Index x, Index y, const std::array<unsigned char, 3>& color) {
    if (x < 0 || y < 0 || x >= width || y >= height) return;
    std::ranges::copy(color, bytes.begin() + 3 * (y * width + x));
  }
};

ColorImage gray_image(const datasets::Picture& frame, double brightness) {
  ColorImage image{frame.cols(), frame.rows(), std::string(static_cast<std::size_t>(3 * frame.size()), '\0')};
  for (Index k = 0; k < frame.size(); ++k)
    std::fill_n(image.bytes.begin() + 3 * k, 3,
                static_cast<char>(static_cast<unsigned char>(std::clamp(brightness * frame.data()[k], 0.0, 255.0))));
  return image;
}

void mark(ColorImage& image, const Detection& spot) {
  constexpr std::array<unsigned char, 3> yellow{255, 210, 0}, blue{80, 170, 255};
  const double radius = 1.5 * spot.size + 3;  // beside the spot, not on it
  const int points = static_cast<int>(std::ceil(4 * std::numbers::pi * radius));
  for (int k = 0; k < points; ++k) {
    const double angle = 2 * std::numbers::pi * k / points;
    image.set(std::llround(spot.x + radius * std::cos(angle)), std::llround(spot.y + radius * std::sin(angle)),
              spot.brightness < 0 ? blue : yellow);
  }
}

/// As ffmpeg's %05d.png.
std::string image_name(Index frame) { return fmt::format("{:05d}.png", frame); }

bool is_video(const std::string& target) { return fs::path(target).extension() == ".mp4"; }

}  // namespace

void require_preview(const std::string& target, const std::string& film, bool overwrite) {
  const fs::path path(target);
  if (!is_video(target) && path.has_extension())
    throw InvalidArgument(
        {target, "preview", "must be a file .mp4 or a folder", path.extension().string(), "correct the name"});
  require_other_file(target, film);
  std::error_code ignored;
  if (!is_video(target) && fs::exists(target, ignored))
    throw InvalidArgument(
        {target, "preview", "must be a new folder", "an existing one", "remove it or choose another name"});
  if (!(overwrite && fs::is_regular_file(target, ignored)))
    require_new_file(target, "remove it or choose another name");
}

FilmPreview::FilmPreview(const std::string& target, double rate)
    : target_(target), is_video_(is_video(target)), rate_(rate) {}

void FilmPreview::start(Index width, Index height) {
  // Pictures that the encoder still has when the last one was sent, at a pessimistic rate of ten million pixels a
  // second.
  const double patience = 60 + 100 * static_cast<double>(width * height) / 10'000'000;
  std::vector<std::string> command{find_ffmpeg().string()};
  append(command, option_words(fmt::format("-loglevel error -y -f rawvideo -pix_fmt rgb24 -s {}x{} -framerate {:g} -i "
                                           "pipe:0",
                                           width, height, rate_)));
  if (is_video_) {
    partial_ = std::make_unique<PartialFile>(target_);
    append(command, mp4_output(partial_->name()));
    // The format has colors of blocks of 2 × 2 pixels, so that sides must be even.
    const auto filters = std::ranges::find(command, "-vf") + 1;
    *filters = "pad=ceil(iw/2)*2:ceil(ih/2)*2," + *filters;
  } else {
    folder_ = std::make_unique<NewFolder>(target_);
    append(command, option_words("-f image2 -start_number 0"));
    command.push_back(ffmpeg_file(folder_->add(image_name(0)).parent_path() / "%05d.png"));
  }
  ffmpeg_ = std::make_unique<ChildProcess>(command, std::vector{0}, patience);
}

void FilmPreview::add(const datasets::Picture& frame, const std::vector<Detection>& spots) {
  if (!ffmpeg_) start(frame.cols(), frame.rows());
  if (folder_ && frames_ > 0) folder_->add(image_name(frames_));
  ++frames_;
  ColorImage image = gray_image(frame, 255 / white_);
  for (const Detection& spot : spots) mark(image, spot);
  ffmpeg_->write(image.bytes);
}

void FilmPreview::finish() {
  if (!ffmpeg_) return;
  if (ffmpeg_->finish() != 0) ffmpeg_->fail("failed");
  if (partial_) partial_->complete();
  if (folder_) folder_->finish();
}

}  // namespace pithball::app
