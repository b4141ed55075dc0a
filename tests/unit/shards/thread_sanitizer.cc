// What ThreadSanitizer is not to report: the operator's log goes through Debian's libspdlog, which is not built with
// the sanitizer, so what its queue orders between threads looks like races. No code of ours runs inside it.
// Owner: tests. Read by the sanitizer's run time, and by no one without it.
extern "C" const char* __tsan_default_suppressions() { return "race:libspdlog.so\n"; }
