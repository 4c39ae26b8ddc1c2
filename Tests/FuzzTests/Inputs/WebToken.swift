import Foundation
import Moments
import OAuth
import Tokens

extension FuzzedInput {
    /// A JWT, which is never valid because the fuzzer has no key to sign it.
    static let token = FuzzedInput(name: "jwt") { bytes in
        if let text = String(validating: bytes, as: UTF8.self) { try checkToken(text) }
        // Three lines become the parts of a JWT, so that the fuzzer reaches the code after base64url decoding.
        let parts = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
        if parts.count == 3 { try checkToken(parts.map { Base64URL.encode($0) }.joined(separator: ".")) }
    }

    private static func checkToken(_ text: String) throws {
        guard let token = try? UnverifiedJWT(text) else { return }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let again = parts.map { part in Base64URL.decode(part).map { Base64URL.encode($0) } }
        try require(again == parts.map(Optional.some), "a part of a token is not the only writing of its bytes")
        try require(text.utf8.count <= UnverifiedJWT.maxLength, "a token is too long")
        let expected = Expectations(
            type: .jwt,
            issuer: "https://issuer.example",
            audiences: ["client"],
            now: Moment(wall: 1_795_000_000_000, boot: 1_000, bootID: "boot")
        )
        for key in TestKeys.all {
            let verified = try? JWTVerifier.verify(token, onlyKey: key.publicKey, expected: expected)
            try require(verified == nil, "an unsigned token is valid")
        }
    }
}

/// The signing keys that all fuzzed inputs share, each created only once.
enum TestKeys {
    static let es256 = make(.es256)
    static let all = [es256, make(.eddsa), make(.rs256)]

    private static func make(_ alg: SigningAlgorithm) -> SigningKey {
        do {
            return try SigningKey.generate(alg)
        } catch {
            preconditionFailure("a key is made: \(error)")
        }
    }
}
