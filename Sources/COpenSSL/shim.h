// OpenSSL 3, and functions for those of its calls that are macros.
#pragma once
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include "certificate.h"

static inline void rb_ssl_require_tls12(SSL_CTX *context) {
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    // Clients of databases do not resume.
    SSL_CTX_set_num_tickets(context, 0);
}
static inline int rb_ssl_no_password(char *buffer, int size, int writing, void *data) {
    (void)buffer, (void)size, (void)writing, (void)data;
    return 0;
}
// A key that is encrypted is an error, no question on the terminal.
static inline void rb_ssl_ask_nothing(SSL_CTX *context) { SSL_CTX_set_default_passwd_cb(context, rb_ssl_no_password); }
static inline void rb_ssl_set_server_name(SSL *ssl, const char *name) { SSL_set_tlsext_host_name(ssl, name); }
static inline size_t rb_bio_pending(BIO *bio) { return BIO_ctrl_pending(bio); }
// The bytes that wait in a memory BIO, without taking them.
static inline long rb_bio_bytes(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }
static inline void rb_bio_clear(BIO *bio) { (void)BIO_reset(bio); }
