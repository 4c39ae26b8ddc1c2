import CLibcrypto
import Foundation

/// A public or private RSA key for RS256 in libcrypto, which signs twice as fast as swift-crypto.
///
/// Several threads can use a key at the same time.
final class RSAKey: Sendable {
    /// The minimum length of the modulus, in bits (RFC 7518 §3.3).
    static let minBits = 2048
    /// The maximum length of the modulus in bits, because longer keys would only be slower.
    static let maxBits = 8192

    /// The address of the libcrypto key, which is stored as an integer because pointers are not `Sendable`.
    private let address: UInt

    /// Takes ownership of `key`, and frees it if it is not an RSA key of a supported size.
    init(owning key: OpaquePointer) throws(TokenError) {
        let bits = Int(EVP_PKEY_get_bits(key))
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA, (Self.minBits...Self.maxBits).contains(bits) else {
            EVP_PKEY_free(key)
            throw TokenError(.unusableKey, "an RSA key must have \(Self.minBits) to \(Self.maxBits) bits")
        }
        address = UInt(bitPattern: key)
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    private var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }

    func sign(_ bytes: [UInt8]) throws(TokenError) -> Data {
        guard let context = EVP_MD_CTX_new() else { throw libcryptoFailure("no memory") }
        defer { EVP_MD_CTX_free(context) }
        var length = Int(EVP_PKEY_get_size(pointer))
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, pointer) == 1,
            EVP_DigestSign(context, &signature, &length, bytes, bytes.count) == 1
        else { throw libcryptoFailure("RS256 signing failed") }
        return Data(signature.prefix(length))
    }

    func verifies(_ signature: [UInt8], over bytes: [UInt8]) -> Bool {
        guard signature.count == Int(EVP_PKEY_get_size(pointer)), let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, pointer) == 1,
            EVP_DigestVerify(context, signature, signature.count, bytes, bytes.count) == 1
        else {
            ERR_clear_error()
            return false
        }
        return true
    }

    var modulus: [UInt8] { number(OSSL_PKEY_PARAM_RSA_N) }

    var exponent: [UInt8] { number(OSSL_PKEY_PARAM_RSA_E) }

    private func number(_ name: String) -> [UInt8] {
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(pointer, name, &number) == 1 else { return [] }
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
    }

    /// Encodes the private key as DER (RFC 8017 appendix A.1.2).
    func serialized() throws(TokenError) -> [UInt8] {
        let length = Int(i2d_PrivateKey(pointer, nil))
        guard length > 0 else { throw libcryptoFailure("the RSA key has no private part") }
        var written = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            var cursor = buffer.baseAddress
            written = Int(i2d_PrivateKey(pointer, &cursor))
            count = max(0, written)
        }
        guard written == length else { throw libcryptoFailure("the RSA key cannot be serialised") }
        return bytes
    }
}

/// Creates an error with libcrypto's oldest queued error code, and clears the error queue of the current thread.
func libcryptoFailure(_ what: String) -> TokenError {
    let code = ERR_get_error()
    ERR_clear_error()
    return TokenError(.cryptoFailed, code == 0 ? what : "\(what) (libcrypto error \(code))")
}

extension RSAKey {
    /// The maximum length of the public exponent in bytes, which suffices for all exponents that are used in practice.
    static let maxExponentBytes = 4

    static func generate() throws(TokenError) -> RSAKey {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, nil) else { throw libcryptoFailure("no memory") }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(minBits)) == 1,
            EVP_PKEY_keygen(context, &key) == 1,
            let key
        else { throw libcryptoFailure("the RSA key could not be generated") }
        return try RSAKey(owning: key)
    }

    /// Creates a private key from the result of ``serialized()``, and checks that its public and private parts match.
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

    /// Creates a public key from the values of `n` and `e` in a JWK (RFC 7518 §6.3.1, RFC 8017 appendix A.1.1).
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
        guard let key else { throw libcryptoFailure("the RSA key could not be created") }
        return try RSAKey(owning: key)
    }

    /// Encodes a DER value that has the given tag and at most 65535 bytes of content (X.690 §8.1).
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

    /// Encodes an unsigned big-endian number as the content of a DER integer (X.690 §8.3).
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
