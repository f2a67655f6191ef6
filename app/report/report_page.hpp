#pragma once
#include <filesystem>
#include <functional>
#include <string>

#include "app/report/sections.hpp"

namespace pithball::app {

/// The page template written by the viewer's build: share/pithball/report.html below the program's folder (build tree)
/// or next to the program's bin/ (installed). Throws InvalidArgument if there is none.
std::filesystem::path find_report_template();

/// Inserts the sections in place of the template's comment `<!-- pithball:sections -->`, escaped so that no text in a
/// document can close its element. Throws InvalidArgument, naming `place`, unless the template contains that comment
/// exactly once.
std::string report_page(const std::string& template_text, const Sections& sections, const std::filesystem::path& place);

/// A written report.
struct WrittenReport {
  std::filesystem::path file;  ///< path
  std::size_t bytes = 0;       ///< size of the file [B]
  Sections sections;           ///< what it shows, in order
};

/// Throws InvalidArgument if a text is not the expected kind of page.
using CheckPage = std::function<void(const std::string& page)>;

/// Writes the report of a run atomically, replacing an earlier report. Throws InvalidArgument if the run or the
/// template is unusable, or if `file` exists and is not a report, and rethrows errors of `check`; in all cases nothing
/// is written.
WrittenReport write_report(const Run& run, const std::filesystem::path& file,
                           const std::filesystem::path& template_file, const ReportOptions& options,
                           const CheckPage& check = {});

}  // namespace pithball::app
