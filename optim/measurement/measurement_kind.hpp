#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "optim/measurement/recording_frame.hpp"

namespace pithball::optim {

class KindSettings;
struct MeasuredBody;
struct InstrumentSettings;

/// What an impact, which changes velocities at once, does to readings.
enum class AtImpact {
  Kink,  ///< of places: their slope changes
  Jump,  ///< of velocities
  Spike  ///< of accelerations and forces: one frame may stand out as an outlier does
};

/// How the placement of a recording's frame of reference is found from points with known places.
enum class Registration {
  None,        ///< it is not: readings do not determine places
  Points,      ///< by the rigid motion between recorded and known places (register_points)
  CameraPose,  ///< by the pose of a camera (camera_pose.hpp)
};

/// Other axes than a file was read with, in words, and the key that reads them.
struct OtherAxes {
  std::string difference,  ///< "axes x, y are exchanged"
      key;                 ///< "axes: [y, x, z]"
};

/// How the components of a reading lie in space.
struct ReadingGeometry {
  bool is_place = false;                           ///< they are the position of a point of the body
  Registration registration = Registration::None;  ///< how the placement can be found
  /// Describes axes of a file, if recorded components are `axes` · the true ones (a signed permutation); `written`: the
  /// file's axes that were read as x, y, z. Null: components have neither order nor sign.
  OtherAxes (*describe_axes)(const Mat3& axes, const std::array<std::string, 3>& written) = nullptr;
  std::vector<std::string> center = {};  ///< own values from which components may be counted the other way; empty: 0
  /// A shift that all readings share: its cause, and what to check.
  std::string shift = "zero of the readings";
  std::string check_shift = "check `scale` of the recording and the zero of the instrument";  ///< see `shift`
};

/// `ReadingGeometry::describe_axes` of vectors with components along x, y and z.
OtherAxes describe_vector_axes(const Mat3& axes, const std::array<std::string, 3>& written);

/// The unit in which tables show a reading.
struct ShownUnit {
  std::string name;   ///< "mm"
  double factor = 1;  ///< shown value = value in base units · this
};

/// A measurement kind: the meaning of a recording's numbers. It is one file, with its row in `measurement_kinds`:
/// whatever differs from kind to kind is stated here, so that nothing else compares kinds.
struct MeasurementKind {
  std::string name;                                  ///< as in the experiment file: "camera"
  std::string meaning;                               ///< for `pithball list measurements`
  std::vector<std::string> components;               ///< one to three: "x", "y", "z"
  std::string unit;                                  ///< in base units of SI, or px; the same for every component
  ShownUnit shown_unit;                              ///< for tables
  double planned_sigma = 1;                          ///< default sigma of a planned recording: a guess
  double period = 0;                                 ///< readings that differ by it are equal (angles: 2π); 0: none
  std::vector<RecordingFrameValue> own_values = {};  ///< values of the instrument, stored after those of the placement
  AtImpact at_impact = AtImpact::Kink;               ///< what an impact does to a reading
  ReadingGeometry geometry = {};                     ///< how its components lie in space
  /// Key of the list with an entry for each of its channels: `markers`, or one of its own settings, which then say what
  /// each channel measures.
  std::string channels_key = "markers";
  /// Reads its settings, `measurement: {KIND: settings}`. Throws InvalidArgument where they do not suit the body. Null:
  /// it has none, and readings are positions.
  InstrumentSettings (*make)(KindSettings& settings, const MeasuredBody& measured) = nullptr;

  bool follows_markers() const { return channels_key == "markers"; }  ///< its channels read what `markers:` follow
  std::string shown(double value) const;                              ///< "0.52 mm", with three digits
};

/// A unit in which files hold readings of a kind.
struct FileUnit {
  std::string_view base,  ///< the unit of the kind
      name,               ///< in sentences
      written;            ///< as a quantity in an experiment file
  double size;            ///< in the unit of the kind
};

/// Those of every kind but cameras, whose pixels have no other unit.
inline constexpr FileUnit file_units[] = {
    {"m", "m", "1 m", 1},
    {"m", "cm", "1 cm", 1e-2},
    {"m", "mm", "1 mm", 1e-3},
    {"m", "µm", "1 um", 1e-6},
    {"m", "inches", "25.4 mm", 0.0254},
    {"m", "feet", "0.3048 m", 0.3048},
    {"rad", "rad", "1 rad", 1},
    {"rad", "degrees", "1 deg", 0.017453292519943295},
    {"m/s", "m/s", "1 m/s", 1},
    {"m/s", "cm/s", "1 cm/s", 1e-2},
    {"m/s", "mm/s", "1 mm/s", 1e-3},
    {"m/s", "km/h", "1 km/h", 1 / 3.6},
    {"m/s^2", "m/s²", "1 m/s^2", 1},
    {"m/s^2", "g", "9.80665 m/s^2", 9.80665},
    {"m/s^2", "mg", "0.00980665 m/s^2", 9.80665e-3},
    {"m/s^2", "cm/s²", "1 cm/s^2", 1e-2},
    {"m/s^2", "mm/s²", "1 mm/s^2", 1e-3},
    {"N", "N", "1 N", 1},
    {"N", "mN", "1 mN", 1e-3},
    {"N", "µN", "1 uN", 1e-6},
    {"N", "kN", "1 kN", 1e3},
    {"N", "gram-force", "9.80665 mN", 9.80665e-3},
    {"N", "kilogram-force", "9.80665 N", 9.80665},
};

}  // namespace pithball::optim
