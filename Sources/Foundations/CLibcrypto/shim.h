// OpenSSL's libcrypto, for RSA only: it signs RS256 twice as fast as swift-crypto.
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
