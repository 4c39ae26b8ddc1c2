import AsyncHTTPClient
import Foundation
import HTTPServer
import LocalIssuer
import NIOCore
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests of the rate limit for exchanges of a provider's token (RFC 8693), which applies to each caller separately.
@Suite(.timeLimit(.minutes(5)))
struct ExchangeShareTests {
    private static let secret = "p1aRtner-secret-of-many-different-signs"
    private static let share = 64

    /// Exchanges a provider's token in a request that the proxy forwards for a caller at `address`.
    private func exchange(_ subject: String, _ machine: Machine, from address: String) async throws -> WebAnswer {
        let fields = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("client_id", "api"),
            ("client_secret", Self.secret), ("scope", "tasks.read"), ("subject_token", subject),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
        ]
        var request = HTTPClientRequest(url: "\(machine.base)/local/b2c_1_partner/oauth2/v2.0/token")
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.headers.add(name: "Forwarded", value: "for=\(address)")
        request.body = .bytes(ByteBuffer(string: Form.encoded(fields)))
        let response = try await HTTPClient.forTests.execute(request, timeout: .seconds(30))
        let text = String(buffer: try await response.body.collect(upTo: 65_536))
        return WebAnswer(status: Int(response.status.code), headers: response.headers, text: text)
    }

    @Test("a caller has 64 exchanges a minute: one more gets a retry time, and other callers are served")
    func share() async throws {
        let scene = ProviderScene()
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let provider = try LocalProvider(issuer: "http://\(socket.address)")
        let machine = try scene.machine(
            issuer: provider.issuer,
            client: provider.clientID,
            secret: provider.secret,
            configuration: [
                "behindProxy: true", "proxies: [\"127.0.0.1\", \"::1\"]", "forwardedHeader: Forwarded", "clients:",
                "  api: {type: confidential, firstParty: true, secretFile: api.secret, apis: [tasks], "
                    + "grants: [token_exchange]}",
            ]
        )
        try machine.writeSecret(Self.secret, to: "etc/api.secret")
        try await provider.serve(socket) {
            let daemon = try machine.startBroker()
            let subject = try provider.idToken()
            for number in 0..<Self.share {
                let answer = try await exchange(subject, machine, from: "203.0.113.7")
                #expect(answer.status == 200, "\(number): \(answer.text)")
            }
            let more = try await exchange(subject, machine, from: "203.0.113.7")
            #expect(more.status == 429, "\(more.status) \(more.text)")
            let wait = more.headers.first(name: "Retry-After").flatMap { Int($0) }
            #expect(wait.map { (1...60).contains($0) } == true, "\(more.headers)")
            #expect(!more.text.contains(subject))
            let other = try await exchange(subject, machine, from: "203.0.113.8")
            #expect(other.status == 200, "\(other.text)")
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0, "\(daemon.errors())")
            #expect(try !daemon.log().contains(subject))
        }
    }
}
