#include "datasets/manifest/manifest.hpp"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "datasets/manifest/sha256.hpp"
#include "datasets/text/text_scan.hpp"
#include "tests/datasets/temporary_folder.hpp"
#include "tests/support/places.hpp"
#include "tests/support/recordings.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;
namespace fs = std::filesystem;

namespace {

const std::string repository_manifest = pithball::tests::in_sources("datasets/manifest.yaml");
const std::string abc_sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// An environment variable with another value, or none, until the object goes.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Environment() { set(before_ ? before_->c_str() : nullptr); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  void set(const char* value) const { value ? ::setenv(name_, value, 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// A manifest with one file "abc.txt" (content "abc") and one derived file, its upstream as a folder, and a user's data
/// folder of its own.
struct SmallSet {
  TemporaryFolder folder;
  Environment named{"PITHBALL_DATA", nullptr};
  Environment user{"XDG_DATA_HOME", folder.path("user").c_str()};
  Manifest manifest;
  FetchOptions options;

  explicit SmallSet(const std::string& path = "data/a b.txt") {
    const std::string file =
        folder.write("datasets/manifest.yaml",
                     "small:\n  title: Small\n  kind: measured\n  repository: owner/repo\n  commit: c0ffee\n"
                     "  license: MIT\n  citation: none\n  units: m\n  files:\n"
                     "    - {name: sub/abc.txt, path: [gone.txt, \"" +
                         path + "\"], sha256: " + abc_sum +
                         "}\n"
                         "    - {name: made.csv, derived: by hand, sha256: " +
                         abc_sum + "}\n");
    manifest = load_manifest(file);
    options.base_url = "file://" + folder.path("upstream");
  }
  std::size_t leftovers() const {
    std::size_t count = 0;
    if (fs::exists(user_data_folder()))
      for ([[maybe_unused]] const auto& entry : fs::directory_iterator(user_data_folder())) ++count;
    return count;
  }
};

/// Skips the test where nothing can be downloaded.
void require_curl() {
  if (std::system("curl --version > /dev/null 2>&1") != 0)
    pithball::tests::skip("no program curl: `third_party/install_packages.sh build` installs it");
}

/// The sums of a file in the form of sha256sum, by file name.
std::map<std::string, std::string> listed_sums(const std::string& file) {
  std::map<std::string, std::string> sums;
  const std::string text = read_text_file(file, "sums");
  for (const std::string_view line : split_lines(text))
    if (!line.empty()) sums[std::string(line.substr(66))] = line.substr(0, 64);
  return sums;
}

std::string failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("sha256: the examples of the standard", "[datasets][manifest]") {
  // FIPS 180-4 examples of the National Institute of Standards and Technology.
  TemporaryFolder folder;
  CHECK(sha256_of_file(folder.write("empty", "")) ==
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_of_file(folder.write("abc", "abc")) == abc_sum);
  CHECK(sha256_of_file(folder.write("long", std::string(1000000, 'a'))) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("manifest: every set has its origin, license, citation and sums", "[datasets][manifest]") {
  const Manifest manifest = load_manifest(repository_manifest);
  std::set<std::string> names;
  for (const DataSet& set : manifest.sets) {
    INFO(set.name);
    CHECK(names.insert(set.name).second);
    CHECK_FALSE(set.license.empty());
    for (const DataFile& file : set.files) CHECK(file.derived.empty() == !file.paths.empty());
  }
  CHECK(names == std::set<std::string>{"trunk_decay", "charged_drops", "ion_trap_pair", "millikan_films",
                                       "pendulum_encoder", "double_pendulum_ibm", "eulers_pendulum", "mocap_formats",
                                       "tshirt_obj_sequence", "meshes"});
  const std::string message = complaint_of([&] { manifest.at("trunk_dacay"); });
  CHECK(message.find("did you mean 'trunk_decay'") != std::string::npos);
}

TEST_CASE("recordings: those of the repository have the sums of their list and of the manifest, and their licenses",
          "[datasets][manifest][data]") {
  const std::string root = pithball::tests::recordings("");
  const auto sums = listed_sums(root + "SHA256SUMS");
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string name = fs::relative(entry.path(), root).generic_string();
    if (!entry.is_regular_file() || name == "SHA256SUMS") continue;
    CAPTURE(name);
    REQUIRE(sums.count(name) == 1);
    CHECK(sha256_of_file(entry.path().string()) == sums.at(name));
    ++files;
  }
  CHECK(sums.size() == files);

  const Manifest manifest = load_manifest(repository_manifest);
  CHECK(fs::equivalent(manifest.shipped_folder(), root));
  std::set<std::string> here;
  for (const auto& entry : fs::directory_iterator(root))
    if (entry.is_directory()) here.insert(entry.path().filename().string());
  CHECK(here == std::set<std::string>{"trunk_decay", "charged_drops", "ion_trap_pair", "millikan_films",
                                      "pendulum_encoder", "double_pendulum_ibm", "eulers_pendulum", "mocap_formats",
                                      "tshirt_obj_sequence"});
  for (const std::string& name : here) {
    CAPTURE(name);
    bool has_license = false;
    for (const DataFile& file : manifest.at(name).files) {
      CHECK(sums.at(name + "/" + file.name) == file.sha256);
      has_license = has_license || file.name.starts_with("LICENSE");
    }
    CHECK(has_license);
    CHECK(sums.count(name + "/README.md") == 1);
  }
}

TEST_CASE("recordings: those outside the clone have the sums that the manifest states", "[datasets][manifest][data]") {
  const std::string folder = pithball::tests::outside_recordings("meshes");
  for (const FileReport& report : verify(load_manifest(repository_manifest).at("meshes"), folder)) {
    INFO("meshes/" << report.name);
    CHECK(report.status == FileStatus::Ok);
  }
}

TEST_CASE("manifest: the named folder is looked into first, then shipped recordings, then the user's folder",
          "[datasets][manifest]") {
  const SmallSet small;
  const auto found = [&] { return find_dataset(small.manifest, "small"); };
  small.folder.write("user/pithball/small/made.csv", "abc");
  CHECK(found() == small.folder.path("user/pithball/small"));
  small.folder.write("datasets/recordings/small/made.csv", "abc");
  CHECK(found() == small.folder.path("datasets/recordings/small"));
  small.folder.write("named/small/made.csv", "abc");
  const Environment named("PITHBALL_DATA", small.folder.path("named").c_str());
  CHECK(found() == small.folder.path("named/small"));
  named.set(small.folder.path("user").c_str());  // a folder without the set hides nothing
  CHECK(found() == small.folder.path("datasets/recordings/small"));
}

TEST_CASE("manifest: the user's data folder is that of the XDG specification", "[datasets][manifest][error]") {
  const Environment data("XDG_DATA_HOME", "/data"), home("HOME", "/ada");
  CHECK(user_data_folder() == "/data/pithball");
  for (const char* none : {static_cast<const char*>(nullptr), "", "relative"}) {
    data.set(none);
    CHECK(user_data_folder() == "/ada/.local/share/pithball");
  }
  home.set(nullptr);
  CHECK(complaint_of([] { user_data_folder(); }).find("XDG_DATA_HOME or HOME") != std::string::npos);
}

TEST_CASE("manifest: a missing set says how to get it", "[datasets][manifest][error]") {
  const SmallSet small;
  const std::string message = complaint_of([&] { find_dataset(small.manifest, "small"); });
  INFO(message);
  CHECK(message.find("pithball data get small") != std::string::npos);
  CHECK(message.find("PITHBALL_DATA") != std::string::npos);
  CHECK(message.find(user_data_folder()) != std::string::npos);
}

TEST_CASE("fetch: downloads, verifies and renames; a second call leaves it alone", "[datasets][manifest]") {
  require_curl();
  const SmallSet small;
  small.folder.write("upstream/owner/repo/c0ffee/data/a b.txt", "abc");
  const FetchReport report = fetch(small.manifest, "small", small.options);
  CHECK_FALSE(report.already_there);
  REQUIRE(report.not_fetched.size() == 1);
  CHECK(report.not_fetched[0].remedy == "by hand");
  CHECK(report.folder == small.folder.path("user/pithball/small"));
  CHECK(find_dataset(small.manifest, "small") == report.folder);
  CHECK(small.leftovers() == 1);
  const auto found = verify(small.manifest.at("small"), report.folder);
  CHECK(found[0].status == FileStatus::Ok);
  CHECK(found[1].status == FileStatus::Missing);
  CHECK(fetch(small.manifest, "small", small.options).already_there);

  // A damaged copy is replaced; derived files and all others that were put there stay.
  small.folder.write("user/pithball/small/sub/abc.txt", "abd");
  small.folder.write("user/pithball/small/made.csv", "abc");
  small.folder.write("user/pithball/small/sub/notes.txt", "mine");
  small.folder.write("user/pithball/small/thesis/thesis.tex", "mine");
  CHECK(verify(small.manifest.at("small"), report.folder)[0].status == FileStatus::Changed);
  CHECK_FALSE(fetch(small.manifest, "small", small.options).already_there);
  for (const auto& file : verify(small.manifest.at("small"), report.folder)) CHECK(file.status == FileStatus::Ok);
  CHECK(read_text_file(small.folder.path("user/pithball/small/sub/notes.txt"), "") == "mine");
  CHECK(read_text_file(small.folder.path("user/pithball/small/thesis/thesis.tex"), "") == "mine");
  CHECK(small.leftovers() == 1);
}

TEST_CASE("fetch: what is there already is not fetched, wherever it is", "[datasets][manifest][error]") {
  SmallSet small;
  small.options.program = "no-such-program";
  for (const std::string place : {"datasets/recordings/small", "named/small"}) {
    const Environment named("PITHBALL_DATA", small.folder.path("named").c_str());
    small.folder.write(place + "/sub/abc.txt", "abc");
    const FetchReport report = fetch(small.manifest, "small", small.options);
    CHECK(report.already_there);
    CHECK(report.folder == small.folder.path(place));
    // A damaged copy that would still be found first is not mended behind its owner's back.
    small.folder.write(place + "/sub/abc.txt", "abd");
    const std::string message = complaint_of([&] { fetch(small.manifest, "small", small.options); });
    INFO(message);
    CHECK(message.find(small.folder.path(place)) == 0);
    CHECK(message.find("missing or changed files") != std::string::npos);
  }
  CHECK(small.leftovers() == 0);
}

TEST_CASE("fetch: a download that fails leaves nothing behind and says what to do", "[datasets][manifest][error]") {
  require_curl();
  const SmallSet small;
  std::string message = failure_of([&] { fetch(small.manifest, "small", small.options); });
  INFO(message);
  CHECK(message.find("check the network, or set PITHBALL_DATA") != std::string::npos);
  CHECK(small.leftovers() == 0);
  small.folder.write("upstream/owner/repo/c0ffee/data/a b.txt", "abd");
  message = failure_of([&] { fetch(small.manifest, "small", small.options); });
  CHECK(message.find("differs from the manifest's SHA-256") != std::string::npos);
  CHECK_FALSE(fs::exists(small.folder.path("user")));  // which was not there before
  small.folder.write("user/pithball/other/notes.txt", "mine");
  CHECK_FALSE(failure_of([&] { fetch(small.manifest, "small", small.options); }).empty());
  CHECK(small.leftovers() == 1);
}

TEST_CASE("fetch: one protocol, a limit of bytes and one of time", "[datasets][manifest][error]") {
  require_curl();
  SmallSet small;
  small.folder.write("upstream/owner/repo/c0ffee/data/a b.txt", "abc");
  small.options.most_bytes = 2;
  std::string message = failure_of([&] { fetch(small.manifest, "small", small.options); });
  INFO(message);
  CHECK(message.find("a%20b.txt: ") != std::string::npos);
  CHECK_FALSE(fs::exists(small.folder.path("user")));
  // What curl is asked, by a program in its place; the last word is the address.
  small.options = {};
  small.options.program =
      small.folder.write("curl", "#!/bin/sh\necho \"$@\" >> '" + small.folder.path("asked") + "'\nexit 22\n");
  fs::permissions(small.options.program, fs::perms::owner_exec, fs::perm_options::add);
  CHECK_FALSE(failure_of([&] { fetch(small.manifest, "small", small.options); }).empty());
  const std::string asked = read_text_file(small.folder.path("asked"), "");
  INFO(asked);
  for (const char* words : {"--proto =https ", "--max-time 3600 ", "--speed-limit 1000 ", "--max-filesize 1000000000 ",
                            " https://raw.githubusercontent.com/owner/repo/c0ffee/data/a%20b.txt\n"})
    CHECK(asked.find(words) != std::string::npos);
}

TEST_CASE("fetch: a file that grows beyond the limit, and a download that is stopped, end with their child",
          "[datasets][manifest][error]") {
  SmallSet small;
  std::atomic<bool> stop{false};
  small.options.stop = &stop;
  small.options.most_bytes = 1000;
  // Writes for ever into what follows `--output`, or waits for ever.
  const std::string output = "while [ \"$1\" != --output ]; do shift; done\n";
  const std::string begin = "#!/bin/sh\necho $$ > '" + small.folder.path("pid") + "'\n" + output;
  const auto child_is_gone = [&] {
    const std::string pid = read_text_file(small.folder.path("pid"), "");
    return ::kill(static_cast<pid_t>(*parse_integer(trim(pid.substr(0, pid.find('\n'))))), 0) != 0;
  };
  small.options.program = small.folder.write("curl", begin + "while :; do echo 0123456789 >> \"$2\"; done\n");
  fs::permissions(small.options.program, fs::perms::owner_exec, fs::perm_options::add);
  const std::string message = failure_of([&] { fetch(small.manifest, "small", small.options); });
  CHECK(message.find("gone.txt: the file has more than 1000 bytes") != std::string::npos);
  CHECK(child_is_gone());

  small.folder.write("curl", begin + "exec sleep 60\n");
  fs::remove(small.folder.path("pid"));
  std::thread signal([&] {
    while (!fs::exists(small.folder.path("pid"))) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  CHECK(failure_of([&] { fetch(small.manifest, "small", small.options); }) == "interrupted");
  signal.join();
  CHECK(child_is_gone());
  CHECK_FALSE(fs::exists(small.folder.path("user")));
}

TEST_CASE("fetch: what cannot be downloaded is reported with its remedy", "[datasets][manifest][error]") {
  SmallSet small;
  small.options.program = "no-such-program";
  CHECK(failure_of([&] { fetch(small.manifest, "small", small.options); }).find("apt install curl") !=
        std::string::npos);
  CHECK(small.leftovers() == 0);
  std::erase_if(small.manifest.sets[0].files, [](const DataFile& file) { return file.derived.empty(); });
  const std::string derived = complaint_of([&] { fetch(small.manifest, "small", small.options); });
  INFO(derived);
  CHECK(derived.find("cannot be downloaded") != std::string::npos);
  CHECK(derived.find("by hand") != std::string::npos);
}

TEST_CASE("manifest: broken manifests are rejected with file, line and column", "[datasets][manifest][error]") {
  const std::string head =
      "a:\n  title: A\n  kind: measured\n  repository: o/r\n  commit: c\n  license: MIT\n  citation: c\n  units: m\n";
  struct Broken {
    std::string content, place, reason;
  };
  const Broken table[] = {
      {"a: [1, 2", ":1:", "valid YAML"},
      {"a: 3\n", ":1:4", "must be a mapping"},
      {"a:\n  titel: A\n", ":2:3", "did you mean 'title'"},
      {head, ":1:1", "at least one file"},
      {head + "  files:\n    - {name: x, path: y, sha256: 12}\n", ":10:", "64 hexadecimal digits"},
      {head + "  files:\n    - {name: x, sha256: " + abc_sum + "}\n", ":10:", "path: must be given"},
      {head + "  files:\n    - {name: ../x, path: y, sha256: " + abc_sum + "}\n", ":10:", "be inside"},
  };
  TemporaryFolder folder;
  for (const auto& broken : table) {
    const std::string file = folder.write("manifest.yaml", broken.content);
    const std::string message = complaint_of([&] { load_manifest(file); });
    INFO(message);
    CHECK(message.find(file + broken.place) == 0);
    CHECK(message.find(broken.reason) != std::string::npos);
  }
}
