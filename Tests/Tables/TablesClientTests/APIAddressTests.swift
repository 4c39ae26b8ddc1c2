import TablesClient
import Testing

@Suite(.timeLimit(.minutes(2)))
struct APIAddressTests {
    @Test(
        "https anywhere and http to this machine are addresses",
        arguments: [
            "https://api.example", "https://api.example:8443/v1", "http://localhost:3000", "http://127.0.0.1:3000",
            "http://127.1.2.3", "http://[::1]:3000", "HTTP://LOCALHOST:3000/",
        ]
    )
    func valid(_ text: String) throws {
        let trimmed = text.hasSuffix("/") ? String(text.dropLast()) : text
        #expect(try APIAddress(text).description == trimmed.lowercased())
    }

    @Test(
        "what would carry a token unprotected, or is no origin, is refused",
        arguments: [
            ("http://api.example", "unprotected"), ("http://localhost.example", "unprotected"),
            ("http://127.0.0.1.example", "unprotected"), ("http://127.0.0.256", "unprotected"),
            ("http://0.0.0.0:3000", "unprotected"), ("ftp://localhost", "is not an https address"),
            ("localhost:3000", "is not an address such as"), ("", "is not an address such as"),
            ("https://", "is not an address such as"), ("https://user@api.example", "no user, query or fragment"),
            ("https://user:word@api.example", "no user, query or fragment"),
            ("https://api.example?x=1", "no user, query or fragment"),
            ("https://api.example#x", "no user, query or fragment"),
            ("unix:/run/a.sock", "is not an address such as"), ("http://localhost:70000", "a port that is not"),
        ]
    )
    func invalid(_ text: String, _ words: String) {
        let error = #expect(throws: APIAddress.Invalid.self) { try APIAddress(text) }
        #expect(error?.description.contains(words) == true)
    }

    @Test("a port in the path is refused with the address that was meant") func portInPath() {
        let error = #expect(throws: APIAddress.Invalid.self) { try APIAddress("http://localhost/tasks:3000") }
        #expect(error?.description.contains("http://localhost:3000/tasks") == true)
    }
}
