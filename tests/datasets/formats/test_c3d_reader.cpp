#include "datasets/capture/c3d_reader.hpp"

#include <cmath>
#include <limits>

#include "datasets/capture/capture_format.hpp"
#include "datasets/capture/capture_reader.hpp"
#include "tests/datasets/formats/c3d_writer.hpp"
#include "tests/datasets/formats/says.hpp"
#include "tests/datasets/temporary_folder.hpp"
#include "tests/support/catch.hpp"

using namespace pithball::datasets;
using namespace pithball::testing;
using pithball::sim::Vec3;

namespace {

/// Two markers in three frames; the second is missing in frame 2.
C3dContent small_trial(int processor, float scale) {
  C3dContent content;
  content.processor = processor;
  content.scale = scale;
  content.analog = 3;
  content.first = 11;
  content.frames = {{{1.5, -20, 300, 0}, {4, 5, 6, 2}},
                    {{2.5, -21, 301, 1}, {7, 7, 7, -1}},
                    {{3.5, -22, 302, 0}, {4.5, 5.5, -6.5, 0}}};
  return content;
}

Capture read_bytes(const TemporaryFolder& folder, const std::string& bytes) {
  CaptureSpec spec;
  spec.file = folder.write("a.c3d", bytes);
  return read_capture(spec);
}

std::string complaint_about(const TemporaryFolder& folder, const std::string& bytes) {
  return complaint_of([&] { read_bytes(folder, bytes); });
}

}  // namespace

TEST_CASE("c3d_bytes: floats of the three processors are those of their manuals", "[datasets][c3d]") {
  // VAX F_floating: sign, exponent by 128, fraction 0.1…; 1 = 0.5·2^1: word 0x4080 first, each word little-endian.
  const std::string vax(
      "\x80\x40\x00\x00\x20\xC1\x00\x00\x49\x41\xDB\x0F\x00\x00\x00\x00\xFF\x7F\xFF\xFF\x00\x80\x00\x00", 24);
  const C3dBytes dec(vax, "a", C3dProcessor::Dec);
  CHECK(dec.real(0) == 1.0F);
  CHECK(dec.real(4) == -2.5F);
  CHECK(dec.real(8) == 3.14159274F);
  CHECK(dec.real(12) == 0.0F);
  CHECK(dec.real(16) == Approx(1.70141173e38));  // the largest
  CHECK(std::isnan(dec.real(20)));               // the reserved operand
  CHECK(dec.word(0) == 0x4080);
  CHECK(C3dBytes(std::string_view("\x00\x00\x20\xC0\xFE\xFF", 6), "a", C3dProcessor::Intel).real(0) == -2.5F);
  CHECK(C3dBytes(std::string_view("\x00\x00\x20\xC0\xFE\xFF", 6), "a", C3dProcessor::Intel).integer(4) == -2);
  CHECK(C3dBytes(std::string_view("\xC0\x20\x00\x00\xFF\xFE", 6), "a", C3dProcessor::Mips).real(0) == -2.5F);
  CHECK(C3dBytes(std::string_view("\xC0\x20\x00\x00\xFF\xFE", 6), "a", C3dProcessor::Mips).integer(4) == -2);
}

TEST_CASE("c3d: floats and scaled integers of every processor, and what a negative residual hides", "[datasets][c3d]") {
  const TemporaryFolder folder;
  for (const int processor : {84, 85, 86})
    for (const float scale : {-0.5F, 0.5F}) {
      CAPTURE(processor, scale);
      const Capture capture = read_bytes(folder, C3dWriter(small_trial(processor, scale)).bytes());
      REQUIRE(capture.frames() == 3);
      CHECK(capture.markers == std::vector<std::string>{"head", "tip"});
      CHECK(capture.time.isApprox(Eigen::Vector3d(0, 0.02, 0.04)));
      // All coordinates are halves, which floats and integers of that scale hold exactly; mm become m.
      CHECK(capture.positions[1].col(0) == 1e-3 * Vec3(2.5, -21, 301));
      CHECK(capture.positions[2].col(1) == 1e-3 * Vec3(4.5, 5.5, -6.5));
      CHECK(capture.present[0] == std::vector<bool>{true, true});
      CHECK(capture.present[1] == std::vector<bool>{true, false});
      CHECK(capture.positions[1].col(1).array().isNaN().all());
    }
}

