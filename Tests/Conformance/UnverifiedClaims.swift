import OAuth
import Tokens

/// Reads a token's claims for tests that do not check the signature.
enum UnverifiedClaims {
    static func of(_ token: String) throws -> [String: JSONValue] { try UnverifiedJWT(token).unverifiedClaims() }
}
