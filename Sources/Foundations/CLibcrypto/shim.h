// OpenSSL's libcrypto, used only for RSA, because libcrypto signs RS256 twice as fast as swift-crypto.
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
