#pragma once
#include <filesystem>
#include <vector>

#include "app/report/report_view.hpp"

namespace pithball::app {

/// Writes a PNG image of each section of a report, `folder`/<id of the section>.png, replacing earlier ones; for the
/// first motion only its picture. Returns the files in page order. Throws InvalidArgument if the options do not match
/// the report; nothing is written then.
std::vector<std::filesystem::path> write_stills(Browser& browser, const std::filesystem::path& page,
                                                const std::filesystem::path& folder, const PictureOptions& options);

/// Writes a report's motion as a video (H.264, 30 frames per second), with the duration of playback on the page,
/// replacing an earlier one. Returns the number of frames. Throws InvalidArgument if the options do not match the
/// report or it has no motion, std::runtime_error if ffmpeg fails or the program is interrupted; no video is left then.
/// `progress`: shows progress, as lines if standard error is not a terminal.
int write_video(Browser& browser, const std::filesystem::path& page, const std::filesystem::path& file,
                const PictureOptions& options, bool progress);

}  // namespace pithball::app
