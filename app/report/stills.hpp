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

}  // namespace pithball::app
