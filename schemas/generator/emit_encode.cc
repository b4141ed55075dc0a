// Encoders: one write_struct template per struct over the sink (SizeCounter or Writer), inner ones
// first. A tagged field's size is found by running its encoder over a SizeCounter.
#include <algorithm>

#include "schemas/generator/cpp.h"
#include "schemas/generator/emit.h"

namespace hayward::generator {
namespace {

class Encoder {
 public:
  Encoder(const Table& table, const Struct& s)
      : table_(table), struct_(s), flexible_(table.flexible.meet(s.context)), body_(1) {}

  Code emit() {
    for (const Field& f : struct_.fields) {
      if (!f.tag) field(f);
    }
    if (!flexible_.empty()) tagged_section();
    Code body(1);
    if (body_.mentions("flexible")) body.line("const bool flexible = " + expression(flexible_, struct_.context) + ";");
    body.add(body_);
    Code code;
    code.line("template <class Sink>");
    code.line(std::string("void write_struct(Sink&") + (body.mentions("w") ? " w" : "") + ", const " +
              qualified(table_, struct_.name) + "&" + (body.mentions("x") ? " x" : "") + ", std::int16_t" +
              (body.mentions("version") ? " version" : "") + ") {");
    code.add(body);
    code.line("}");
    return code;
  }

 private:
  void field(const Field& f) {
    const std::string guard = condition(f.versions, struct_.context);
    if (guard == "false") return;
    const bool block = !guard.empty() && f.is_array;
    if (block) body_.open("if (" + guard + ") {");
    write(f, "w", f.never_compact ? "false" : "flexible", guard.empty() || block ? "" : "if (" + guard + ") ");
    if (block) body_.close();
  }

  void write(const Field& f, const std::string& w, const std::string& compact, const std::string& lead = {}) {
    const VersionRange present = f.versions.meet(struct_.context);
    const std::string x = "x." + f.member;
    const std::string nullable = expression(f.nullable, present);
    if (f.is_array) {
      std::string count = "count(" + x + ")";
      if (nullable == "true")
        count = "count_or_null(" + x + ")";
      else if (nullable != "false")
        count = nullable + " ? count_or_null(" + x + ") : " + count;
      body_.line(w + ".write_count(" + count + ", " + compact + ");");
      body_.line("for (const auto& item : " + x + ") " + scalar(f, w, "item", compact) + ";");
    } else if (!f.nullable.empty() || f.kind == Kind::records) {
      const std::string what = f.kind == Kind::string ? "string(" : "bytes(";
      const std::string blank = f.kind == Kind::string ? "std::string_view{}" : "Bytes{}";
      const std::string filled = x + ".value_or(" + blank + ")";
      if (nullable == "false")
        body_.line(lead + w + ".write_" + what + filled + ", " + compact + ");");
      else
        body_.line(lead + w + ".write_nullable_" + what +
                   (nullable == "true" ? x : nullable + " ? " + x + " : " + filled) + ", " + compact + ");");
    } else {
      body_.line(lead + scalar(f, w, x, compact) + ";");
    }
  }

  static std::string scalar(const Field& f, const std::string& w, const std::string& x, const std::string& compact) {
    const std::string value = f.lift == "ErrorCode" ? "static_cast<std::int16_t>(" + x + ")"
                              : f.lift.empty()      ? x
                                                    : x + ".value";
    switch (f.kind) {
      case Kind::boolean:
        return w + ".write_bool(" + x + ")";
      case Kind::int8:
        return w + ".write_i8(" + value + ")";
      case Kind::int16:
        return w + ".write_i16(" + value + ")";
      case Kind::uint16:
        return w + ".write_u16(" + value + ")";
      case Kind::int32:
        return w + ".write_i32(" + value + ")";
      case Kind::int64:
        return w + ".write_i64(" + value + ")";
      case Kind::float64:
        return w + ".write_f64(" + x + ")";
      case Kind::uuid:
        return w + ".write_uuid(" + value + ")";
      case Kind::string:
        return w + ".write_string(" + x + ", " + compact + ")";
      case Kind::structure:
        return "write_struct(" + w + ", " + x + ", version)";
      default:
        return w + ".write_bytes(" + x + ", " + compact + ")";
    }
  }

  void tagged_section() {
    std::vector<const Field*> tagged;
    for (const Field& f : struct_.fields) {
      if (f.tag && condition(f.versions, struct_.context) != "false") tagged.push_back(&f);
    }
    std::ranges::sort(tagged, {}, [](const Field* f) { return *f->tag; });
    const std::string guard = condition(flexible_, struct_.context);
    if (tagged.empty()) {
      body_.line((guard.empty() ? std::string{} : "if (flexible) ") + "w.write_uvarint(0);");
      return;
    }
    if (!guard.empty()) body_.open("if (flexible) {");
    body_.line("std::uint32_t tags = 0;");
    for (const Field* f : tagged) body_.line("if (" + set_test(*f) + ") ++tags;");
    body_.line("w.write_uvarint(tags);");
    for (const Field* f : tagged) {
      body_.open("if (" + set_test(*f) + ") {");
      body_.open("write_tagged(w, " + std::to_string(*f->tag) + ", [&](auto& field) {");
      write(*f, "field", "true");
      body_.close("});");
      body_.close();
    }
    if (!guard.empty()) body_.close();
  }

  std::string set_test(const Field& f) const {
    const std::string guard = condition(f.versions, struct_.context.meet(flexible_));
    return (guard.empty() ? "" : guard + " && ") + is_not_default(table_, f);
  }

  const Table& table_;
  const Struct& struct_;
  VersionRange flexible_;
  Code body_;
};

}  // namespace

std::string emit_encode(const Table& table) {
  Code code;
  for (const Struct& s : table.structs) {
    code.add(Encoder(table, s).emit());
    code.line();
  }
  return code.text();
}

}  // namespace hayward::generator
