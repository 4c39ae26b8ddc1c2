import CLibcrypto
import Foundation

/// An RSA key of libcrypto, public or private; it signs and verifies RS256.
///
/// libcrypto because it signs twice as fast as swift-crypto does. The key is never changed after it was made, and libcrypto
/// counts its users atomically, so many threads may use it at once.
final class RSAKey: Sendable {
    /// The shortest modulus, in bits (RFC 7518 §3.3).
    static let minBits = 2048
    /// The longest modulus, in bits; longer ones only cost time.
    static let maxBits = 8192

    /// The address of libcrypto's key, as a number, since a pointer is not `Sendable`.
    private let address: UInt

    /// Takes over `key`, and frees it if it is not RSA or its size is not accepted.
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

    /// Signs `bytes` with RS256 (RFC 7518 §3.3).
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

    /// True if `signature` is this key's RS256 signature of `bytes`.
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

    /// The modulus, without leading zeros.
    var modulus: [UInt8] { number(OSSL_PKEY_PARAM_RSA_N) }

    /// The public exponent, without leading zeros.
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
        guard written == length else { throw libcryptoFailure("the RSA key does not serialise") }
        return bytes
    }
}

/// Makes an error of libcrypto's last failure and empties this thread's error queue.
func libcryptoFailure(_ what: String) -> TokenError {
    let code = ERR_get_error()
    ERR_clear_error()
    return TokenError(.cryptoFailed, code == 0 ? what : "\(what) (libcrypto error \(code))")
}
