public import Foundation
import OAuth

/// The salt and the cost parameters, which are not secret, for deriving a key from a passphrase.
public struct KeyRecipe: Hashable, Sendable {
    /// The length of a key in bytes.
    static let keyLength = 32

    let parameters: Argon2Parameters
    let salt: [UInt8]

    init(parameters: Argon2Parameters, salt: [UInt8]) {
        self.parameters = parameters
        self.salt = salt
    }

    /// The recipe in its stored form, which is a PHC string without a tag.
    public var serialized: Data {
        Data(PasswordHash(parameters: parameters, salt: salt, tag: []).text.revealBytes())
    }

    /// Reads a ``serialized`` recipe, or throws `malformedHash` if the format or a cost parameter is invalid.
    public init(serialized: Data) throws(CredentialError) {
        // The recipe is parsed as a hash with a dummy tag, so that only one parser has to know the format.
        let hash = try PasswordHash(Secret(bytes: serialized + Data(Self.anyTag.utf8)))
        self.init(parameters: hash.parameters, salt: hash.salt)
    }

    /// The base64 text of a dummy tag, which consists of 16 zero bytes.
    private static let anyTag = String(repeating: "A", count: 22)
}
