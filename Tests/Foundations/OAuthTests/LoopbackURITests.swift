import OAuth
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LoopbackURITests {
    @Test(
        "RFC 8252 §7.3: a loopback address has a fixed port or accepts any, and keeps its path",
        arguments: [
            ("http://localhost", nil, "http://localhost:1"), ("http://127.0.0.1/", nil, "http://127.0.0.1:1/"),
            ("http://[::1]/cb", nil, "http://[::1]:1/cb"), ("http://localhost:8400", 8_400, "http://localhost:1"),
            ("http://localhost:65535/cb", 65_535, "http://localhost:1/cb"),
        ] as [(String, UInt16?, String)]
    )
    func good(_ text: String, _ port: UInt16?, _ first: String) throws {
        let uri = try #require(LoopbackURI(text))
        #expect(uri.port == port && uri.description == text && uri.with(port: 1).description == first)
    }

    @Test(
        "any other address is rejected",
        arguments: [
            "http://localhost:99999", "http://localhost:65536", "http://localhost:0", "http://localhost:08",
            "http://localhost:", "https://localhost", "http://127.0.0.2", "http://localhost.example",
            "http://localhost?x", "http://localhost/#x", "http://LOCALHOST", "",
        ]
    )
    func bad(_ text: String) { #expect(LoopbackURI(text) == nil) }
}
