#include <zip.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "datasets/capture/capture_format.hpp"
#include "datasets/capture/capture_reader.hpp"
#include "datasets/capture/npy_reader.hpp"
#include "tests/datasets/formats/says.hpp"
#include "tests/datasets/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;
using pithball::sim::Vec3;

namespace {

/// The bytes that numpy.save writes: numbers as they stand in memory, or turned around for a type of '>'.
template <class Number>
std::string npy_bytes(const std::string& type, const std::string& shape, const std::vector<Number>& values,
                      bool fortran = false, int version = 1) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }\n";
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(version);
  bytes += '\0';
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  if (version > 1) bytes += std::string(2, '\0');
  bytes += header;
  for (const Number value : values) {
    std::string element(sizeof value, '\0');
    std::memcpy(element.data(), &value, sizeof value);
    const bool big = std::endian::native == std::endian::big;
    bytes += (type[0] == '>') == big ? element : std::string(element.rbegin(), element.rend());
  }
  return bytes;
}

/// Two frames of two markers, element (f, m, a) being 100 f + 10 m + a.
const std::vector<double> counted{0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112};

void write_zip(const std::string& file, const std::vector<std::pair<std::string, std::string>>& entries, bool packed) {
  zip_t* archive = zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  for (const auto& [name, bytes] : entries) {
    const zip_int64_t k = zip_file_add(archive, (name + ".npy").c_str(),
                                       zip_source_buffer(archive, bytes.data(), bytes.size(), 0), ZIP_FL_ENC_UTF_8);
    zip_set_file_compression(archive, static_cast<zip_uint64_t>(k), packed ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0);
  }
  zip_close(archive);
}

Capture read_file(const std::string& file, double rate = 0) {
  CaptureSpec spec;
  spec.file = file;
  spec.rate = rate;
  return read_capture(spec);
}

}  // namespace

TEST_CASE("npy: floats of both sizes, byte orders, index orders and header versions", "[datasets][npy]") {
  const TemporaryFolder folder;
  std::vector<double> columns(12);
  for (std::size_t f = 0; f < 2; ++f)
    for (std::size_t m = 0; m < 2; ++m)
      for (std::size_t a = 0; a < 3; ++a) columns[f + 2 * (m + 2 * a)] = counted[6 * f + 3 * m + a];
  const std::vector<float> single(counted.begin(), counted.end());
  for (const std::string& bytes : {npy_bytes("<f8", "(2, 2, 3)", counted), npy_bytes(">f8", "(2, 2, 3)", counted),
                                   npy_bytes("<f4", "(2, 2, 3)", single), npy_bytes("<f8", "(2, 2, 3)", columns, true),
                                   npy_bytes("<f8", "(2, 2, 3)", counted, false, 2)}) {
    const Capture capture = read_file(folder.write("a.npy", bytes), 20);
    REQUIRE(capture.frames() == 2);
    CHECK(capture.markers == std::vector<std::string>{"0", "1"});
    CHECK(capture.time[1] == 0.05);
    CHECK(capture.positions[0].col(1) == Vec3(10, 11, 12));
    CHECK(capture.positions[1].col(0) == Vec3(100, 101, 102));
  }
  std::vector<double> gap = counted;
  gap[4] = std::nan("");
  const Capture capture = read_file(folder.write("a.npy", npy_bytes("<f8", "(2, 2, 3)", gap)), 20);
  CHECK(capture.present[0] == std::vector<bool>{true, false});
}

