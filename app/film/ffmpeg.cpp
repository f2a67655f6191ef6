#include "app/film/ffmpeg.hpp"

#include <iterator>
#include <sstream>

#include "app/base/child_process.hpp"

namespace pithball::app {

namespace fs = std::filesystem;

fs::path find_ffmpeg() { return find_program({{"ffmpeg"}, "", "ffmpeg", "videos"}); }

fs::path find_ffprobe() { return find_program({{"ffprobe"}, "", "ffmpeg", "videos"}); }

std::string ffmpeg_file(const fs::path& file) { return "file:" + fs::absolute(file).string(); }

std::vector<std::string> option_words(const std::string& options) {
  std::istringstream words(options);
  return {std::istream_iterator<std::string>(words), {}};
}

void append(std::vector<std::string>& command, const std::vector<std::string>& words) {
  command.insert(command.end(), words.begin(), words.end());
}

std::vector<std::string> mp4_output(const fs::path& file) {
  std::vector<std::string> words = option_words(
      // Records the color conversion, which players would have to guess otherwise.
      "-vf scale=out_color_matrix=bt709:out_range=tv -colorspace bt709 -color_primaries bt709 -color_trc bt709 "
      // faststart: the video plays while it is loading.
      "-c:v libx264 -pix_fmt yuv420p -crf 18 -movflags +faststart -f mp4");
  words.push_back(ffmpeg_file(file));
  return words;
}

}  // namespace pithball::app
