#pragma once
#include <filesystem>

#include "app/report/report_view.hpp"

namespace pithball::app {

/// Path of ffmpeg; throws InvalidArgument if it is not installed.
std::filesystem::path find_ffmpeg();

/// Writes a report's motion as a video (H.264, 30 frames per second), with the duration of playback on the page,
/// replacing an earlier one. Returns the number of frames. Throws InvalidArgument if the options do not match the
/// report or it has no motion, std::runtime_error if ffmpeg fails or the program is interrupted; no video is left then.
/// `progress`: shows progress, as lines if standard error is not a terminal.
int write_video(Browser& browser, const std::filesystem::path& page, const std::filesystem::path& file,
                const PictureOptions& options, bool progress);

}  // namespace pithball::app
