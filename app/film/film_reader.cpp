#include "app/film/film_reader.hpp"

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "app/film/ffmpeg.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {

namespace fs = std::filesystem;

bool are_images(const std::string& film) { return film.find('%') != std::string::npos && !fs::exists(film); }

namespace {

constexpr double decoder_patience = 60;  // [s] for the next bytes

void require_film(const std::string& film) {
  std::error_code unreadable;
  if (!are_images(film) && !fs::is_regular_file(film, unreadable))
    throw InvalidArgument({film, "", "must be a film, or a pattern of images such as frames/%04d.png",
                           fs::exists(film, unreadable) ? "no file" : "nothing of this name", "correct the name"});
}

/// What ffprobe prints of a film's first video stream.
std::string probe(const std::string& film, const std::string& options) {
  std::vector<std::string> command{find_ffprobe().string()};
  append(command, option_words("-v error -select_streams v:0 -of csv=p=0 " + options));
  command.push_back(ffmpeg_file(film));
  ChildProcess ffprobe(command, {1}, decoder_patience);
  std::string text;
  for (std::string bytes = ffprobe.read(); !bytes.empty(); bytes = ffprobe.read()) text += bytes;
  if (ffprobe.finish() != 0 || text.empty())
    throw InvalidArgument({film, "", "must be a film that ffmpeg reads", "none", "convert it, or name another file"});
  return text;
}

/// The first cells of lines whose second cell, if any, has no 'D': packets with it are not shown. Empty if one is not a
/// number.
std::vector<double> shown_times(const std::string& lines) {
  std::vector<double> times;
  for (const std::string_view line : datasets::split_lines(lines)) {
    if (datasets::trim(line).empty()) continue;
    const std::size_t comma = line.find(',');
    if (comma != std::string_view::npos && line.find('D', comma) != std::string_view::npos) continue;
    const auto time = datasets::parse_number(datasets::trim(line.substr(0, comma)));
    if (!time) return {};
    times.push_back(*time);
  }
  std::ranges::sort(times);
  return times;
}

/// Whether a format has more than 8 bits: "yuv420p10le", "gray16le", "p010le", "rgb48be".
bool is_deep(const std::string& format) {
  return format.find("le") != std::string::npos || format.find("be") != std::string::npos;
}

std::vector<std::string> decoder_command(const std::string& film, const std::string& format, Index every) {
  // The plane of brightness as it is in the file: a conversion to the full range would round it.
  std::string filters = !is_deep(format) && format.starts_with("yuv") ? "extractplanes=y" : "null";
  if (every > 1) filters = "select=not(mod(n\\," + std::to_string(every) + "))," + filters;
  std::vector<std::string> command{find_ffmpeg().string()};
  append(command, option_words("-nostdin -loglevel error -i"));
  command.push_back(ffmpeg_file(film));
  append(command, {"-map", "0:v:0", "-vf", filters});
  append(command, option_words("-fps_mode passthrough -f image2pipe -c:v pgm -pix_fmt"));
  append(command, {is_deep(format) ? "gray16be" : "gray", "pipe:1"});
  return command;
}

}  // namespace

FilmDescription describe_film(const std::string& film) {
  require_film(film);
  FilmDescription description;
  const std::string format = probe(film, "-show_entries stream=pix_fmt,sample_aspect_ratio");
  const std::string_view first = datasets::split_lines(format).front();
  // "720:480" of width and height, "N/A" or "0:1", before or after the name of the format.
  for (std::string_view rest = first; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view cell = datasets::trim(rest.substr(0, comma));
    if (const std::size_t colon = cell.find(':'); colon != std::string_view::npos) {
      const auto width = datasets::parse_number(cell.substr(0, colon)),
                 height = datasets::parse_number(cell.substr(colon + 1));
      if (width && height && *width > 0 && *height > 0) description.pixel_aspect = *width / *height;
    } else if (description.pixel_format.empty() && cell != "N/A") {
      description.pixel_format = cell;
    }
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  description.times = shown_times(probe(film, "-show_entries packet=pts_time,flags"));
  return description;
}

FilmReader::FilmReader(const std::string& film, Index every)
    : film_(film),
      description_(describe_film(film)),
      ffmpeg_(std::make_unique<ChildProcess>(decoder_command(film, description_.pixel_format, every), std::vector{1},
                                             decoder_patience)) {}

void FilmReader::fail(const std::string& what) const {
  ffmpeg_->fail("sent " + what + " for frame " + std::to_string(frames_));
}

bool FilmReader::require(std::size_t count) {
  while (bytes_.size() - at_ < count) {
    if (at_ > 0) bytes_.erase(0, at_);
    at_ = 0;
    const std::string more = ffmpeg_->read();
    if (more.empty()) return false;
    bytes_.reserve(count + more.size());
    bytes_ += more;
  }
  return true;
}

std::string FilmReader::line() {
  constexpr std::size_t longest = 100;
  std::string text;
  while (text.size() < longest) {
    if (!require(1)) fail("a truncated header");
    const char byte = bytes_[at_++];
    if (byte == '\n') return text;
    text += byte;
  }
  fail("a header that is too long");
}

bool FilmReader::read(Picture& frame) {
  constexpr Index most_side = 1 << 15;
  if (!require(1)) {
    if (ffmpeg_->finish() != 0) ffmpeg_->fail("could not decode " + film_);
    return false;
  }
  // A PGM image (Netpbm): "P5", width and height, largest brightness, each on a line; then the pixels, row by row.
  if (line() != "P5") fail("no PGM image");
  std::string text = line();
  text += " " + line();
  std::istringstream numbers(text);
  Index width = 0, height = 0, most = 0;
  numbers >> width >> height >> most;
  if (!numbers || width < 1 || height < 1 || width > most_side || height > most_side || most < 1 || most > 65535)
    fail("a wrong header");
  if (frames_ > 0 && (width != width_ || height != height_)) fail("a picture of another size");
  width_ = width;
  height_ = height;
  const Index count = width * height, depth = most > 255 ? 2 : 1;
  if (!require(static_cast<std::size_t>(count * depth))) fail("a truncated picture");
  frame.resize(height, width);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(bytes_.data() + at_);
  if (depth == 1)
    for (Index k = 0; k < count; ++k) frame.data()[k] = bytes[k];
  else
    for (Index k = 0; k < count; ++k) frame.data()[k] = static_cast<float>(bytes[2 * k] << 8 | bytes[2 * k + 1]);
  at_ += static_cast<std::size_t>(count * depth);
  ++frames_;
  return true;
}

std::vector<double> FilmReader::times() const {
  if (expected() == frames_) return description_.times;
  std::vector<double> times = shown_times(probe(film_, "-show_entries frame=best_effort_timestamp_time"));
  if (static_cast<Index>(times.size()) == frames_) return times;
  throw InvalidArgument({film_, "time stamps", "must be known of each of its " + std::to_string(frames_) + " frames",
                         std::to_string(times.size()), "give the frames per second: --rate"});
}

}  // namespace pithball::app
