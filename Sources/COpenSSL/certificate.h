// A certificate of a server's own.
#pragma once
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdint.h>

static inline int rb_add_extension(X509 *certificate, int kind, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_nconf_nid(NULL, &context, kind, value);
    if (!extension) return 0;
    int is_added = X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return is_added;
}

static inline int rb_fill_certificate(X509 *certificate, EVP_PKEY *pair, const char *names, long days) {
    uint64_t serial = 0;
    if (RAND_bytes((unsigned char *)&serial, sizeof serial) != 1) return 0;
    X509_NAME *subject = X509_get_subject_name(certificate);
    return X509_set_version(certificate, X509_VERSION_3)
        && ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1)
        && X509_gmtime_adj(X509_getm_notBefore(certificate), -3600)
        && X509_gmtime_adj(X509_getm_notAfter(certificate), days * 86400)
        && X509_set_pubkey(certificate, pair)
        && X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)"redbarn", -1, -1, 0)
        && X509_set_issuer_name(certificate, subject)
        && rb_add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE")
        && rb_add_extension(certificate, NID_subject_key_identifier, "hash")
        && rb_add_extension(certificate, NID_subject_alt_name, names)
        && X509_sign(certificate, pair, EVP_sha256()) > 0;
}

static inline int rb_write_pem(const char *path, X509 *certificate, EVP_PKEY *pair) {
    FILE *file = fopen(path, "w");
    if (!file) return 0;
    int is_written = certificate ? PEM_write_X509(file, certificate)
                                 : PEM_write_PrivateKey(file, pair, NULL, NULL, 0, NULL, NULL);
    return (fclose(file) == 0) && is_written;
}

// A key of the curve P-256 and a certificate that it signs itself, as PEM files. 1 when both are there.
// `names`: DNS:host,IP:address ...
static inline int rb_make_certificate(const char *chain, const char *key, const char *names, long days) {
    EVP_PKEY *pair = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    int is_made = pair && certificate && rb_fill_certificate(certificate, pair, names, days)
        && rb_write_pem(key, NULL, pair) && rb_write_pem(chain, certificate, NULL);
    X509_free(certificate);
    EVP_PKEY_free(pair);
    return is_made;
}
