import CArgon2
import Foundation

/// Argon2id, version 1.3, by the reference implementation (RFC 9106).
enum Argon2id {
    /// Bytes of a salt (RFC 9106 §3.1).
    static let saltLength = 16
    /// Bytes of a tag.
    static let tagLength = 32

    /// The tag of a password under a salt.
    static func tag(
        password: [UInt8],
        salt: [UInt8],
        parameters: Argon2Parameters,
        length: Int = tagLength
    ) throws(CredentialError) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: length)
        let status = argon2id_hash_raw(
            parameters.passes,
            parameters.memory,
            parameters.lanes,
            password,
            password.count,
            salt,
            salt.count,
            &tag,
            length
        )
        guard status == ARGON2_OK.rawValue else {
            throw .failed(String(cString: argon2_error_message(status)))
        }
        return tag
    }
}
