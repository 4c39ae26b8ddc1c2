import Foundation
import OAuth
import Testing

@Suite(.timeLimit(.minutes(2)))
struct Base64URLTests {
    @Test(
        "RFC 4648 §10, without padding",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ]
    )
    func vectors(_ bytes: String, _ text: String) {
        #expect(Base64URL.encode(Array(bytes.utf8)) == text)
        #expect(Base64URL.decode(text) == Data(bytes.utf8))
    }

    @Test("RFC 7515 appendix C") func appendixC() {
        #expect(Base64URL.encode([3, 236, 255, 224, 193]) == "A-z_4ME")
        #expect(Base64URL.decode("A-z_4ME") == Data([3, 236, 255, 224, 193]))
    }

    @Test(
        "padding, other alphabets, white space, impossible lengths and unused bits are rejected",
        arguments: ["Zg==", "Zg=", "A+z/4ME", "Zm9v\n", " Zm9v", "Z", "Zm9vY", "Zh", "Zm9", "Zm8é", "Zm.v", "Zm9v="]
    )
    func refused(_ text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test("every byte sequence survives encoding and decoding, from any kind of collection") func roundTrip() {
        var random = SystemRandomNumberGenerator()
        for count in 0..<100 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let text = Base64URL.encode(bytes)
            #expect(Base64URL.decode(text) == Data(bytes))
            #expect(Base64URL.encode(bytes.lazy.map { $0 }) == text)
            #expect(Base64URL.encode(Data(bytes)) == text)
        }
    }

    @Test("only one of all last characters encodes the same bytes") func oneSpelling() {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        #expect(alphabet.filter { Base64URL.decode("Z\($0)") != nil }.count == 4)
        #expect(alphabet.filter { Base64URL.decode("Zm\($0)") != nil }.count == 16)
    }
}
