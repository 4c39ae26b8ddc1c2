import Foundation
import HTTPTypes
import OAuth
import OpenIDClient
import OutgoingHTTP
import Policies
import TestSupport
import Testing

@testable import CustomIdentity

/// Tests requests to a custom identity provider over a real socket.
@Suite(.timeLimit(.minutes(2)))
struct RealmClientTests {
    private let time = TestClock()

    /// Runs `test` with a provider, the provider's settings, and a client.
    private func withRealm(
        deadlines: any Clock<Duration> = ContinuousClock(),
        _ test: (LocalRealm, CustomRealm, RealmClient) async throws -> Void
    ) async throws {
        let provider = LocalRealm()
        let calls = OutsideCalls(clock: time.clock, route: .direct, deadlines: deadlines)
        let client = RealmClient(calls) { address, body in
            Secret("proof of \(address) \(body.count)")
        }
        try await provider.serve { realm in
            do {
                try await test(provider, realm, client)
            } catch {
                try await calls.shutdown()
                throw error
            }
            try await calls.shutdown()
        }
    }

    /// Calls the provider, and returns the error, or `nil` if the provider responds.
    private func error(_ client: RealmClient, _ realm: CustomRealm) async -> ProviderError? {
        do throws(ProviderError) {
            _ = try await client.ask(realm, .startAuthorization, headers: [:])
            return nil
        } catch {
            return error
        }
    }

    @Test("a request is signed for its URL and body, and has only the configured headers")
    func request() async throws {
        try await withRealm { provider, realm, client in
            provider.answer(["status": "challenge", "stateId": "s 1\u{1}", "challenge": ["text": "Who?"]])
            let first = try await client.ask(realm, .startAuthorization, headers: ["accept-language": "de"])
            guard case .challenge(let challenge) = first else { throw ProviderError(.denied, "\(first)") }
            let answer = RealmCall.handleChallengeAnswer(["a": [1, .null]], stateID: challenge.stateID)
            _ = try await client.ask(realm, answer, headers: [:])
            let asked = provider.asked
            let names = ["startAuthorization", "handleChallengeAnswer"]
            #expect(asked.map(\.path) == names.map { "/base/apps/guid/corp/\($0)" })
            #expect(try StrictJSON.parse(asked[0].body) == ["headers": ["accept-language": "de"]])
            #expect(
                try StrictJSON.parse(asked[1].body)
                    == ["headers": [:], "stateId": "s 1\u{1}", "challengeAnswer": ["a": [1, .null]]]
            )
            for request in asked {
                let address = realm.url + request.path.dropFirst("/base".count)
                #expect(request.headers[.authorization] == "Bearer proof of \(address) \(request.body.count)")
                #expect(request.headers[.contentType] == "application/json")
            }
            let open = CustomRealm(name: realm.name, url: realm.url, tenant: realm.tenant, proof: .none)
            _ = try await client.ask(open, .startAuthorization, headers: [:])
            #expect(provider.asked.last?.headers[.authorization] == nil)
        }
    }

    private static let mebibyte = [UInt8](repeating: 120, count: 1 << 20)
    private static let faults: [(answer: LocalRealm.Answer, code: ProviderError.Code)] = [
        (.init(status: .internalServerError, body: Array("{}".utf8)), .unavailable),
        (.init(status: .serviceUnavailable, body: []), .unavailable),
        (.init(status: .tooManyRequests, body: []), .unavailable),
        (.init(type: "text/html", body: Array("<html>planted</html>".utf8)), .protocolViolation),
        (.init(body: Array(#"{"status":"failure","x":""#.utf8) + mebibyte), .protocolViolation),
        (.init(status: .created, body: Array(#"{"status":"failure"}"#.utf8)), .protocolViolation),
        (.init(status: .found, body: Array(#"{"status":"failure"}"#.utf8)), .protocolViolation),
        (.init(status: .unauthorized, body: Array(#"{"status":"failure"}"#.utf8)), .protocolViolation),
        (.init(body: Array(#"{"status":"planted"}"#.utf8)), .protocolViolation),
        (.init(body: Array(#"{"status":"success","userIdentity":{}}"#.utf8)), .protocolViolation),
        (.init(body: Array(#"{"status":"failure","status":"success"}"#.utf8)), .protocolViolation),
        (.init(body: []), .protocolViolation),
    ]

    @Test(
        "a response outside the protocol identifies no user, and its texts are not repeated",
        arguments: faults.indices
    )
    func broken(_ row: Int) async throws {
        try await withRealm { provider, realm, client in
            provider.answer(Self.faults[row].answer)
            let error = await error(client, realm)
            #expect(error?.code == Self.faults[row].code, "\(row): \(error?.description ?? "answered")")
            #expect(error?.detail.contains("planted") == false)
            #expect(provider.asked.count == 1, "nothing is repeated, and no redirect followed")
        }
    }

    @Test("a provider that does not respond in time is unavailable") func slow() async throws {
        let deadlines = SleepClock()
        try await withRealm(deadlines: deadlines) { provider, realm, client in
            async let late = error(client, realm)
            try await waitUntil("the provider is called") { provider.asked.count == 1 }
            try await deadlines.advance(by: RealmClient.deadline)
            #expect(await late?.code == .unavailable)
            #expect(provider.asked.count == 1)
        }
        #expect(RealmClient.deadline == .seconds(10))
    }

    @Test(
        "a provider that accepts no connection within three seconds is unavailable, long before the deadline of the call"
    )
    func unreachable() async throws {
        let full = try FullListener()
        let calls = OutsideCalls(clock: time.clock, route: .direct, connect: .seconds(10))
        let client = RealmClient(calls, limit: .seconds(3600)) { _, _ in Secret("proof") }
        let error = await error(client, CustomRealm(name: "corp", url: "http://\(full.address)", tenant: "guid"))
        try await calls.shutdown()
        #expect(error?.code == .unavailable)
        #expect(error?.detail.contains("connectTimeout") == true, "\(error?.detail ?? "")")
        #expect(OutsideCalls.connect == .seconds(3))
        withExtendedLifetime(full) {}
    }

    @Test("a provider that fails five times in a row is paused and then called once, and others are called meanwhile")
    func circuit() async throws {
        try await withRealm { provider, realm, client in
            provider.answer(LocalRealm.Answer(status: .internalServerError, body: []))
            for _ in 0..<5 { #expect(await error(client, realm)?.code == .unavailable) }
            #expect(provider.asked.count == 5)
            #expect(await error(client, realm)?.code == .unavailable)
            #expect(provider.asked.count == 5, "it is not called")
            provider.answer(["status": "failure"])
            let other = CustomRealm(name: "other", url: realm.url, tenant: realm.tenant)
            #expect(await error(client, other) == nil)
            // The provider is paused only for the origin that encountered the failures.
            _ = try await client.ask(realm, .startAuthorization, headers: [:], from: "another place")
            time.advance(by: .seconds(16))
            #expect(await error(client, realm) == nil)
            #expect(await error(client, realm) == nil)
            #expect(provider.asked.count == 9)
        }
    }

    @Test("a forbidden address is not called") func address() async throws {
        try await withRealm { _, _, client in
            for url in ["http://idp.example", "https://169.254.169.254", "ftp://127.0.0.1"] {
                let realm = CustomRealm(name: "corp", url: url, tenant: "guid")
                #expect(await error(client, realm)?.code == .protocolViolation)
            }
        }
    }
}
