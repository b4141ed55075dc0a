// What a field table says, checked and completed: the model that the emitters work on.
// Owner: schemas/generator (build time only).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/generator/version_range.h"

namespace hayward::generator {

enum class Kind { boolean, int8, int16, uint16, int32, int64, float64, uuid, string, bytes, records, structure };

struct Default {
  bool is_null = false;
  std::int64_t integer = 0;  // also 0 / 1 for bool
  std::string text;
};

struct Field {
  std::string name;         // as on Kafka's side: "PartitionIndex"
  std::string member;       // in C++: "partition_index"
  Kind kind = Kind::int32;  // of the element, for an array
  std::string struct_name;  // for Kind::structure
  std::string lift;         // strong type, or empty
  bool is_array = false;
  VersionRange versions;
  VersionRange nullable;
  std::optional<int> tag;  // tagged in every version that has the field
  Default fallback;
  bool ignorable = false;
  bool never_compact = false;  // RequestHeader's ClientId
};

struct Struct {
  std::string name;
  std::vector<Field> fields;
  VersionRange context;  // message versions in which it can occur
};

struct Table {
  std::string name;
  std::string type;  // request, response, header, data, metadata
  std::optional<int> key;
  VersionRange versions;
  VersionRange flexible;
  std::vector<Struct> structs;  // inner ones first; the last is the message itself

  const Struct& root() const { return structs.back(); }
  const Struct& find(std::string_view name) const;
};

// wire type -> field -> strong type, and message -> field -> strong type, which wins.
struct Lift {
  std::map<std::string, std::map<std::string, std::string>> by_type;
  std::map<std::string, std::map<std::string, std::string>> by_message;
};

// Both end the program with a message that names the file, if it is not what it should be.
Lift load_lift(const std::string& path);
Table load_table(const std::string& path, const Lift& lift);

// Ends the program: "schema generator: MESSAGE".
[[noreturn]] void give_up(const std::string& message);

}  // namespace hayward::generator
