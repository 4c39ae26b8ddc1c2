import CLibcrypto
import Foundation

extension RSAKey {
    /// The longest public exponent, in bytes; all that are in use fit, and longer ones only cost time.
    static let maxExponentBytes = 4

    /// Generates a private key of ``minBits`` bits.
    static func generate() throws(TokenError) -> RSAKey {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil) else { throw libcryptoFailure("no memory") }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(minBits)) == 1,
            EVP_PKEY_keygen(context, &key) == 1,
            let key
        else { throw libcryptoFailure("no RSA key could be made") }
        return try RSAKey(owning: key)
    }

    /// Reads what ``serialized()`` wrote; the key is checked to be consistent.
    static func privateKey(_ serialized: [UInt8]) throws(TokenError) -> RSAKey {
        var pointer: OpaquePointer?
        let consumed: Int? = serialized.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return nil }
            var cursor: UnsafePointer<UInt8>? = start
            pointer = d2i_PrivateKey(EVP_PKEY_RSA, nil, &cursor, buffer.count)
            return cursor.map { $0 - start }
        }
        guard let pointer else {
            ERR_clear_error()
            throw TokenError(.unusableKey, "the RSA key is damaged")
        }
        let key = try RSAKey(owning: pointer)
        guard consumed == serialized.count, isConsistent(pointer) else {
            throw TokenError(.unusableKey, "the RSA key is damaged")
        }
        return key
    }

    /// Makes the public key of a JWK's `n` and `e` (RFC 7518 §6.3.1, RFC 8017 appendix A.1.1).
    static func publicKey(modulus: [UInt8], exponent: [UInt8]) throws(TokenError) -> RSAKey {
        guard modulus.first != 0, let last = modulus.last, last & 1 == 1, modulus.count <= maxBits / 8 else {
            throw TokenError(.unusableKey, "the RSA modulus is even, too long, or has leading zeros")
        }
        guard exponent.first != 0, let low = exponent.last, low & 1 == 1, exponent != [1],
            exponent.count <= maxExponentBytes
        else {
            throw TokenError(.unusableKey, "the RSA exponent is even, too small, too long, or has leading zeros")
        }
        let der = tagged(0x30, tagged(0x02, unsigned(modulus)) + tagged(0x02, unsigned(exponent)))
        let key = der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return d2i_PublicKey(EVP_PKEY_RSA, nil, &cursor, buffer.count)
        }
        guard let key else { throw libcryptoFailure("the RSA key could not be made") }
        return try RSAKey(owning: key)
    }

    /// Encodes a DER value of at most 65535 bytes (X.690 §8.1).
    private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
            }
        return [tag] + length + content
    }

    /// Encodes the content of a DER integer that is not negative (X.690 §8.3).
    private static func unsigned(_ bytes: [UInt8]) -> [UInt8] {
        (bytes.first ?? 0) < 0x80 ? bytes : [0] + bytes
    }

    private static func isConsistent(_ key: OpaquePointer) -> Bool {
        guard let context = EVP_PKEY_CTX_new(key, nil) else { return false }
        defer { EVP_PKEY_CTX_free(context) }
        let isConsistent = EVP_PKEY_pairwise_check(context) == 1
        ERR_clear_error()
        return isConsistent
    }
}
