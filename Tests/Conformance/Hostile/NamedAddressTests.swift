import Authority
import Foundation
import OAuth
import TestSupport
import Testing

/// Tests of URLs in a client's request.
///
/// The authority must not request any of these URLs (RFC 9700 §4.10, RFC 9101 §10.4).
@Suite(.timeLimit(.minutes(2)))
struct NamedAddressTests {
    /// A local listener that records whether a connection arrived.
    private struct Listener {
        let port: Int
        private let descriptor: Int32

        init() throws {
            port = freePort()
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = UInt16(port).bigEndian
            address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
            let bound = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try #require(bound == 0 && listen(descriptor, 8) == 0)
        }

        var wasVisited: Bool { accept(descriptor, nil, nil) >= 0 }

        func close() { _ = Foundation.close(descriptor) }
    }

    @Test(
        "a URL in an authorization request is not requested",
        arguments: [
            "request_uri", "request", "registration", "jwks_uri", "logo_uri", "sector_identifier_uri",
            "initiate_login_uri", "id_token_hint", "resource", "redirect_uri",
        ]
    )
    func authorization(_ name: String) async throws {
        let (site, listener) = (try await Site(), try Listener())
        defer { listener.close() }
        let address = "http://127.0.0.1:\(listener.port)/x"
        _ = try await site.authorize([name: address], isSignedIn: true)
        // The request is valid apart from the URL, so that no earlier check ends its processing.
        let request = [
            "client_id": "app", "response_type": "code", "redirect_uri": Site.redirectURI,
            "scope": "openid tasks.read", "code_challenge_method": "S256",
            "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        ]
        #expect(try await site.post(.pushedRequests, request).status == 201)
        _ = try await site.post(.pushedRequests, request.merging([name: address]) { $1 })
        #expect(!listener.wasVisited)
    }

    @Test("a URL in the header of a client assertion is not requested", arguments: ["jku", "x5u"])
    func statement(_ name: String) async throws {
        let (site, listener) = (try await Site(), try Listener())
        defer { listener.close() }
        let parts = try site.assertion().split(separator: ".").map(String.init)
        let header: JSONValue = [
            "alg": "ES256", "typ": "JWT", "kid": "unknown", name: .string("http://127.0.0.1:\(listener.port)/keys"),
        ]
        let answer = try await site.post(
            .token,
            [
                "grant_type": "client_credentials", "scope": "tasks.read",
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                "client_assertion": ([Base64URL.encode(header.bytes)] + parts.dropFirst()).joined(separator: "."),
            ]
        )
        #expect(answer.status == 401 && answer.error == "invalid_client")
        #expect(!listener.wasVisited)
    }
}
