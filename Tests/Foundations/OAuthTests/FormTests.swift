import OAuth
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FormTests {
    @Test("RFC 6749 appendix B: plus signs, percent signs and UTF-8 are decoded") func decoded() throws {
        let form = try Form("a=1+%2B%20&b=%C3%A4&c%5B%5D=%3D=&%20=x")
        #expect(form["a"] == "1 + " && form["b"] == "ä" && form["c[]"] == "==" && form[" "] == "x")
        #expect(form.names == ["a", "b", "c[]", " "] && form.repeated == [])
    }

    @Test("RFC 6749 §3.1: a parameter without a value counts as omitted", arguments: ["a=", "a", "a&b", "", "&&"])
    func empty(_ text: String) throws {
        let form = try Form(text)
        #expect(form["a"] == nil && form.names == [])
    }

    @Test("RFC 6749 §3.1: repeated parameters are reported, also without a value")
    func repeated() throws {
        let form = try Form("b=1&a=1&b=&a=1&c=1")
        #expect(form.repeated == ["a", "b"] && form.all("a") == ["1", "1"] && form.all("b") == ["1"])
    }

    @Test(
        "a text that cannot be decoded is rejected",
        arguments: ["a=%", "a=%4", "a=%zz", "a=%FF", "%C3=1", String(repeating: "a=1&", count: Form.maxCount + 1)]
    )
    func refused(_ text: String) {
        let error = #expect(throws: OAuthError.self) { try Form(text) }
        #expect(error?.code == .invalidRequest)
    }

    @Test("an encoded form is parsed as the same pairs") func roundTrip() throws {
        let text = Form.encoded([("state", "a b&c=d+é\u{0}"), ("iss", "https://login.test/t/p")])
        let form = try Form(text)
        #expect(form["state"] == "a b&c=d+é\u{0}" && form["iss"] == "https://login.test/t/p")
        #expect(text.hasPrefix("state=a%20b%26c%3Dd%2B%C3%A9%00&iss=https%3A%2F%2F"))
    }
}
