// What a struct's decoder and encoder have in common: its fields one after the other, each under the versions that have
// it, then the tagged ones.
// Owner: schemas/generator (build time only).
#pragma once

#include <string>
#include <vector>

#include "schemas/generator/cpp.h"
#include "schemas/generator/table.h"

namespace hayward::generator {

class StructBody {
 protected:
  // `stream`: what the function calls its reader or writer; `no_tags`: its statement where no field is tagged.
  StructBody(const Table& table, const Struct& s, std::string stream, std::string no_tags);
  ~StructBody() = default;

  // The body of the function.
  Code whole();

  // One field from or to `stream`; `lead` is a condition in front of a single statement.
  virtual void item(const Field& f, const std::string& stream, const std::string& compact, const std::string& lead) = 0;
  // The tagged fields, in the table's order; at least one.
  virtual void tagged(const std::vector<const Field*>& fields) = 0;

  // The condition for being in a version that has the tagged field, given that it is flexible.
  std::string tag_guard(const Field& f) const { return condition(f.versions, struct_.context.meet(flexible_)); }

  const Table& table_;
  const Struct& struct_;
  Code body_{1};

 private:
  void field(const Field& f);
  void tagged_section();

  std::string stream_;
  std::string no_tags_;
  VersionRange flexible_;
};

// What follows "read_" and "write_" for one value of a kind: "i32", "string" ...; no structure.
std::string wire_name(Kind kind);
// Whether such a call is told that lengths are compact.
bool has_length(Kind kind);

}  // namespace hayward::generator
