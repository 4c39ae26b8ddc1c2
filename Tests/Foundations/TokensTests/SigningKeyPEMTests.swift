import Crypto
import Foundation
import OAuth
import Testing

@testable import Tokens

@Suite(.timeLimit(.minutes(2)))
struct SigningKeyPEMTests {
    private static func pem(_ label: String, _ der: Data) -> String {
        let text = der.base64EncodedString(options: .lineLength64Characters)
        return "-----BEGIN \(label)-----\n\(text)\n-----END \(label)-----\n"
    }

    @Test("a P-256 key is read, also after its parameters") func curve() throws {
        let key = P256.Signing.PrivateKey()
        let parameters = Self.pem("EC PARAMETERS", Data([6, 8, 42, 134, 72, 206, 61, 3, 1, 7]))
        for text in [key.pemRepresentation, parameters + key.pemRepresentation + "\n"] {
            let read = try SigningKey(pem: Secret(text))
            #expect(read.alg == .es256)
            let signature = try read.sign(Array("text".utf8))
            #expect(read.publicKey.verifies(signature: signature, over: Array("text".utf8)))
            #expect(try read.serialized == Secret(bytes: key.rawRepresentation))
        }
    }

    @Test("an RSA key is read, in PKCS #1 and PKCS #8") func rsa() throws {
        let key = try SigningKey.generate(.rs256)
        let der = try key.serialized.revealBytes()
        // PKCS #8 has version 0, the algorithm rsaEncryption with NULL, and the key as an octet string (RFC 5958 §2).
        let algorithm: [UInt8] = [0x30, 13, 6, 9, 42, 134, 72, 134, 247, 13, 1, 1, 1, 5, 0]
        func tagged(_ tag: UInt8, _ content: Data) -> Data {
            Data([tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]) + content
        }
        let wrapped = tagged(0x30, Data([2, 1, 0] + algorithm) + tagged(4, der))
        for text in [Self.pem("RSA PRIVATE KEY", der), Self.pem("PRIVATE KEY", wrapped)] {
            let read = try SigningKey(pem: Secret(text))
            #expect(read.alg == .rs256 && read.kid == key.kid)
        }
    }

    @Test("a key has the id that it was given instead of its thumbprint") func named() throws {
        let key = try SigningKey.generate(.es256)
        let named = key.named("theirs")
        #expect(named.kid == "theirs" && named.publicKey.thumbprint == key.kid)
        let token = try UnverifiedJWT(try TokenMinter.mint(typ: .jwt, claims: [:], with: named).reveal())
        #expect(token.kid == "theirs")
    }

    @Test("a text without a key, with two keys, an encrypted key or an unsupported one is rejected and not repeated")
    func refused() throws {
        let good = P256.Signing.PrivateKey().pemRepresentation
        let texts = [
            "", "planted", good + "\n" + good, P384.Signing.PrivateKey().pemRepresentation,
            Self.pem("ENCRYPTED PRIVATE KEY", Data([1, 2, 3])), Self.pem("PRIVATE KEY", Data("planted".utf8)),
            Self.pem("RSA PRIVATE KEY", Data("planted".utf8)), String(repeating: good + "\n", count: 200),
            P256.Signing.PrivateKey().publicKey.pemRepresentation,
        ]
        for text in texts {
            let error = #expect(throws: TokenError.self) { try SigningKey(pem: Secret(text)) }
            #expect(error?.code == .unusableKey && error?.detail.contains("planted") == false, "\(text.prefix(40))")
        }
    }
}
