#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace pithball::app {

/// Path of ffmpeg, which reads and writes videos; throws InvalidArgument if it is not installed.
std::filesystem::path find_ffmpeg();

/// Path of ffprobe, which describes them and comes with ffmpeg; throws likewise.
std::filesystem::path find_ffprobe();

/// The name of a file as ffmpeg's argument: otherwise a colon in it would end a protocol.
std::string ffmpeg_file(const std::filesystem::path& file);

/// The words of ffmpeg's options for a new MP4 file with H.264, which every player knows: the color conversion is
/// recorded, and it plays while it is loading. `file` is replaced.
std::vector<std::string> mp4_output(const std::filesystem::path& file);

/// The words of an option list that contains no blanks within words.
std::vector<std::string> option_words(const std::string& options);

/// Appends words to a command line.
void append(std::vector<std::string>& command, const std::vector<std::string>& words);

}  // namespace pithball::app
