// Encoders: one write_struct template per struct over the sink (SizeCounter or Writer), inner ones
// first. A tagged field's size is found by running its encoder over a SizeCounter.
#include <algorithm>

#include "schemas/generator/emit.h"
#include "schemas/generator/emit_body.h"

namespace hayward::generator {
namespace {

class Encoder final : StructBody {
 public:
  Encoder(const Table& table, const Struct& s) : StructBody(table, s, "w", "w.write_uvarint(0);") {}

  Code emit() {
    const Code body = whole();
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
  void item(const Field& f, const std::string& w, const std::string& compact, const std::string& lead) override {
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
      const std::string what = wire_name(f.kind) + "(";
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
    if (f.kind == Kind::structure) return "write_struct(" + w + ", " + x + ", version)";
    const std::string value = f.lift == "ErrorCode" ? "static_cast<std::int16_t>(" + x + ")"
                              : f.lift.empty()      ? x
                                                    : x + ".value";
    return w + ".write_" + wire_name(f.kind) + "(" + value + (has_length(f.kind) ? ", " + compact : "") + ")";
  }

  void tagged(const std::vector<const Field*>& fields) override {
    std::vector<const Field*> ascending = fields;
    std::ranges::sort(ascending, {}, [](const Field* f) { return *f->tag; });
    body_.line("std::uint32_t tags = 0;");
    for (const Field* f : ascending) body_.line("if (" + set_test(*f) + ") ++tags;");
    body_.line("w.write_uvarint(tags);");
    for (const Field* f : ascending) {
      body_.open("if (" + set_test(*f) + ") {");
      body_.open("write_tagged(w, " + std::to_string(*f->tag) + ", [&](auto& field) {");
      item(*f, "field", "true", "");
      body_.close("});");
      body_.close();
    }
  }

  std::string set_test(const Field& f) const {
    const std::string guard = tag_guard(f);
    return (guard.empty() ? "" : guard + " && ") + is_not_default(table_, f);
  }
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
