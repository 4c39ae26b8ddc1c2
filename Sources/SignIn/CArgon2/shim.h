// The reference implementation of Argon2 (RFC 9106), for passwords and PINs.
#include <argon2.h>
