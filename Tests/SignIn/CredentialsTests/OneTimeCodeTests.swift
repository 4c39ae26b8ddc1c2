import OAuth
import Testing

@testable import Credentials

@Suite(.timeLimit(.minutes(2)))
struct OneTimeCodeTests {
    private let key = Secret("key")

    @Test("a code has six digits, including leading zeros") func sixDigits() {
        for _ in 0..<1000 {
            let text = OneTimeCode.generate().reveal()
            #expect(text.utf8.count == 6)
            #expect(text.utf8.allSatisfy { (0x30...0x39).contains($0) })
        }
    }

    @Test(
        "a code is recognised with any spacing, dashes and digits",
        arguments: ["", " ", "-", "\u{A0}", "–", "\u{202F}"]
    )
    func matches(_ gap: String) throws {
        let code = OneTimeCode.generate()
        let mac = code.mac(key: key, context: "fl_1")
        // The digits of ASCII, full-width digits and Arabic-Indic digits.
        for zero in [0x30, 0xFF10, 0x660] as [UInt32] {
            let digits = code.reveal().utf8.compactMap { Unicode.Scalar(zero + UInt32($0 - 0x30)).map(String.init) }
            let typed = digits.prefix(3).joined() + gap + digits.suffix(3).joined()
            #expect(try #require(OneTimeCode(Secret(typed))).matches(mac: mac, key: key, context: "fl_1"), "\(typed)")
        }
    }

    @Test("another code, another flow or another key does not match") func others() throws {
        let code = try #require(OneTimeCode(Secret("012345")))
        let mac = code.mac(key: key, context: "fl_1")
        #expect(try !#require(OneTimeCode(Secret("012346"))).matches(mac: mac, key: key, context: "fl_1"))
        #expect(!code.matches(mac: mac, key: key, context: "fl_2"))
        #expect(!code.matches(mac: mac, key: Secret("other"), context: "fl_1"))
        #expect(!code.matches(mac: mac.prefix(8), key: key, context: "fl_1"))
    }

    @Test(
        "a text without exactly six digits is rejected",
        arguments: [
            "", "12345", "1234567", "12345a", "12345六", "+12345", "①23456", String(repeating: " ", count: 96) + "1",
        ]
    )
    func refused(_ text: String) {
        #expect(OneTimeCode(Secret(text)) == nil)
    }

    @Test("a code prints no digits") func redacted() {
        let code = OneTimeCode.generate()
        #expect(!"\(code)".contains(code.reveal()))
    }
}
