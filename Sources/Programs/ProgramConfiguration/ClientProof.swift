import Crypto
import Files
import Foundation
public import OAuth
import Policies
import StrictYAML
public import Tokens

/// The credentials of a confidential client, which are a secret, public keys for `private_key_jwt`, or both.
public struct ClientProof: Hashable, Sendable {
    /// The minimum number of random bits in a secret (RFC 6819 §5.1.4.2.2 requires 128).
    static let fewestBits = 128
    /// The maximum size of a client's key set, in bytes.
    static let longestKeys = 65_536

    /// The SHA-256 of the secret, or `nil` if the client has no secret.
    public let secretHash: Secret?
    /// The client's public keys (RFC 7517 §5), or `nil` if the client has no keys.
    public let keys: JWKSet?

    static let none = ClientProof(secretHash: nil, keys: nil)

    private init(secretHash: Secret?, keys: JWKSet?) {
        self.secretHash = secretHash
        self.keys = keys
    }

    init(_ value: YAMLValue, folder: String, name: String, problems: inout [Problem]) {
        secretHash = value["secretFile"].secret("\(name).secretFile", from: folder, problems: &problems, Self.hash)
        keys = Self.keys(value, folder: folder, name: name, problems: &problems)
    }

    private static func hash(_ file: PasswordFile) throws(PasswordFile.Fault) -> Secret {
        let secret = try file.content()
        let text = secret.reveal()
        // A hexadecimal digit has 4 bits. Any other base64url character has 6.
        let bits = text.count * (text.allSatisfy(\.isHexDigit) ? 4 : 6)
        guard bits >= fewestBits, Set(text).count >= 8 else {
            throw PasswordFile.Fault(
                description:
                    "\(file.path) has fewer than 128 random bits; run: openssl rand -hex 32 > \(file.path)"
            )
        }
        return Secret(bytes: SHA256.hash(data: secret.revealBytes()))
    }

    private static func keys(
        _ value: YAMLValue,
        folder: String,
        name: String,
        problems: inout [Problem]
    ) -> JWKSet? {
        let (inline, file) = (value["jwks"], value["jwksFile"])
        guard inline.isPresent || file.isPresent else { return nil }
        let place = inline.isPresent ? inline : file
        let key = inline.isPresent ? "jwks" : "jwksFile"
        guard !inline.isPresent || !file.isPresent else {
            problems.append(file.problem("`\(name).jwksFile` and `\(name).jwks` are both set; remove one of them"))
            return nil
        }
        let path = file.isPresent ? file.path(from: folder) : ""
        let content = inline.isPresent ? Data(inline.text.utf8) : FileManager.default.contents(atPath: path)
        guard let content else {
            problems.append(place.problem("`\(name).\(key)`: \(path) cannot be read"))
            return nil
        }
        let bytes = ByteOrderMark.skipped(in: content)
        let set = bytes.count <= longestKeys ? try? StrictJSON.parse(Array(bytes)) : nil
        guard let keys = set?["keys"]?.array, !keys.isEmpty, keys.allSatisfy({ $0["kty"]?.string != nil }) else {
            problems.append(place.problem("`\(name).\(key)` is not a JWK set (RFC 7517 §5) of at most 64 KiB"))
            return nil
        }
        guard keys.allSatisfy({ $0["d"] == nil && $0["k"] == nil }) else {
            problems.append(place.problem("`\(name).\(key)` contains a private key; list only public keys"))
            return nil
        }
        do throws(TokenError) {
            return try JWKSet.parse(bytes)
        } catch {
            problems.append(place.problem("`\(name).\(key)`: \(error.detail)"))
            return nil
        }
    }
}
