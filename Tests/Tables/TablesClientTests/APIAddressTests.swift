import TablesClient
import Testing

@Suite(.timeLimit(.minutes(2)))
struct APIAddressTests {
    @Test(
        "https URLs and http URLs of loopback hosts are accepted",
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
        "a URL that would send a token unprotected, or has no origin, is rejected",
        arguments: [
            ("http://api.example", "unencrypted"), ("http://localhost.example", "unencrypted"),
            ("http://127.0.0.1.example", "unencrypted"), ("http://127.0.0.256", "unencrypted"),
            ("http://0.0.0.0:3000", "unencrypted"), ("ftp://localhost", "is not an https address"),
            ("localhost:3000", "is not a valid address"), ("", "is not a valid address"),
            ("https://", "is not a valid address"),
            ("https://user@api.example", "must not have a user name, a query or a fragment"),
            ("https://user:word@api.example", "must not have a user name, a query or a fragment"),
            ("https://api.example?x=1", "must not have a user name, a query or a fragment"),
            ("https://api.example#x", "must not have a user name, a query or a fragment"),
            ("unix:/run/a.sock", "is not a valid address"), ("http://localhost:70000", "a port outside the range"),
        ]
    )
    func invalid(_ text: String, _ words: String) {
        let error = #expect(throws: APIAddress.Invalid.self) { try APIAddress(text) }
        #expect(error?.description.contains(words) == true)
    }

    @Test("a port in the path is rejected with a suggestion of the corrected URL") func portInPath() {
        let error = #expect(throws: APIAddress.Invalid.self) { try APIAddress("http://localhost/tasks:3000") }
        #expect(error?.description.contains("http://localhost:3000/tasks") == true)
    }
}
