/*
 * What Electron's Node-API answers to `napi_create_external_buffer`: V8's memory cage allows no buffer outside its own memory.
 * Preloaded into Node beside copies of addons that import this name instead; see memory-cage.site.test.ts.
 */
#include <stddef.h>
#include <unistd.h>

/* node/js_native_api_types.h: napi_no_external_buffers_allowed. */
#define NO_EXTERNAL_BUFFERS_ALLOWED 22

int napi_refuse_external_buffer(void *env, size_t length, void *data, void *finalize, void *hint, void *result) {
  static const char line[] = "external buffer refused\n";
  (void)env, (void)length, (void)data, (void)finalize, (void)hint, (void)result;
  if (write(2, line, sizeof line - 1) < 0) return NO_EXTERNAL_BUFFERS_ALLOWED;
  return NO_EXTERNAL_BUFFERS_ALLOWED;
}
