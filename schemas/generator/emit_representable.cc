// representable(): only structs that have something to check get a function.
#include <algorithm>

#include "schemas/generator/cpp.h"
#include "schemas/generator/emit.h"

namespace hayward::generator {
namespace {

bool can_be_null(const Field& f) { return !f.nullable.empty() || f.kind == Kind::records; }

// Versions that have the field but not null for it.
bool null_is_refused_somewhere(const Field& f, VersionRange context) {
  return can_be_null(f) && !f.nullable.contains(f.versions.meet(context));
}

bool lost_somewhere(const Field& f, VersionRange context) { return !f.ignorable && !f.versions.contains(context); }

bool needs_check(const Table& table, const Struct& s) {
  return std::ranges::any_of(s.fields, [&](const Field& f) {
    return lost_somewhere(f, s.context) || null_is_refused_somewhere(f, s.context) ||
           (f.kind == Kind::structure && needs_check(table, table.find(f.struct_name)));
  });
}

std::string negated(const std::string& condition) { return condition == "false" ? "" : "!(" + condition + ") && "; }

void check_field(Code& code, const Table& table, const Struct& s, const Field& f) {
  const std::string x = "x." + f.member;
  const std::string guard = condition(f.versions, s.context);
  if (lost_somewhere(f, s.context)) {
    code.line("if (" + negated(guard) + is_not_default(table, f) + ") return false;");
  }
  if (null_is_refused_somewhere(f, s.context) && guard != "false") {
    const std::string is_null = f.is_array ? x + ".is_null()" : "!" + x;
    const std::string refused = negated(expression(f.nullable, f.versions.meet(s.context)));
    code.line("if (" + (guard.empty() ? "" : guard + " && ") + refused + is_null + ") return false;");
  }
  if (f.kind != Kind::structure || !needs_check(table, table.find(f.struct_name)) || guard == "false") return;
  if (!guard.empty()) code.open("if (" + guard + ") {");
  if (f.is_array) {
    code.open("for (const auto& item : " + x + ") {");
    code.line("if (!fits(item, version)) return false;");
    code.close();
  } else {
    code.line("if (!fits(" + x + ", version)) return false;");
  }
  if (!guard.empty()) code.close();
}

}  // namespace

std::string emit_representable(const Table& table) {
  Code code;
  for (const Struct& s : table.structs) {
    if (!needs_check(table, s)) continue;
    Code body(1);
    for (const Field& f : s.fields) check_field(body, table, s, f);
    code.line("bool fits(const " + qualified(table, s.name) + "& x, std::int16_t" +
              (body.mentions("version") ? " version" : "") + ") {");
    code.add(body);
    code.line("  return true;");
    code.line("}");
    code.line();
  }
  const bool any = needs_check(table, table.root());
  Code end;
  end.line("}  // namespace");
  end.line();
  end.line("bool representable(const " + table.name + "&" + (any ? " message" : "") + ", std::int16_t version) {");
  end.line("  return version >= " + std::to_string(table.versions.first) +
           " && version <= " + std::to_string(table.versions.last) + (any ? " && fits(message, version);" : ";"));
  end.line("}");
  return code.text() + end.text();
}

}  // namespace hayward::generator
