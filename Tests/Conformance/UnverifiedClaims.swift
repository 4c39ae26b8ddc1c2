import OAuth
import Tokens

/// The claims of a token, for tests that do not check its signature.
enum UnverifiedClaims {
    static func of(_ token: String) throws -> [String: JSONValue] { try UnverifiedJWT(token).unverifiedClaims() }
}
