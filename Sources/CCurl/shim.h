// libcurl, and functions with types for its calls that take any number of arguments.
#pragma once
#include <curl/curl.h>

typedef size_t (*rb_curl_bytes)(char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);
typedef int (*rb_curl_progress)(void *_Nullable context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

static inline int rb_curl_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK; }
static inline CURLcode rb_curl_set_long(CURL *_Nonnull handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode rb_curl_set_offset(CURL *_Nonnull handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode rb_curl_set_string(CURL *_Nonnull handle, CURLoption option, const char *_Nullable value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode rb_curl_set_pointer(CURL *_Nonnull handle, CURLoption option, const void *_Nullable value) {
    return curl_easy_setopt(handle, option, value);
}
static inline CURLcode rb_curl_set_bytes(CURL *_Nonnull handle, CURLoption option, rb_curl_bytes _Nullable call) {
    return curl_easy_setopt(handle, option, call);
}
static inline CURLcode rb_curl_set_progress(CURL *_Nonnull handle, rb_curl_progress _Nullable call) {
    return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, call);
}
static inline long rb_curl_status(CURL *_Nonnull handle) {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}
