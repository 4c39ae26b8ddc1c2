import Foundation
import OAuth
import Testing
import Tokens

@Suite(.timeLimit(.minutes(2)))
struct TokenMinterTests {
    @Test("header and claims have a fixed order") func order() throws {
        let key = try SigningKey.generate(.eddsa)
        let token = try TokenMinter.mint(typ: .accessToken, claims: [("z", 1), ("a", ["c": 1, "b": 2])], with: key)
        let parts = token.reveal().split(separator: ".").map(String.init)
        #expect(Base64URL.decode(parts[0]) == Data(#"{"alg":"EdDSA","kid":"\#(key.kid)","typ":"at+jwt"}"#.utf8))
        #expect(Base64URL.decode(parts[1]) == Data(#"{"z":1,"a":{"b":2,"c":1}}"#.utf8))
        #expect(
            try TokenMinter.mint(typ: .accessToken, claims: [("z", 1), ("a", ["c": 1, "b": 2])], with: key) == token
        )
        let sorted = try TokenMinter.mint(typ: .jwt, claims: ["z": 1, "a": 2], with: key).reveal()
        #expect(sorted.contains(Base64URL.encode(Array(#"{"a":2,"z":1}"#.utf8))))
    }

    @Test("a token is printed as <redacted>") func redacted() throws {
        let key = try SigningKey.generate(.es256)
        #expect("\(try TokenMinter.mint(typ: .jwt, claims: ["a": 1], with: key))" == "<redacted>")
    }
}
