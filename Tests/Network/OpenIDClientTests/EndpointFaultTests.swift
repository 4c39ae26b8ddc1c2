import LocalIssuer
import Moments
import OAuth
import Synchronization
import TestSupport
import Testing

@testable import OpenIDClient

/// Tests that a call ends in time and delays no other call if an endpoint hangs, is slow or sends too much.
@Suite(.timeLimit(.minutes(2)))
struct EndpointFaultTests {
    /// The endpoints of a provider, with their paths as raw values.
    enum Place: String, CaseIterable {
        case discovery = "/.well-known/openid-configuration"
        case keys = "/keys"
        case userinfo = "/userinfo"
        case introspect = "/introspect"
        case device = "/device"
        case token = "/token"
        case revoke = "/revoke"
        case logout = "/logout"
    }

    /// Makes the client send a request to the endpoint.
    private func call(
        _ place: Place,
        _ client: OpenIDClient,
        _ registration: ProviderRegistration,
        at provider: LocalProvider
    ) async throws {
        switch place {
        case .discovery: _ = try await client.abilities(of: registration)
        case .keys, .userinfo: try await signIn(client, registration, at: provider)
        case .introspect: _ = try await client.identity(at: registration, brought: .accessToken(Secret("access-1")))
        case .device: _ = try await client.deviceGrant(at: registration, for: OutsideDemand(scopes: []))
        case .token:
            let demand = OutsideDemand(scopes: [])
            _ = try await client.renewed(at: registration, Secret("refresh"), for: demand)
        case .revoke: _ = try await client.revoke(at: registration, Secret("refresh"))
        case .logout: try await client.endSession(at: registration, Secret("id-token"))
        }
    }

    /// Returns the error from a call to the endpoint, or `nil` if the call succeeds.
    private func error(
        _ place: Place,
        _ client: OpenIDClient,
        _ registration: ProviderRegistration,
        at provider: LocalProvider
    ) async throws -> ProviderError? {
        do {
            try await call(place, client, registration, at: provider)
            return nil
        } catch let error as ProviderError {
            return error
        }
    }

    @Test("a call ends within ten seconds, including all of its requests") func deadline() {
        #expect(OpenIDClient.deadline == .seconds(10))
    }

    @Test(
        "an endpoint that does not respond completely is an error at the deadline",
        arguments: Place.allCases,
        [.hang, .drip] as [LocalProvider.Fault]
    )
    func late(_ place: Place, _ fault: LocalProvider.Fault) async throws {
        let deadlines = SleepClock()
        try await withProvider(deadlines: deadlines) { provider, registration, client in
            provider.answerDevices([.pending])
            provider.fail(at: place.rawValue, by: fault)
            async let given = error(place, client, registration, at: provider)
            // The client does not read the body of a sign-out response, which is a page for browsers.
            let isRead = place != .logout || fault == .hang
            if isRead {
                try await waitUntil("the endpoint is called") { provider.faulted == 1 }
                try await deadlines.advance(by: OpenIDClient.deadline)
            }
            let error = try await given
            #expect(error?.code == (isRead ? .unavailable : nil), "\(error.map(String.init(describing:)) ?? "none")")
            #expect(!isRead || error?.detail.contains("took longer than") == true, "\(error?.detail ?? "")")
            #expect(provider.faulted == 1)
        }
    }

    @Test(
        "several slow endpoints end a call at its deadline, even if each one is in time",
        arguments: [[.discovery, .token], [.token, .keys], [.discovery, .token, .keys]] as [[Place]]
    )
    func lateTogether(_ places: [Place]) async throws {
        let lateness = OpenIDClient.deadline / places.count + .seconds(1)
        try await withProvider { provider, registration, before in
            let request = ProviderRequest.ofTests
            let answer = try provider.answer(to: try await before.address(at: registration, request))
            let given = ProviderAnswer(code: answer["code"].map { Secret($0) }, issuer: answer["iss"], error: nil)
            for place in places { provider.fail(at: place.rawValue, by: .late) }
            // The new client has cached nothing, so a single call sends requests to all endpoints.
            let deadlines = SleepClock()
            let client = OpenIDClient(clock: .system, deadlines: deadlines)
            let call = Task { try await client.identity(at: registration, request, given) }
            for (number, place) in places.enumerated() {
                try await waitUntil("\(place) is called") { provider.faulted == number + 1 }
                try await deadlines.advance(by: lateness)
                provider.fail(at: place.rawValue, by: nil)
            }
            let error = await #expect(throws: ProviderError.self) { try await call.value }
            #expect(error?.code == .unavailable, "\(String(describing: error))")
            #expect(error?.detail.contains("took longer than") == true, "\(String(describing: error))")
            try await client.shutdown()
        }
    }

    @Test(
        "an endpoint that sends 1 MiB is an error",
        arguments: Place.allCases.filter { $0 != .logout }
    )
    func long(_ place: Place) async throws {
        try await withProvider { provider, registration, client in
            provider.answerDevices([.pending])
            provider.fail(at: place.rawValue, by: .long)
            let error = try await error(place, client, registration, at: provider)
            #expect(error?.code == .protocolViolation, "\(error.map(String.init(describing:)) ?? "none")")
            #expect(error?.detail.contains("sent more than") == true, "\(error?.detail ?? "")")
        }
    }

    @Test("an HTML page is not a valid response of any endpoint except a sign-out", arguments: Place.allCases)
    func page(_ place: Place) async throws {
        try await withProvider { provider, registration, client in
            provider.answerDevices([.pending])
            provider.fail(at: place.rawValue, by: .page)
            let error = try await error(place, client, registration, at: provider)
            // Browsers also use the sign-out endpoint, so its response may be a page.
            #expect(error?.code == (place == .logout ? nil : .protocolViolation), "\(String(describing: error))")
            #expect(provider.faulted == 1)
        }
    }

    @Test("while an endpoint hangs, users can sign in at another provider", arguments: Place.allCases)
    func others(_ place: Place) async throws {
        try await withProvider { hanging, its, client in
            hanging.answerDevices([.pending])
            try await withProvider { other, theirs, _ in
                hanging.fail(at: place.rawValue, by: .hang)
                let hasEnded = Mutex(false)
                async let outcome = {
                    let error = try await error(place, client, its, at: hanging)
                    hasEnded.withLock { $0 = true }
                    return error
                }()
                try await waitUntil("it was called") { hanging.faulted == 1 }
                try await signIn(client, theirs, at: other)
                #expect(!hasEnded.withLock { $0 })
                // Without the fault, the hanging endpoint responds with 503.
                hanging.fail(at: place.rawValue, by: nil)
                #expect(try await outcome?.code == .unavailable)
            }
        }
    }
}
