import OAuth
import Testing

@Suite(.timeLimit(.minutes(1)))
struct RedirectURITests {
    @Test(
        "https, loopback and private-use schemes are redirect URIs",
        arguments: [
            "https://web.example/cb", "https://web.example:8443/cb?x=1", "http://localhost", "http://127.0.0.1:1234/cb",
            "http://127.8.9.1/cb", "http://[::1]/cb", "com.example.app:/cb",
        ]
    )
    func good(_ text: String) throws {
        let uri = try RedirectURI(text)
        #expect(uri.description == text && uri.allows(uri))
    }

    @Test(
        "any other URI is rejected with a reason",
        arguments: [
            ("urn:ietf:wg:oauth:2.0:oob", "loopback"), ("urn:ietf:wg:oauth:2.0:oob:auto", "device code"),
            ("URN:IETF:WG:OAUTH:2.0:OOB", "device code"), ("http://web.example/cb", "loopback addresses only"),
            ("http://127.evil.example/cb", "loopback addresses only"),
            ("http://127.0.0.1.evil.example/", "loopback addresses only"),
            ("http://127.1/cb", "loopback addresses only"), ("http://localhost@evil.example/", "user name"),
            ("https://web.example/cb#x", "fragment"), ("https://*.example/cb", "wildcard"), ("https:///cb", "host"),
            ("cb", "absolute URI"), ("/cb", "absolute URI"), ("javascript:alert(1)", "reversed domain name"),
            ("myapp:/cb", "reversed domain name"),
            ("https://web.example/a b", "absolute URI"), ("http://localhost/cb:3000", "http://localhost:3000/cb"),
            ("https://web.example:0/cb", "1 to 65535"),
            ("http://localhost:", "1 to 65535"), ("http://localhost:/cb", "1 to 65535"),
            ("http://localhost:05", "1 to 65535"), ("http://127.0.0.1:00080/cb", "1 to 65535"),
            ("http://[::1]:/cb", "1 to 65535"), ("http://[::1]:01/cb", "1 to 65535"),
            ("https://" + String(repeating: "a", count: 2048), "2048"),
        ]
    )
    func bad(_ text: String, _ part: String) {
        let refusal = #expect(throws: AddressProblem.self) { try RedirectURI(text) }
        #expect(refusal?.description.contains(part) == true, "\(refusal?.description ?? "")")
    }

    @Test(
        "RFC 8252 §7.3: on loopback any port is accepted and an empty path is /, otherwise every byte must match",
        arguments: [
            ("http://localhost", "http://localhost:1234", true), ("http://localhost", "http://localhost:1234/", true),
            ("http://127.0.0.1/cb", "http://127.0.0.1:9/cb", true), ("http://[::1]:1/cb", "http://[::1]:2/cb", true),
            ("http://localhost/cb", "http://localhost:1/cb/", false),
            ("http://localhost/cb", "http://localhost:1/cb?x", false),
            ("http://localhost/cb", "http://localhost:1/cb?", false),
            ("http://localhost", "http://localhost:1?", false),
            ("http://localhost/cb", "http://LOCALHOST:1/cb", false),
            ("http://localhost/cb", "HTTP://localhost/cb", false),
            ("http://localhost/cb?x=1", "http://localhost:65535/cb?x=1", true),
            ("http://localhost?x=1", "http://localhost:1/?x=1", true),
            ("http://localhost/%63b", "http://localhost:1/cb", false),
            ("http://localhost", "http://127.0.0.1", false), ("http://127.0.0.1", "http://127.0.0.2", false),
            ("https://web.example/cb", "https://web.example:443/cb", false),
            ("https://web.example", "https://web.example/", false),
            ("https://web.example/cb", "https://WEB.example/cb", false),
            ("https://localhost/cb", "https://localhost:1/cb", false),
            ("https://web.example/%63b", "https://web.example/cb", false),
            ("com.example.app:/cb", "com.example.app:/cb2", false),
            ("https://web.example/cb", "http://localhost/cb", false),
        ]
    )
    func comparison(_ registered: String, _ requested: String, _ allowed: Bool) throws {
        #expect(try RedirectURI(registered).allows(RedirectURI(requested)) == allowed)
    }

    @Test(
        "a browser arrives at the port that it was sent to, and writes an empty path as /",
        arguments: [
            ("http://127.0.0.1", "http://127.0.0.1/", true), ("http://localhost:8400", "http://localhost:8400/", true),
            ("http://localhost:80/cb", "http://localhost/cb", true),
            ("http://localhost:8400/cb", "http://localhost:8400/cb", true),
            ("http://localhost:8400/cb", "http://localhost:8401/cb", false),
            ("http://localhost", "http://localhost:8400/", false), ("http://localhost/cb", "http://localhost/", false),
            ("https://web.example/cb", "https://web.example/cb", true),
            ("https://web.example/cb", "https://web.example/cb/", false),
        ]
    )
    func reached(_ sent: String, _ end: String, _ same: Bool) throws {
        #expect(try RedirectURI(sent).isReached(at: RedirectURI(end)) == same)
    }

    @Test("only 127.0.0.0/8, ::1 and localhost in their written forms are loopback") func loopback() {
        for host in ["localhost", "LOCALHOST", "::1", "[::1]", "127.0.0.1", "127.255.0.3"] {
            #expect(Loopback.contains(host: host), "\(host)")
        }
        for host in [
            "", "127.evil.example", "127.0.0.1.example", "127.1", "127.0.0.256", "127.0.0.01", "127.0.0.+1", "127.0.0.",
            "128.0.0.1", "localhost.", "0.0.0.0", "::", "2130706433", "127.0.0.１",
        ] {
            #expect(!Loopback.contains(host: host), "\(host)")
        }
    }
}
