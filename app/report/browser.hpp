#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "app/base/child_process.hpp"
#include "app/base/interruption.hpp"
#include "app/base/temporary_folder.hpp"

namespace pithball::app {

/// A part of a page in its own pixels, from the top left corner of the page.
struct PageArea {
  double x = 0, y = 0, width = 0, height = 0;
};

/// Chromium without a window, which opens one page and is driven over the DevTools protocol. It draws 3D in software,
/// so that pictures do not depend on the machine. It is found as `chromium` on PATH or by the environment variable
/// CHROMIUM. Throws InvalidArgument where there is none, std::runtime_error when it fails or the program is
/// interrupted: as long as it lives, a signal ends the work only after all that it left has been removed.
class Browser {
 public:
  /// `patience`: the longest time that a single request may take [s].
  explicit Browser(double patience = 60);
  ~Browser();

  /// A folder for files that are wanted no longer than the browser.
  const std::filesystem::path& folder() const { return profile_.path(); }

  /// The size of the window in the page's pixels; `scale` pixels of a picture for each of them.
  void viewport(int width, int height, double scale = 1);
  /// Opens a file of this machine and waits until it is loaded.
  void open(const std::filesystem::path& file);
  /// The value of a JavaScript expression; of a promise, what it resolves to. What the page throws is thrown.
  nlohmann::json evaluate(const std::string& expression);
  /// A part of the page, with all changes so far, as the bytes of a PNG file; smaller where a side would exceed 8192
  /// pixels.
  /// `fast`: compresses less, for pictures that are only handed on.
  std::string screenshot(const PageArea& area, bool fast = false);

 private:
  nlohmann::json call(const std::string& method, const nlohmann::json& parameters = nlohmann::json::object());
  /// The next answer or event.
  nlohmann::json receive();

  Interruption interruption_{Interruption::unfinished_is_removed};
  TemporaryFolder profile_{"chromium"};
  ChildProcess chromium_;
  std::string session_, received_;
  std::set<std::string> loaded_;  ///< Chromium's names of the loads that are complete
  int calls_ = 0;
  double scale_ = 1;
};

}  // namespace pithball::app
