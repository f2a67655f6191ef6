#include "app/report/browser.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace pithball::app {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::vector<std::string> chromium_command(const fs::path& profile) {
  const NeededProgram chromium{{"chromium", "chromium-browser", "google-chrome"}, "CHROMIUM", "chromium", "pictures"};
  std::vector<std::string> words{
      find_program(chromium).string(),
      "--headless",
      "--remote-debugging-pipe",
      "--user-data-dir=" + profile.string(),
      "--use-angle=swiftshader",  // WebGL without a graphics card
      "--enable-unsafe-swiftshader",
      "--disable-dev-shm-usage",  // containers often have a small /dev/shm
      "--disable-extensions",
      "--disable-background-networking",
      "--no-first-run",
      "--hide-scrollbars",
      "--force-color-profile=srgb",
      "--force-prefers-reduced-motion",  // no animation unless requested
  };
  if (geteuid() == 0) words.push_back("--no-sandbox");  // otherwise Chromium refuses to run as root
  return words;
}

/// Returns the URL of a file, with all characters escaped that have a special meaning in URLs.
std::string file_url(const fs::path& file) {
  std::string url = "file://";
  for (const char c : fs::absolute(file).lexically_normal().string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) || std::string_view("/-._~").find(c) != std::string_view::npos;
    url += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return url;
}

std::string decode_base64(const std::string& text) {
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()), text.size());
  if (size < 0) throw std::runtime_error("chromium returned an image that is not base64");
  const std::size_t padding = text.size() - std::min(text.size(), text.find('='));
  bytes.resize(size - padding);
  return bytes;
}

}  // namespace

Browser::Browser(double patience) : chromium_(chromium_command(profile_.path()), {3, 4}, patience) {
  const json target = call("Target.createTarget", {{"url", "about:blank"}});
  session_ = call("Target.attachToTarget", {{"targetId", target["targetId"]}, {"flatten", true}})["sessionId"];
  call("Page.enable");
  call("Page.setLifecycleEventsEnabled", {{"enabled", true}});
}

Browser::~Browser() {
  session_.clear();
  try {  // lets Chromium finish writing before the profile is removed
    call("Browser.close");
    chromium_.finish();
  } catch (const std::exception&) {  // the destructor kills the process
  }
}

json Browser::receive() {
  for (;;) {
    if (const std::size_t end = received_.find('\0'); end != std::string::npos) {
      json message = json::parse(received_.substr(0, end));
      received_.erase(0, end + 1);
      const std::string event = message.value("method", "");
      if (event == "Inspector.targetCrashed") throw std::runtime_error("the page crashed in chromium");
      if (event == "Page.lifecycleEvent" && message["params"]["name"] == "load")
        loaded_.insert(message["params"]["loaderId"].get<std::string>());
      return message;
    }
    const std::string more = chromium_.read();
    if (more.empty()) chromium_.fail("ended too early");
    received_ += more;
  }
}

json Browser::call(const std::string& method, const json& parameters) {
  json message{{"id", ++calls_}, {"method", method}, {"params", parameters}};
  if (!session_.empty()) message["sessionId"] = session_;
  chromium_.write(message.dump() + '\0');
  for (;;) {
    json answer = receive();
    if (answer.value("id", 0) != calls_) continue;
    if (answer.contains("error"))
      throw std::runtime_error("chromium rejected " + method + ": " + answer["error"].value("message", "?"));
    return std::move(answer["result"]);
  }
}

void Browser::viewport(int width, int height, double scale) {
  scale_ = scale;
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", scale}, {"mobile", false}});
  // Chromium may answer before the page is resized; pictures taken too early would have the old size.
  evaluate(
      fmt::format("new Promise((done) => {{ const look = () => innerWidth === {} && innerHeight === {} && "
                  "Math.abs(devicePixelRatio - {}) < 1e-3 ? done() : setTimeout(look, 10); look(); }})",
                  width, height, scale));
}

void Browser::open(const fs::path& file) {
  const json answer = call("Page.navigate", {{"url", file_url(file)}});
  if (answer.contains("errorText"))
    throw std::runtime_error("chromium cannot open " + file.string() + ": " + answer["errorText"].get<std::string>());
  while (!loaded_.contains(answer["loaderId"].get<std::string>())) receive();
}

json Browser::evaluate(const std::string& expression) {
  json answer = call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}, {"awaitPromise", true}});
  if (answer.contains("exceptionDetails")) {
    const json& thrown = answer["exceptionDetails"];
    const json exception = thrown.value("exception", json::object());
    throw std::runtime_error("the page failed: " + exception.value("description", thrown.value("text", "?")));
  }
  return answer["result"].value("value", json());
}

std::string Browser::screenshot(const PageArea& area, bool fast) {
  // The output of a script is drawn within two frames.
  evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  const double longest = 8192;  // [pixels]; Chromium fills larger pictures with copies of the drawn part
  const double reduction = std::min(1.0, longest / (scale_ * std::max(area.width, area.height)));
  const json clip{{"x", area.x}, {"y", area.y}, {"width", area.width}, {"height", area.height}, {"scale", reduction}};
  const json picture =
      call("Page.captureScreenshot",
           {{"format", "png"}, {"optimizeForSpeed", fast}, {"captureBeyondViewport", true}, {"clip", clip}});
  return decode_base64(picture["data"].get_ref<const std::string&>());
}

}  // namespace pithball::app