TEST_CASE("c3d: names beyond the 255th, frames beyond 65535, and the place of their number", "[datasets][c3d]") {
  const TemporaryFolder folder;
  C3dContent many;
  many.labels.assign(255, "m");
  many.more_labels = {"n", "last"};
  many.frames = {std::vector<std::array<double, 4>>(257, {1, 2, 3, 0})};
  const Capture wide = read_bytes(folder, C3dWriter(many).bytes());
  REQUIRE(wide.markers.size() == 257);
  CHECK(wide.markers.back() == "last");

  C3dContent lengthy;
  lengthy.labels = {"a"};
  for (int k = 0; k < 70000; ++k) lengthy.frames.push_back({{double(k), 0, 0, 0}});
  lengthy.actual_fields = true;
  CHECK(read_bytes(folder, C3dWriter(lengthy).bytes()).frames() == 70000);
  lengthy.actual_fields = false;
  CHECK(read_bytes(folder, C3dWriter(lengthy).bytes()).frames() == 65535);  // what the header can count
  lengthy.long_frames = 70000;
  const Capture capture = read_bytes(folder, C3dWriter(lengthy).bytes());
  CHECK(capture.frames() == 70000);
  CHECK(capture.positions.back()(0, 0) == Approx(69.999));
}

TEST_CASE("c3d: cut off at any byte it is one complaint", "[datasets][c3d][error]") {
  const TemporaryFolder folder;
  const std::string bytes = C3dWriter(small_trial(84, -0.5F)).bytes();
  REQUIRE(complaint_about(folder, bytes).empty());
  for (std::size_t length = 0; length < bytes.size(); length += length < 520 ? 37 : 11) {
    CAPTURE(length);
    CHECK(complaint_about(folder, bytes.substr(0, length)).find("a.c3d") != std::string::npos);
  }
  CHECK(complaint_about(folder, bytes.substr(0, bytes.size() - 1)).find("room for 2 of them") != std::string::npos);
}

TEST_CASE("c3d: hostile bytes give one complaint, before memory is taken", "[datasets][c3d][error]") {
  const TemporaryFolder folder;
  const std::string sound = C3dWriter(small_trial(84, -0.5F)).bytes();
  const auto with = [&](std::size_t at, const std::string& bytes) {
    std::string changed = sound;
    changed.replace(at, bytes.size(), bytes);
    return complaint_about(folder, changed);
  };
  says(with(0, std::string(1, '\0')), "parameter block");
  says(with(0, "\xFF"), "cut off");
  says(with(1, "Q"), "parameter block");
  says(with(515, "W"), "84 (Intel), 85 (DEC) or 86 (MIPS)");
  says(with(2, std::string("\x00\x00", 2)), "at least one");
  says(with(2, "\xFF\xFF"), "must contain 3 frames of 65535 markers");
  says(with(8, "\xFF\xFF"), "must contain 65525 frames");
  says(with(6, "\xFF\xFF"), "end after they begin");
  says(with(16, "\xFF\xFF"), "room for 0 of them");
  says(with(16, std::string("\x01\x00", 2)), "from 2 on");
  says(with(512 + 4, "\x7F"), "a.c3d");                // a name that runs into the next record, and on
  says(with(512 + 4 + 2 + 5, "\xFF\xFF"), "cut off");  // the next record lies beyond the end
  C3dContent content = small_trial(84, -0.5F);
  content.actual_fields = true;
  std::string endless = C3dWriter(content).bytes();
  const std::size_t end_field = endless.find("ACTUAL_END_FIELD") + 16 + 2 + 3;
  endless.replace(end_field, 4, "\xFF\xFF\xFF\xFF");
  says(complaint_about(folder, endless), "must contain 4294967285 frames");
  content = small_trial(84, std::numeric_limits<float>::quiet_NaN());
  says(complaint_about(folder, C3dWriter(content).bytes()), "POINT:SCALE");
  content = small_trial(84, -0.5F);
  content.rate = 0;
  says(complaint_about(folder, C3dWriter(content).bytes()), "rate: must be known");
  content.rate = 50;
  content.units = "cubit";
  says(complaint_about(folder, C3dWriter(content).bytes()), "'cubit'; give scale");
  says(complaint_about(folder, "hello"), "must begin with");
  // Every single byte of header and parameters set to 255: read or rejected, nothing else.
  for (std::size_t at = 0; at < 1024; ++at) with(at, "\xFF");
}
