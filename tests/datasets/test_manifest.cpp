#include "datasets/manifest.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "datasets/sha256.hpp"
#include "tests/datasets/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;
namespace fs = std::filesystem;

namespace {

const std::string repository_manifest = std::string(PITHBALL_SOURCE_DIR) + "/datasets/manifest.yaml";
const std::string abc_sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// A manifest with one file "abc.txt" (content "abc") and one derived file, and its upstream as a folder.
struct SmallSet {
  TemporaryFolder folder;
  Manifest manifest;
  FetchOptions options;

  explicit SmallSet(const std::string& path = "data/a b.txt") {
    const std::string file =
        folder.write("datasets/manifest.yaml",
                     "small:\n  title: Small\n  kind: measured\n  repository: owner/repo\n  commit: c0ffee\n"
                     "  licence: MIT\n  citation: none\n  units: m\n  files:\n"
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
    if (fs::exists(folder.path("datasets/external")))
      for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder.path("datasets/external"))) ++count;
    return count;
  }
};

/// Whether this machine can download at all.
bool has_curl() {
  if (std::system("curl --version > /dev/null 2>&1") == 0) return true;
  WARN("curl is not installed: downloads are not tested");
  return false;
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

TEST_CASE("manifest: every set has its origin, licence, citation and sums", "[datasets][manifest]") {
  const Manifest manifest = load_manifest(repository_manifest);
  std::set<std::string> names;
  for (const DataSet& set : manifest.sets) {
    INFO(set.name);
    CHECK(names.insert(set.name).second);
    CHECK_FALSE(set.licence.empty());
    for (const DataFile& file : set.files) CHECK(file.derived.empty() == !file.paths.empty());
  }
  CHECK(names == std::set<std::string>{"trunk_decay", "charged_drops", "ion_trap_pair", "pendulum_encoder",
                                       "double_pendulum_ibm", "mocap_formats", "tshirt_obj_sequence", "meshes"});
  const std::string message = complaint_of([&] { manifest.at("trunk_dacay"); });
  CHECK(message.find("did you mean 'trunk_decay'") != std::string::npos);
}

TEST_CASE("manifest: the recordings on this machine have the sums that it states", "[datasets][manifest][data]") {
  if (data_folder().empty()) {
    WARN("PITHBALL_DATA is not set: sums are not checked");
    return;
  }
  const Manifest manifest = load_manifest(repository_manifest);
  for (const DataSet& set : manifest.sets) {
    CHECK(find_dataset(manifest, set.name) == data_folder() + "/" + set.name);
    for (const FileReport& report : verify(set, find_dataset(manifest, set.name))) {
      INFO(set.name << "/" << report.name);
      CHECK(report.status == FileStatus::Ok);
    }
  }
}

TEST_CASE("manifest: a missing set says how to get it", "[datasets][manifest][error]") {
  const SmallSet small;
  const std::string message = complaint_of([&] { find_dataset(small.manifest, "small"); });
  CHECK(message.find("pithball data get small") != std::string::npos);
  CHECK(message.find("PITHBALL_DATA") != std::string::npos);
}

TEST_CASE("fetch: downloads, verifies and renames; a second call leaves it alone", "[datasets][manifest]") {
  if (!has_curl()) return;
  const SmallSet small;
  small.folder.write("upstream/owner/repo/c0ffee/data/a b.txt", "abc");
  const FetchReport report = fetch(small.manifest, "small", small.options);
  CHECK_FALSE(report.already_there);
  REQUIRE(report.not_fetched.size() == 1);
  CHECK(report.not_fetched[0].remedy == "by hand");
  CHECK(find_dataset(small.manifest, "small") == report.folder);
  CHECK(small.leftovers() == 1);
  const auto found = verify(small.manifest.at("small"), report.folder);
  CHECK(found[0].status == FileStatus::Ok);
  CHECK(found[1].status == FileStatus::Missing);
  CHECK(fetch(small.manifest, "small", small.options).already_there);

  // A damaged copy is replaced; a derived file that was put there stays.
  small.folder.write("datasets/external/small/sub/abc.txt", "abd");
  small.folder.write("datasets/external/small/made.csv", "abc");
  CHECK(verify(small.manifest.at("small"), report.folder)[0].status == FileStatus::Changed);
  CHECK_FALSE(fetch(small.manifest, "small", small.options).already_there);
  for (const auto& file : verify(small.manifest.at("small"), report.folder)) CHECK(file.status == FileStatus::Ok);
}

TEST_CASE("fetch: failures leave nothing behind and say what to do", "[datasets][manifest][error]") {
  SmallSet small;
  if (has_curl()) {
    std::string message = failure_of([&] { fetch(small.manifest, "small", small.options); });
    INFO(message);
    CHECK(message.find("check the network, or set PITHBALL_DATA") != std::string::npos);
    CHECK(small.leftovers() == 0);
    small.folder.write("upstream/owner/repo/c0ffee/data/a b.txt", "abd");
    message = failure_of([&] { fetch(small.manifest, "small", small.options); });
    CHECK(message.find("differs from the manifest's SHA-256") != std::string::npos);
    CHECK(small.leftovers() == 0);
  }
  small.options.program = "no-such-program";
  CHECK(failure_of([&] { fetch(small.manifest, "small", small.options); }).find("apt install curl") !=
        std::string::npos);
  CHECK(small.leftovers() == 0);
  const Manifest manifest = load_manifest(repository_manifest);
  const std::string derived = complaint_of([&] { fetch(manifest, "pendulum_encoder", small.options); });
  INFO(derived);
  CHECK(derived.find("cannot be downloaded") != std::string::npos);
  CHECK(derived.find("every tenth sample") != std::string::npos);
}

TEST_CASE("manifest: broken manifests are refused with file, line and column", "[datasets][manifest][error]") {
  const std::string head =
      "a:\n  title: A\n  kind: measured\n  repository: o/r\n  commit: c\n  licence: MIT\n  citation: c\n  units: m\n";
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
      {head + "  files:\n    - {name: ../x, path: y, sha256: " + abc_sum + "}\n", ":10:", "stay inside"},
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
