import OAuth
import Tokens

/// The claims of a token whose signature is not the matter of a test.
enum UnverifiedClaims {
    static func of(_ token: String) throws -> [String: JSONValue] { try UnverifiedJWT(token).unverifiedClaims() }
}
