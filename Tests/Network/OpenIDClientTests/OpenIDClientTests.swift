import FlowModel
import Foundation
import HTTPServer
import LocalIssuer
import Moments
import OAuth
import TestSupport
import Testing

@testable import OpenIDClient

@Suite(.timeLimit(.minutes(2)))
struct OpenIDClientTests {
    private let request = ProviderRequest.ofTests

    /// Returns the error of a sign-in, or `nil` if the sign-in succeeds.
    private func error(
        _ client: OpenIDClient,
        _ registration: ProviderRegistration,
        at provider: LocalProvider
    ) async throws -> ProviderError? {
        do {
            _ = try await signIn(client, registration, at: provider)
            return nil
        } catch let error as ProviderError {
            return error
        }
    }

    @Test("without ID tokens the userinfo endpoint identifies the user, until the tokens are revoked")
    func endpoints() async throws {
        try await withProvider { provider, _, client in
            let registration = ProviderRegistration(
                name: "partner",
                issuer: provider.issuer,
                place: .endpoints(
                    authorization: provider.issuer + "/authorize",
                    token: provider.issuer + "/token",
                    userinfo: provider.issuer + "/userinfo"
                ),
                clientID: provider.clientID,
                redirectURI: "http://localhost:8420/local/oauth2/authresp",
                secret: Secret(provider.secret)
            )
            let asked = OutsideDemand(scopes: ["repo", "read:user"], additionalScopes: ["gist"])
            provider.live(nil)
            provider.grant("repo,read:user,gist")
            let ageless = await #expect(throws: ProviderError.self) {
                try await client.address(at: registration, self.request, for: asked)
            }
            #expect(ageless?.code == .protocolViolation && ageless?.detail.contains("maximum age") == true)
            let request = ProviderRequest(state: request.state, nonce: request.nonce, verifier: request.verifier)
            let address = try await client.address(at: registration, request, for: asked)
            let sent = try Form(String(address.drop { $0 != "?" }.dropFirst()))
            #expect(sent["scope"] == "repo read:user gist" && sent["nonce"] == nil)
            let answer = try provider.answer(to: address)
            let tokens = try await client.tokens(
                at: registration,
                request,
                ProviderAnswer(code: answer["code"].map { Secret($0) }, issuer: answer["iss"], error: nil),
                for: asked
            )
            #expect(tokens.claims?["sub"] == "person-1" && tokens.idToken == nil && tokens.refreshToken == nil)
            #expect(tokens.scopes == ["gist", "read:user", "repo"])
            let left = tokens.expires.wall - MomentClock.system.now.wall
            #expect(left > 29 * 86_400_000 && left <= 30 * 86_400_000)
        }
    }

    @Test("the error for an issuer with a slash too many names the right issuer, and no other") func spelling()
        async throws
    {
        try await withProvider { provider, registration, client in
            let slash = ProviderRegistration(
                name: "partner",
                issuer: provider.issuer + "/",
                clientID: registration.clientID,
                redirectURI: registration.redirectURI
            )
            let error = await #expect(throws: ProviderError.self) { try await client.abilities(of: slash) }
            #expect(error?.code == .protocolViolation)
            #expect(error?.detail.hasSuffix("configure the issuer as \(provider.issuer)") == true)
            let right = provider.issuer
            let sentence = "The metadata at \(right)/ is for the issuer \(right). Configure \(right)."
            #expect(error?.said?.english == sentence)
            #expect(error?.said?.text.key == "failure.provider.misspeltIssuer")
            provider.tell(.metadataIssuer)
            let other = await #expect(throws: ProviderError.self) { try await client.abilities(of: slash) }
            #expect(other?.detail.contains("another issuer") == true && other?.detail.contains("other.") == false)
            let general = "Configure the issuer exactly as the provider documents it."
            #expect(other?.said?.english.hasSuffix(general) == true && other?.said?.english.contains("other.") == false)
        }
    }

    @Test("what one user's authority returns is neither trusted nor counted as a failure for others")
    func apart() async throws {
        try await withProvider { provider, registration, client in
            let theirs = ProviderRegistration(
                name: "theirs",
                issuer: registration.issuer,
                clientID: registration.clientID,
                redirectURI: registration.redirectURI,
                secret: registration.secret,
                uid: 1001
            )
            _ = try await signIn(client, theirs, at: provider)
            // The provider now has a key that is not cached for the other user's registration.
            try provider.rotate()
            #expect(try await error(client, registration, at: provider) == nil)
            provider.tell(.down)
            for _ in 0..<Circuit.mostFailures {
                let failed = await #expect(throws: ProviderError.self) {
                    try await client.identity(
                        at: theirs,
                        request,
                        ProviderAnswer(code: Secret("code"), issuer: theirs.issuer, error: nil)
                    )
                }
                #expect(failed?.code == .unavailable)
            }
            provider.tell(nil)
            #expect(try await error(client, theirs, at: provider)?.detail.contains("not called again") == true)
            #expect(try await error(client, registration, at: provider) == nil)
        }
    }

    @Test("the cache of providers is limited, and failing providers displace no others") func memory()
        async throws
    {
        try await withProvider(mostKept: 2) { provider, registration, client in
            for number in 0..<5 {
                let down = ProviderRegistration(
                    name: "down",
                    issuer: "http://127.0.0.1:1/\(number)",
                    clientID: "x",
                    redirectURI: registration.redirectURI
                )
                // This number of failures opens the circuit.
                for _ in 0..<Circuit.mostFailures {
                    let error = await #expect(throws: ProviderError.self) { try await client.abilities(of: down) }
                    #expect(error?.code == .unavailable)
                }
                #expect(await client.remembered <= 2)
            }
            _ = try await signIn(client, registration, at: provider)
            try await withProvider { second, its, _ in
                _ = try await signIn(client, its, at: second)
                try await withProvider { third, its, _ in
                    _ = try await signIn(client, its, at: third)
                    #expect(await client.remembered == 2)
                }
            }
            _ = try await signIn(client, registration, at: provider)
            #expect(await client.remembered == 2)
        }
    }

    @Test(
        "the provider identifies the user with every client authentication method",
        arguments: [nil] + ClientSecretMethod.allCases.filter { $0 != .none }
    )
    func identity(_ authentication: ClientSecretMethod?) async throws {
        try await withProvider(authentication: authentication) { provider, registration, client in
            provider.person("p-7", ["name": "Ada", "email": "ada@example.com", "email_verified": true])
            let person = try await signIn(client, registration, at: provider)
            #expect(person.issuer == provider.issuer && person.subject == "p-7" && person.provider == "partner")
            #expect(person.attributes == ["displayName": "Ada", "email": "ada@example.com"])
            provider.person("p-7", ["name": "A\u{202E}da\n", "email": "ada@example.com"])
            let again = try await signIn(client, registration, at: provider)
            #expect(again.attributes == ["displayName": "Ada"])
        }
    }

    private static let everyLie: [(LocalProvider.Lie, ProviderError.Code)] = LocalProvider.Lie.allCases.map { lie in
        switch lie {
        case .down, .hang, .fails: (lie, .unavailable)
        case .cancels: (lie, .denied)
        default: (lie, .protocolViolation)
        }
    }

    @Test(
        "a provider that lies, fails or rejects the user signs no user in, and its messages are not repeated",
        arguments: everyLie
    )
    func lies(_ lie: LocalProvider.Lie, _ code: ProviderError.Code) async throws {
        let deadlines = SleepClock()
        try await withProvider(deadlines: deadlines) { provider, registration, client in
            provider.tell(lie)
            async let given = error(client, registration, at: provider)
            if lie == .hang {
                try await waitUntil("the provider has the code") { provider.redemptions == 1 }
                try await deadlines.advance(by: OpenIDClient.deadline)
            }
            let error = try await given
            #expect(error?.code == code, "\(lie): \(error.map(String.init(describing:)) ?? "signed in")")
            #expect(error?.detail.contains("planted") == false && error?.detail.contains("hello") == false)
        }
    }

    @Test("a wrong secret is reported only by the error code of the specification") func wrongSecret() async throws {
        try await withProvider(secret: "wrong") { provider, registration, client in
            let error = try await error(client, registration, at: provider)
            #expect(error?.detail == "partner did not redeem the code: invalid_client")
        }
    }

    @Test(
        "changed keys of a provider are fetched again, at most every 5 s, and unpublished keys are rejected",
        arguments: [(true, LocalProvider.Lie.unknownKey), (false, .unnamedOfTwo)]
    )
    func keyChange(_ namesKey: Bool, _ lie: LocalProvider.Lie) async throws {
        let moment = TestClock(wall: MomentClock.system.now.wall)
        try await withProvider(clock: moment.clock) { provider, registration, client in
            if !namesKey { provider.nameNoKey() }
            #expect(try await error(client, registration, at: provider) == nil)
            try provider.rotate()
            #expect(try await error(client, registration, at: provider)?.code == .protocolViolation)
            moment.advance(by: ProviderDocuments.keysPause)
            #expect(try await error(client, registration, at: provider) == nil)
            moment.advance(by: ProviderDocuments.keysPause)
            provider.tell(lie)
            #expect(try await error(client, registration, at: provider)?.code == .protocolViolation)
        }
    }

    @Test("a code is valid once, for the request with its proof key") func proofKey() async throws {
        try await withProvider { provider, registration, client in
            let answer = try provider.answer(to: try await client.address(at: registration, request))
            let other = ProviderRequest(
                state: request.state,
                nonce: request.nonce,
                verifier: Secret(String(repeating: "w", count: 43))
            )
            let given = ProviderAnswer(code: answer["code"].map { Secret($0) }, issuer: nil, error: nil)
            let nameless = await #expect(throws: ProviderError.self) {
                try await client.identity(at: registration, other, given)
            }
            #expect(nameless?.code == .protocolViolation && nameless?.detail.contains("has no issuer") == true)
            let before = provider.redemptions
            let whole = ProviderAnswer(code: given.code, issuer: provider.issuer, error: nil)
            let unproved = await #expect(throws: ProviderError.self) {
                try await client.identity(at: registration, other, whole)
            }
            let spent = await #expect(throws: ProviderError.self) {
                try await client.identity(at: registration, request, whole)
            }
            #expect(provider.redemptions == before + 2)
            for error in [unproved, spent] {
                #expect(error?.detail.contains("invalid_grant") == true, "\(String(describing: error))")
            }
        }
    }

    @Test("a provider that fails repeatedly is not called for a while, and then by a single call") func circuit() throws
    {
        var circuit = Circuit()
        let now = Moment(wall: 1, boot: 1, bootID: "b")
        for _ in 0..<Circuit.mostFailures {
            try circuit.begin("p", at: now)
            circuit.end(isAvailable: false, at: now)
        }
        let open = #expect(throws: ProviderError.self) { try circuit.begin("p", at: now) }
        #expect(open?.code == .unavailable && open?.retryAfter == Circuit.pause)
        let later = now.advanced(by: Circuit.pause + .seconds(1))
        try circuit.begin("p", at: later)
        let second = #expect(throws: ProviderError.self) { try circuit.begin("p", at: later) }
        #expect(second?.code == .unavailable && second?.retryAfter == Circuit.pause)
        circuit.end(isAvailable: true, at: later)
        for _ in 0..<Circuit.mostCalls { try circuit.begin("p", at: later) }
        let full = #expect(throws: ProviderError.self) { try circuit.begin("p", at: later) }
        #expect(full?.code == .unavailable && full?.detail.contains("too many running calls") == true)
    }

    @Test("a call that exceeds the limit does not use up the trial call") func trial() throws {
        var circuit = Circuit()
        let now = Moment(wall: 1, boot: 1, bootID: "b")
        for _ in 0..<Circuit.mostCalls { try circuit.begin("p", at: now) }
        for _ in 0..<Circuit.mostFailures { circuit.end(isAvailable: false, at: now) }
        // These trial calls never end, so together with the running calls they reach the limit of running calls.
        var later = now
        for _ in 0..<Circuit.mostFailures {
            later = later.advanced(by: Circuit.pause + .seconds(1))
            try circuit.begin("p", at: later)
        }
        later = later.advanced(by: Circuit.pause + .seconds(1))
        for _ in 0..<2 {
            let full = #expect(throws: ProviderError.self) { try circuit.begin("p", at: later) }
            #expect(full?.detail.contains("too many running calls") == true, "\(full?.detail ?? "")")
        }
    }

    @Test("a local user has at most eight calls to a provider at a time, and can start another when one ends")
    func share() throws {
        var circuit = Circuit()
        let now = Moment(wall: 1, boot: 1, bootID: "b")
        for _ in 0..<8 { try circuit.begin("p", for: 7, at: now) }
        let ninth = #expect(throws: ProviderError.self) { try circuit.begin("p", for: 7, at: now) }
        #expect(ninth?.code == .unavailable && ninth?.detail.contains("for one user") == true)
        for _ in 0..<8 { try circuit.begin("p", for: 8, at: now) }
        for _ in 0..<16 { try circuit.begin("p", at: now) }
        circuit.end(isAvailable: true, for: 7, at: now)
        try circuit.begin("p", for: 7, at: now)
        let again = #expect(throws: ProviderError.self) { try circuit.begin("p", for: 7, at: now) }
        #expect(again == ninth)
    }

    @Test(
        "an address that is not https, or not the provider's, is not called",
        arguments: [
            "http://login.example", "https://user@login.example", "https://169.254.169.254/latest",
            "file:///etc/passwd",
            "https://[fe80::1]/", "https://login.example/#x", "login.example", "http://127.0.0.1.example",
        ]
    )
    func addresses(_ address: String) {
        #expect(OutsideURL.refusal(address) != nil)
    }

    @Test(
        "https addresses, also in private networks, and http addresses of this machine are called",
        arguments: [
            "https://login.example/x", "http://127.0.0.1:1/", "https://10.1.2.3/x", "https://172.16.0.1",
            "https://192.168.1.1:8443/x", "https://[fd00::1]/x", "https://login.corp",
        ]
    )
    func called(_ address: String) {
        #expect(OutsideURL.refusal(address) == nil)
    }
}
