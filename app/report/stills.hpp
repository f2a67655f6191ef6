#pragma once
#include <filesystem>
#include <vector>

#include "app/report/report_view.hpp"

namespace pithball::app {

/// Writes a PNG of each section of a report, `folder`/<id of the section>.png, in place of earlier ones; of the first
/// motion only its picture. Returns the files, in the order of the page. Throws InvalidArgument if the options do not
/// fit the report; then nothing is written.
std::vector<std::filesystem::path> write_stills(Browser& browser, const std::filesystem::path& page,
                                                const std::filesystem::path& folder, const PictureOptions& options);

}  // namespace pithball::app
