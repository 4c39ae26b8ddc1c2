import Foundation
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// Tests that kill the daemon during renewals at an external authority that rotates refresh tokens and detects reuse.
///
/// If the environment variable `TOKENBROKER_EVERY_INSTANT` is `1`, the daemon is killed 200 times, otherwise 10 times.
@Suite(.timeLimit(.minutes(15)))
struct RotationKillTests {
    private static let rounds = ProcessInfo.processInfo.environment["TOKENBROKER_EVERY_INSTANT"] == "1" ? 200 : 10
    /// The latest moment of a kill, in microseconds after the start of the renewal.
    ///
    /// Most renewals end earlier.
    private static let latest = 60_000

    /// The number of rounds with each outcome.
    private struct Ledger {
        /// The number of kills before the authority rotated the refresh token.
        var before = 0
        /// The number of kills after the caller received the new token.
        var after = 0
        /// The number of kills after the rotation that lost the response to the caller, but not the new refresh token.
        var kept = 0
        /// The number of kills after which the user had to sign in again, because the authority's response never
        /// arrived.
        var unheard = 0
    }

    private static func asked(_ more: [String: JSONValue] = [:]) -> JSONValue {
        .object(["policy": "contoso", "scopes": ["files.read"]].merging(more) { $1 })
    }

    private func signIn(_ connection: Connection) async throws -> String {
        let started = try connection.call("token.acquire", Self.asked(["prompt": "login"]))
        let link = try #require(started["flow"]?["browser"]?["url"]?.string)
        let done = try await WebBrowser.thereAndBack(link)
        #expect(done.status == 200, "\(done.text)")
        let flow = try connection.call("flow.get", ["flow": started["flow"]?["id"] ?? .null])["flow"]
        return try #require(flow?["account"]?.string)
    }

    @Test("a kill at any moment of a rotation loses no account and no returned token")
    func killed() async throws {
        try await OutsideScene.serve(isDurable: true) { provider, machine in
            var daemon = try machine.startBroker()
            let account = try await signIn(try machine.connect())
            var ledger = Ledger()
            for round in 0..<Self.rounds {
                let rotations = provider.renewals
                let given = try renewUntilKilled(daemon, machine, after: round * Self.latest / Self.rounds)
                daemon = try machine.startBroker()
                let connection = try machine.connect()
                let accounts = try connection.call("account.list")["accounts"]?.array ?? []
                // The count is read only now, because the request may reach the authority after the kill.
                let hasRotated = provider.renewals > rotations
                #expect(accounts.map { $0["account"]?.string } == [account], "round \(round)")
                if let given {
                    ledger.after += 1
                    let kept = try connection.call("token.acquire", Self.asked(["prompt": "none"]))["token"]
                    #expect(
                        kept?["accessToken"]?.string == given,
                        "round \(round): a response arrived before it was durable"
                    )
                }
                let renewed = try? connection.call(
                    "token.acquire",
                    Self.asked(["prompt": "none", "forceRefresh": true])
                )["token"]
                switch (hasRotated, given != nil, renewed?["fromCache"]?.bool == false) {
                case (false, _, true): ledger.before += given == nil ? 1 : 0
                case (true, false, true): ledger.kept += 1
                case (true, true, true): break
                case (true, false, false):
                    // The authority's response with the new token was lost. The account remains, and the user signs in
                    // again.
                    ledger.unheard += 1
                    #expect(try await signIn(connection) == account)
                case (false, _, false), (true, true, false):
                    Issue.record("round \(round): an unused or stored refresh token is lost")
                    #expect(try await signIn(connection) == account)
                }
            }
            print("rotation kills: \(Self.rounds) rounds, \(ledger), accounts lost: 0")
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0, "\(daemon.errors())")
        }
    }

    /// Requests a renewal, and kills the daemon after `microseconds`.
    ///
    /// - Returns: The access token, or `nil` if no response arrived before the kill.
    private func renewUntilKilled(
        _ daemon: RunningProgram,
        _ machine: Machine,
        after microseconds: Int
    ) throws -> String? {
        let connection = try LineSocket(machine.socket)
        let params = Self.asked(["prompt": "none", "forceRefresh": true])
        let call: JSONValue = ["jsonrpc": "2.0", "id": 1, "method": "token.acquire", "params": params]
        try connection.send(call.text)
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .microseconds(microseconds))
        daemon.signal(SIGKILL)
        #expect(daemon.wait() == -SIGKILL)
        guard let line = try? connection.receive() else { return nil }
        return try StrictJSON.parse(Array(line.utf8))["result"]?["token"]?["accessToken"]?.string
    }
}
