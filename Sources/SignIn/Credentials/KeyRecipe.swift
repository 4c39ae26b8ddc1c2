public import Foundation
import OAuth

/// Recipe for making a key of a passphrase: salt and costs; not secret, and nothing without the passphrase.
public struct KeyRecipe: Hashable, Sendable {
    /// Bytes of a key.
    static let keyLength = 32

    let parameters: Argon2Parameters
    let salt: [UInt8]

    init(parameters: Argon2Parameters, salt: [UInt8]) {
        self.parameters = parameters
        self.salt = salt
    }

    /// The recipe as it is kept: a PHC string without a tag.
    public var serialized: Data {
        Data(PasswordHash(parameters: parameters, salt: salt, tag: []).text.revealBytes())
    }

    /// Reads what ``serialized`` gave.
    ///
    /// - Throws: ``CredentialError``, `malformedHash` for anything else, also for costs that are out of range.
    public init(serialized: Data) throws(CredentialError) {
        // As a hash whose tag is not looked at, so that one reader knows the form.
        let hash = try PasswordHash(Secret(bytes: serialized + Data(Self.anyTag.utf8)))
        self.init(parameters: hash.parameters, salt: hash.salt)
    }

    /// A tag of 16 bytes.
    private static let anyTag = String(repeating: "A", count: 22)
}
