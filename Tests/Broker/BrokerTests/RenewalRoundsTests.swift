import FlowModel
import HTTPServer
import LocalIssuer
import OAuth
import OpenIDClient
import TestSupport
import Testing

@testable import Broker

/// Tests of the rounds in which tokens are renewed in the background.
///
/// Each authority has its own rounds.
@Suite(.timeLimit(.minutes(2)), .indexedStatements) struct RenewalRoundsTests {
    /// Creates a provider, and the socket on which this process serves it.
    private static func provider() throws -> (ListeningSocket, LocalProvider) {
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let provider = try LocalProvider(issuer: "http://\(socket.address)")
        provider.live(3_600)
        return (socket, provider)
    }

    private static func authority(_ provider: LocalProvider, _ name: String) -> OutsideAuthority {
        OutsideAuthority(
            registration: ProviderRegistration(
                name: name,
                issuer: provider.issuer,
                clientID: provider.clientID,
                redirectURI: "http://localhost:8420/local/oauth2/authresp",
                secret: Secret(provider.secret)
            )
        )
    }

    @Test("an authority that does not respond for many users delays no renewal at another, in this round or later")
    func silent() async throws {
        let ((firstSocket, silent), (secondSocket, other)) = (try Self.provider(), try Self.provider())
        try await silent.serve(firstSocket) {
            try await other.serve(secondSocket) {
                let daemon = try await Daemon(
                    authorities: [
                        "contoso": Self.authority(silent, "contoso"), "fabrikam": Self.authority(other, "fabrikam"),
                    ]
                )
                do { try await rounds(daemon, silent, other) } catch {
                    silent.hold(false)
                    try await daemon.broker.external.openID.shutdown()
                    throw error
                }
                try await daemon.broker.external.openID.shutdown()
            }
        }
    }

    private func rounds(_ daemon: Daemon, _ silent: LocalProvider, _ other: LocalProvider) async throws {
        let token = other.giveRefreshToken()
        try await RenewalAheadTests.keep(["files.read"], "person-1", daemon, token, at: "fabrikam")
        _ = try await daemon.token(RenewalAheadTests.asked("files.read", at: "fabrikam"))
        for uid in UInt32(2_001)..<2_013 {
            try await RenewalAheadTests.keep(["files.read"], "person-\(uid)", daemon, uid: uid)
            _ = try await daemon.token(RenewalAheadTests.asked("files.read"), uid: uid)
        }
        daemon.time.advance(by: RenewalAheadTests.secondHalf)
        silent.hold(true)
        async let round: Void = daemon.broker.tokens.renewUsed()
        try await waitUntil("the silent authority has its maximum of calls, and the other one has responded") {
            silent.waitingRenewals == TokenDesk.renewalsAtOnce && other.renewals == 1
        }
        // The next round does not wait for the silent authority's round, and renews the other authority's token.
        try await waitUntil("the other authority's response is in the cache") {
            let token = try await daemon.token(RenewalAheadTests.asked("files.read", at: "fabrikam"))
            return token.accessToken.reveal() == "access-renewed-1"
        }
        daemon.time.advance(by: RenewalAheadTests.secondHalf)
        // The other authority's first round may end a moment after its response arrived.
        try await waitUntil("the other authority's round is separate") {
            await daemon.broker.tokens.renewUsed()
            return other.renewals == 2
        }
        #expect(silent.waitingRenewals == TokenDesk.renewalsAtOnce && silent.renewals == TokenDesk.renewalsAtOnce)
        silent.hold(false)
        await round
    }

    @Test("one uid's own authorities have few concurrent rounds, and those of other uids begin meanwhile") func own() {
        let rounds = RenewalRounds()
        func place(_ number: Int, _ uid: UInt32?) -> RenewalRounds.Place {
            .init(issuer: "https://\(number).example", uid: uid)
        }
        for number in 0..<RenewalRounds.mostOfOwn { #expect(rounds.begin(place(number, 1000))) }
        #expect(!rounds.begin(place(90, 1000)) && !rounds.begin(place(0, 1000)))
        for number in RenewalRounds.mostOfOwn..<RenewalRounds.most { #expect(rounds.begin(place(number, nil))) }
        #expect(!rounds.begin(place(91, nil)))
        rounds.end(place(0, 1000))
        #expect(rounds.begin(place(91, nil)))
    }
}
