import OAuth
import Testing

@Suite(.timeLimit(.minutes(1)))
struct WebOriginTests {
    @Test(
        "an origin is scheme, host and port, in any notation of its URL",
        arguments: [
            ("https://api.example", "https://api.example"), ("https://API.example:443/a?b=c#d", "https://api.example"),
            ("HTTPS://api.example:8443/", "https://api.example:8443"), ("http://localhost:80", "http://localhost"),
            ("http://127.0.0.1:3000/x", "http://127.0.0.1:3000"), ("http://[::1]:3000", "http://[::1]:3000"),
            ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ]
    )
    func origin(_ url: String, _ origin: String) {
        #expect(WebOrigin(url)?.description == origin)
        #expect(WebOrigin(origin) == WebOrigin(url))
    }

    @Test(
        "a URL that may not get a token has no origin",
        arguments: [
            "", "api.example", "//api.example", "ftp://api.example", "http://api.example", "http://localhost.example",
            "https://user@api.example", "https://user:word@api.example", "https://api.example\\@evil.example",
            "https://api.example:0", "https://api.example:65536", "https://", "https://a b", "https://api%2eexample",
            "http://127.1", "http://127.0.0.1.example", "https://api.example\n", "https://bücher.example",
        ]
    )
    func none(_ url: String) {
        #expect(WebOrigin(url) == nil)
    }

    @Test("origins differ by scheme, host and port") func differ() {
        let texts = [
            "http://localhost", "https://localhost", "https://localhost:80", "https://localhost.", "http://127.0.0.1",
            "http://localhost:3000", "http://[::1]:3000",
        ]
        #expect(Set(texts.compactMap { WebOrigin($0) }).count == texts.count)
    }
}
