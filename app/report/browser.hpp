#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "app/base/child_process.hpp"
#include "app/base/interruption.hpp"
#include "app/base/new_file.hpp"

namespace pithball::app {

/// A rectangle of a page in CSS pixels, from the top left corner of the page.
struct PageArea {
  double x = 0,    ///< of the left side
      y = 0,       ///< of the top
      width = 0,   ///< to the right
      height = 0;  ///< downwards
};

/// Headless Chromium with one page, controlled over the DevTools protocol. It renders 3D in software, so that images do
/// not depend on the machine. Found as `chromium` on PATH or through the environment variable CHROMIUM. Throws
/// InvalidArgument if there is none, std::runtime_error if it fails or the program is interrupted. While this object
/// exists, a signal ends the work only after all temporary files have been removed.
class Browser {
 public:
  /// `patience`: time limit of a single request [s].
  explicit Browser(double patience = 60);
  ~Browser();

  /// A folder for files that are needed only as long as the browser.
  const std::filesystem::path& folder() const { return profile_.path(); }

  /// Size of the window in CSS pixels; `scale`: image pixels per CSS pixel.
  void viewport(int width, int height, double scale = 1);
  /// Opens a local file and waits until it is loaded.
  void open(const std::filesystem::path& file);
  /// The value of a JavaScript expression, or of the promise that it returns. Exceptions of the page are rethrown.
  nlohmann::json evaluate(const std::string& expression);
  /// A rectangle of the page, after all pending changes, as the bytes of a PNG file; scaled down if a side would exceed
  /// 8192 pixels. `fast`: compress less, for intermediate images.
  std::string screenshot(const PageArea& area, bool fast = false);

 private:
  nlohmann::json call(const std::string& method, const nlohmann::json& parameters = nlohmann::json::object());
  /// The next reply or event.
  nlohmann::json receive();

  Interruption interruption_{Interruption::unfinished_is_removed};
  TemporaryFolder profile_{"chromium"};
  ChildProcess chromium_;
  std::string session_, received_;
  std::set<std::string> loaded_;  ///< Chromium's identifiers of the completed loads
  int calls_ = 0;
  double scale_ = 1;
};

}  // namespace pithball::app
