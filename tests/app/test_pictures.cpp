#include <cstdint>
#include <cstdlib>

#include "tests/app/program.hpp"
#include "tests/support/places.hpp"
#include "tests/support/skip.hpp"

using namespace pithball::test;

namespace {

/// Where a shell finds a program; empty if nowhere.
bool is_on_path(const std::string& name) { return std::system(("command -v " + name + " >/dev/null").c_str()) == 0; }

/// Skips the test where no pictures can be made.
void require_pictures() {
  for (const std::string program : {"chromium", "ffmpeg"})
    if (!is_on_path(program))
      pithball::tests::skip("no program " + program + ": `third_party/install_packages.sh test` installs it");
  if (!fs::exists(fs::path(pithball::tests::built_program).parent_path() / "share/pithball/report.html"))
    pithball::tests::skip("no page of reports: npm or a network was missing when it was built");
}

/// Runs the small experiment; some seconds, which the page plays in real time.
void simulate(const Workplace& place, int seconds = 4) {
  place.write("small.yaml", replaced(small_experiment, "duration: 0.2", "duration: " + std::to_string(seconds)));
  REQUIRE(place.run("simulate small.yaml --out run").status == 0);
}

/// Width and height of a PNG file, from its header.
std::pair<std::uint32_t, std::uint32_t> png_size(const fs::path& file) {
  const std::string bytes = read_text(file);
  REQUIRE(bytes.substr(1, 3) == "PNG");
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t k = 0; k < 4; ++k) value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
    return value;
  };
  return {number(16), number(20)};
}

/// The pixels of a picture, red, green and blue of each.
std::string pixels(const Workplace& place, const std::string& picture) {
  const std::string target = (place / "pixels").string();
  REQUIRE(std::system(("ffmpeg -v error -nostdin -y -i '" + (place / picture).string() +
                       "' -f rawvideo -pix_fmt rgb24 '" + target + "'")
                          .c_str()) == 0);
  return read_text(target);
}

/// The share of color values that differ by more than an eighth of the whole range: what a reader would see. Bytes are
/// not compared, because a browser may round a blended edge either way.
double visible_difference(const std::string& first, const std::string& second) {
  REQUIRE(first.size() == second.size());
  REQUIRE_FALSE(first.empty());
  std::size_t different = 0;
  for (std::size_t k = 0; k < first.size(); ++k)
    different += std::abs(static_cast<unsigned char>(first[k]) - static_cast<unsigned char>(second[k])) > 32;
  return double(different) / double(first.size());
}

/// Makes stills of the run at 1 s: one of each section, of the size asked for.
void make_stills(const Workplace& place) {
  const Outcome outcome = place.run("report run --png --time 1 --size 800x600 --color charge --theme dark --json");
  CAPTURE(outcome.err);
  REQUIRE(outcome.status == 0);
  const auto pictures = outcome.json()["pictures"];
  CHECK(pictures.size() == outcome.json()["sections"].size());
  CHECK(pictures.size() >= 4);
  for (const auto& picture : pictures) CHECK(png_size(place / picture.get<std::string>()).first >= 800);
  CHECK(png_size(place / "run/report/motion.png") == std::pair{800U, 600U});
}

}  // namespace

TEST_CASE("pictures: what is missing is reported with its package before anything is written", "[app][report]") {
  const Workplace place;
  simulate(place);
  for (const std::string option : {"--png", "--mp4"}) {
    const Outcome outcome = place.run("report run " + option, "PATH=/nowhere");
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find(option == "--png" ? "apt install chromium" : "apt install ffmpeg") != std::string::npos);
    CHECK_FALSE(fs::exists(place / "run/report.html"));
  }
  fs::create_symlink("loop", place / "loop");  // a folder on PATH that cannot be searched
  const Outcome loop = place.run("report run --png", "PATH='" + (place / "loop").string() + "'");
  CHECK(loop.status == 2);
  CHECK(loop.err.find("apt install chromium") != std::string::npos);
  const Outcome named = place.run("report run --png", "CHROMIUM=/no/such/program");
  CHECK(named.status == 2);
  CHECK(named.err.find("CHROMIUM: must name a program") != std::string::npos);
}

TEST_CASE("pictures: a browser that fails is reported as such and leaves nothing", "[app][report]") {
  const Workplace place;
  simulate(place);
  place.write("broken", "#!/bin/sh\necho no display >&2\nexit 3\n");
  fs::permissions(place / "broken", fs::perms::owner_all);
  const Outcome outcome = place.run("report run --png", "CHROMIUM=./broken");
  CHECK(outcome.status == 1);
  CHECK(outcome.err.find("broken ended too early; its message: no display") != std::string::npos);
  CHECK_FALSE(fs::exists(place / "run/report.html"));
}

