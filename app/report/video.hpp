#pragma once
#include <filesystem>

#include "app/report/report_view.hpp"

namespace pithball::app {

/// Where ffmpeg is; throws InvalidArgument if it is absent.
std::filesystem::path find_ffmpeg();

/// Writes a report's motion as a video (H.264, 30 pictures a second), as long as the page plays it, in place of an
/// earlier one. Returns the number of pictures. Throws InvalidArgument if the options do not fit the report or it has
/// no motion, std::runtime_error if ffmpeg fails or the program is interrupted; then there is no video.
/// `progress`: shows how far it is, in lines where standard error is no terminal.
int write_video(Browser& browser, const std::filesystem::path& page, const std::filesystem::path& file,
                const PictureOptions& options, bool progress);

}  // namespace pithball::app
