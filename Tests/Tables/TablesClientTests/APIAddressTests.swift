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
            "http://api.example", "http://localhost.example", "http://127.0.0.1.example", "http://127.0.0.256",
            "http://0.0.0.0:3000", "ftp://localhost", "localhost:3000", "", "https://", "https://user@api.example",
            "https://user:word@api.example", "https://api.example?x=1", "https://api.example#x", "unix:/run/a.sock",
            "http://localhost:70000",
        ]
    )
    func invalid(_ text: String) {
        #expect(throws: APIAddress.Invalid.self) { try APIAddress(text) }
    }

    @Test("a port in the path is refused with the address that was meant") func portInPath() {
        let error = #expect(throws: APIAddress.Invalid.self) { try APIAddress("http://localhost/tasks:3000") }
        #expect(error?.description.contains("http://localhost:3000/tasks") == true)
    }
}