TEST_CASE("npy: what is wrong or hostile is rejected", "[datasets][npy][error]") {
  const TemporaryFolder folder;
  const auto complaint = [&](const std::string& bytes, double rate = 20) {
    return complaint_of([&] { read_file(folder.write("a.npy", bytes), rate); });
  };
  const std::string sound = npy_bytes("<f8", "(2, 2, 3)", counted);
  says(complaint(sound, 0), "rate: must be known");
  says(complaint("NUMPY, really"), "NumPy's magic number");
  for (std::size_t length = 1; length < sound.size(); length += 7) says(complaint(sound.substr(0, length)), "a.npy");
  says(complaint(npy_bytes("<f8", "(2, 6)", counted)), "floats [frames][markers][3], got floats [2][6]");
  says(complaint(npy_bytes("<i8", "(2, 2, 3)", std::vector<std::int64_t>(12, 1))), "got integers [2][2][3]");
  says(complaint(npy_bytes("<f8", "(4611686018427387904, 4, 3)", counted)), "shape");
  says(complaint(npy_bytes("<f8", "(2097152, 2097152, 3)", counted)), "must be the 13194139533312");
  says(complaint(npy_bytes("<f8", "(281474976710656, 281474976710656, 3)", counted)), "shape");
  says(complaint(npy_bytes("<f8", "(-2, -2, 3)", counted)), "whole numbers");
  says(complaint(npy_bytes("<f8", "(0, 2, 3)", std::vector<double>())), "must contain markers and frames");
  says(complaint(npy_bytes("|O", "(2, 2, 3)", counted)), "float32, float64");
  std::string huge = sound;
  huge.replace(8, 2, "\xFF\xFF");
  says(complaint(huge), "must be within the file");
  for (std::size_t at = 0; at < sound.size(); ++at) {  // read or rejected, nothing else
    std::string changed = sound;
    changed[at] = '\xFF';
    complaint(changed);
  }
}

TEST_CASE("npz: positions by name or by shape, times or a rate, stored or packed", "[datasets][npz]") {
  const TemporaryFolder folder;
  const std::string positions = npy_bytes("<f8", "(2, 2, 3)", counted), file = folder.path("a.npz");
  const std::string times = npy_bytes("<f8", "(2,)", std::vector<double>{0.25, 0.75});
  for (const bool packed : {false, true}) {
    write_zip(file, {{"anything", positions}, {"t", times}, {"names", npy_bytes("<U4", "(2,)", counted)}}, packed);
    CHECK(read_file(file).time == Eigen::Vector2d(0.25, 0.75));
    CHECK(read_file(file).positions[1].col(1) == Vec3(110, 111, 112));
    CHECK(read_file(file, 10).time == Eigen::Vector2d(0, 0.1));  // counted anew
  }
  write_zip(file,
            {{"velocities", npy_bytes("<f8", "(2, 2, 3)", std::vector<double>(12, 7))},
             {"positions", positions},
             {"rate", npy_bytes("<f8", "()", std::vector<double>{4})}},
            true);
  CHECK(read_file(file).positions[0].col(1) == Vec3(10, 11, 12));
  CHECK(read_file(file).time[1] == 0.25);
  // What stands beside the wanted arrays is not read, sound or not.
  write_zip(file, {{"a", "no array"}, {"positions", positions}, {"times", times}}, false);
  CHECK(read_file(file).time[1] == 0.75);
}

TEST_CASE("npz: what is wrong or hostile is rejected", "[datasets][npz][error]") {
  const TemporaryFolder folder;
  const std::string positions = npy_bytes("<f8", "(2, 2, 3)", counted), file = folder.path("a.npz");
  const auto complaint = [&] { return complaint_of([&] { read_file(file); }); };
  write_zip(file, {{"a", positions}, {"b", positions}}, true);
  says(complaint(), "or one named positions");
  write_zip(file, {{"positions", positions}}, true);
  says(complaint(), "rate: must be known");
  write_zip(file, {{"positions", positions}, {"t", npy_bytes("<f8", "(3,)", std::vector<double>{0, 1, 2})}}, true);
  says(complaint(), "t: must be an array [2]");
  // 40 MB of zeros pack a thousandfold.
  write_zip(file, {{"positions", std::string(40 << 20, '\0')}}, true);
  says(complaint(), "packed more than a hundredfold");
  // 16 arrays of 8 MB of zeros each: every one may be, all together may not.
  std::vector<std::pair<std::string, std::string>> bomb{{"positions", positions}};
  for (int k = 0; k < 16; ++k) bomb.emplace_back("a" + std::to_string(k), std::string(8 << 20, '\0'));
  write_zip(file, bomb, true);
  says(complaint(), "arrays together: must not be packed more than a hundredfold");
  folder.write("a.npz", "no archive");
  says(complaint(), "must be a zip file");
  says(complaint_of([&] { read_file(folder.path("none.npz"), 10); }), "no such file");
}
