#pragma once
#include <filesystem>
#include <functional>
#include <string>

#include "app/report/sections.hpp"

namespace pithball::app {

/// The page that the sections are written into, as the viewer's build left it: share/pithball/report.html below the
/// program's folder (build tree) or beside the program's bin/ (installed). Throws InvalidArgument if there is none.
std::filesystem::path find_report_template();

/// The template's text with the sections in the place of its comment `<!-- pithball:sections -->`, so that no text of a
/// document can end its element. Throws InvalidArgument, naming `place`, unless the template holds that comment once.
std::string report_page(const std::string& template_text, const Sections& sections, const std::filesystem::path& place);

/// What a report became.
struct WrittenReport {
  std::filesystem::path file;
  std::size_t bytes = 0;
  Sections sections;
};

/// Throws InvalidArgument if the text of a page is not what is wanted.
using CheckPage = std::function<void(const std::string& page)>;

/// Writes the report of a run as a whole, in place of an earlier report. Throws InvalidArgument if the run or the
/// template cannot be used, or if `file` is there and is something else than a report, and what `check` throws; then
/// nothing is written.
WrittenReport write_report(const Run& run, const std::filesystem::path& file,
                           const std::filesystem::path& template_file, const ReportOptions& options,
                           const CheckPage& check = {});

}  // namespace pithball::app