TEST_CASE("pictures: a signal ends the wait for a browser, and nothing of it is left", "[app][report]") {
  const Workplace place;
  simulate(place);
  place.write("silent", "#!/bin/sh\necho $$ > started\nexec sleep 100\n");
  fs::permissions(place / "silent", fs::perms::owner_all);
  fs::create_directories(place / "temporary");
  place.write("signal.sh", R"("$@" & program=$!
while [ ! -s started ] && kill -0 $program; do sleep 0.02; done
ls temporary | wc -l > folders
kill -TERM $program
wait $program
)");
  const Outcome outcome = place.run("report run --png", "TMPDIR=temporary CHROMIUM=./silent timeout 20 sh signal.sh");
  CHECK(outcome.status == 1);
  CHECK(outcome.err.find("interrupted") != std::string::npos);
  CHECK(std::stoi(read_text(place / "folders")) == 1);
  CHECK(fs::is_empty(place / "temporary"));
  CHECK_FALSE(fs::exists("/proc/" + std::to_string(std::stoi(read_text(place / "started")))));
  CHECK_FALSE(fs::exists(place / "run/report.html"));
}

TEST_CASE("pictures: a size is two even numbers within reason", "[app][report]") {
  const Workplace place;
  simulate(place);
  for (const std::string size : {"1600", "1600x", "x900", "1600x901", "10x10", "1600x900x2", "9000x900", "-1600x900"}) {
    CAPTURE(size);
    CHECK(place.run("report run --png --size=" + size).status == 2);
  }
}

TEST_CASE("pictures: how they look is rejected where none is wanted", "[app][report]") {
  const Workplace place;
  simulate(place);
  for (const std::string look : {"--color charge", "--theme dark", "--size 1280x720", "--time 1", "--time 1 --mp4"}) {
    const Outcome outcome = place.run("report run " + look);
    CAPTURE(look);
    CHECK(outcome.status == 2);
    CHECK(outcome.err.find("requires --png") != std::string::npos);
    CHECK_FALSE(fs::exists(place / "run/report.html"));
  }
}

TEST_CASE("pictures: stills show every section, at the size asked for", "[app][report]") {
  require_pictures();
  const Workplace place;
  simulate(place, 2);
  make_stills(place);
}

TEST_CASE("pictures: stills show every section, at the time, size and color asked for", "[app][report][slow]") {
  require_pictures();
  const Workplace place;
  simulate(place);
  make_stills(place);

  const std::string earlier = pixels(place, "run/report/motion.png");
  REQUIRE(place.run("report run --png --time 2 --size 800x600 --color charge --theme dark").status == 0);
  const double another = visible_difference(pixels(place, "run/report/motion.png"), earlier);
  REQUIRE(place.run("report run --png --time 1 --size 800x600 --color charge --theme dark").status == 0);
  const double same = visible_difference(pixels(place, "run/report/motion.png"), earlier);
  CAPTURE(another, same);
  CHECK(another > 1e-3);
  CHECK(same < another / 10);

  fs::remove_all(place / "run/report");
  fs::remove(place / "run/report.html");
  const Outcome color = place.run("report run --png --color temperature");
  CHECK(color.status == 2);
  CHECK(color.err.find("--color: must be one of speed, strain, ") != std::string::npos);
  CHECK(place.run("report run --png --time 4.5").status == 2);
  CHECK_FALSE(fs::exists(place / "run/report.html"));
  CHECK_FALSE(fs::exists(place / "run/report"));
}

TEST_CASE("pictures: a film lasts as long as the page plays the motion", "[app][report]") {
  require_pictures();
  const Workplace place;
  simulate(place, 3);                        // the shortest motion that the page plays at its own speed
  fs::rename(place / "run", place / "a:b");  // no protocol to ffmpeg
  const Outcome written = place.run("report a:b --mp4 --size 640x360");
  REQUIRE(written.status == 0);
  CHECK(lines_of(written.err).size() == 10);  // of progress, as standard error is no terminal
  CHECK(written.err.find("video: 10 %, ") == 0);
  const std::string probe =
      "ffprobe -v error -show_entries stream=codec_name,width,height,pix_fmt,nb_frames "
      "-of default=noprint_wrappers=1:nokey=1 '" +
      (place / "a:b/motion.mp4").string() + "' > '" + (place / "probe").string() + "'";
  REQUIRE(std::system(probe.c_str()) == 0);
  CHECK(read_text(place / "probe") == "h264\n640\n360\nyuv420p\n90\n");
}

TEST_CASE("pictures: a film that cannot be made is rejected, and an earlier one stays", "[app][report]") {
  require_pictures();
  const Workplace place;
  simulate(place, 2);
  place.write("run/motion.mp4", "earlier");
  CHECK(place.run("report run --mp4 --size 640x360 --color temperature").status == 2);
  CHECK(read_text(place / "run/motion.mp4") == "earlier");

  REQUIRE(place.run("check-gradient small.yaml --steps 2 --out still").status == 0);
  const Outcome still = place.run("report still --mp4");
  CHECK(still.status == 2);
  CHECK(still.err.find("requires a run with a motion") != std::string::npos);
  CHECK_FALSE(fs::exists(place / "still/report.html"));
}
