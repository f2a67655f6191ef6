#include "datasets/capture/capture_format.hpp"
#include "datasets/capture/capture_reader.hpp"
#include "fuzz/target.hpp"

/// `kind`: a name of `capture_formats()`.
void pithball::fuzz::capture(std::string_view bytes, const std::string& kind) {
  datasets::CaptureSpec spec;
  spec.format = kind;
  spec.file = as_file(bytes, "input" + datasets::find_capture_format("", kind).endings.front());
  if (kind == "npy" || kind == "deeplabcut") spec.rate = 100;  // which these formats do not hold,
  if (kind == "deeplabcut" || kind == "motive" || kind == "detections")
    spec.frame_of_reference.scale = 1e-3;  // nor all of them a length unit
  spec.rows.links.travel = 5;
  const datasets::Capture read = datasets::read_capture(spec);
  require(read.frames() > 0 && read.time.size() == read.frames(), "a recording has frames, each with a time");
  for (datasets::Index f = 0; f < read.frames(); ++f) {
    const std::size_t frame = f;
    require(f == 0 || read.time[f] > read.time[f - 1], "times increase");
    require(read.positions[frame].cols() == static_cast<datasets::Index>(read.markers.size()) &&
                read.present[frame].size() == read.markers.size(),
            "every frame tells of every marker");
  }
}
