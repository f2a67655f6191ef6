#include "app/report/report_page.hpp"

#include <system_error>

#include "app/base/json_text.hpp"
#include "app/base/new_file.hpp"
#include "app/base/program_folder.hpp"
#include "app/run_folder/folder_record.hpp"
#include "datasets/text/text_scan.hpp"
#include "sim/core/error.hpp"

namespace pithball::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view mark = "<!-- pithball:sections -->";
constexpr std::string_view element = "<script type=\"application/json\" data-kind=\"";

/// Returns one section as an element of the page; `<` is escaped, so that the section cannot contain a tag.
std::string element_of(const Section& section) {
  const std::string json = json_text(section.document, -1);
  std::string text = std::string(element) + section.kind + "\">";
  text.reserve(text.size() + json.size() + 16);
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text + "</script>\n";
}

void require_report_or_nothing(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return require_new_file(file.string());
  if (fs::is_regular_file(file, ignored) &&
      datasets::read_text_file(file.string(), "report").find(element) != std::string::npos)
    return;
  throw InvalidArgument(
      {file.string(), "", "must not exist yet or be an earlier report", "something else", "choose another --out"});
}

}  // namespace

fs::path find_report_template() {
  if (const fs::path file = find_shared_file("report.html"); !file.empty()) return file;
  throw InvalidArgument({"share/pithball/report.html", "", "must exist: reports are written into it",
                         "no page, because npm or a network was missing when the program was built",
                         "build again with both (`make deps` installs npm)"});
}

std::string report_page(const std::string& template_text, const Sections& sections, const fs::path& place) {
  const std::size_t at = template_text.find(mark);
  if (at == std::string::npos || template_text.find(mark, at + 1) != std::string::npos)
    throw InvalidArgument({place.string(), "", "must contain the comment " + std::string(mark) + " once",
                           at == std::string::npos ? "none" : "more", "build the page again"});
  std::string page = template_text.substr(0, at);
  for (const Section& section : sections) page += element_of(section);
  return page + template_text.substr(at + mark.size());
}

WrittenReport write_report(const Run& run, const fs::path& file, const fs::path& template_file,
                           const ReportOptions& options, const CheckPage& check) {
  require_report_or_nothing(file);
  const std::string template_text = datasets::read_text_file(template_file.string(), "page");
  WrittenReport written{file, 0, make_sections(run, options)};
  const std::string page = report_page(template_text, written.sections, template_file);
  if (check) check(page);
  replace_file(file.string(), page);
  add_to_record(run.folder, {file});
  written.bytes = page.size();
  return written;
}

}  // namespace pithball::app
