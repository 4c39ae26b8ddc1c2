import Foundation
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// Tests that change the wall clock while the daemon runs.
///
/// Setting the clock forward expires tokens and steps but does not end a block. Setting the clock back does not prolong
/// any of them.
@Suite(.timeLimit(.minutes(5)))
struct ClockTests {
    private static let hour: Int64 = 3_600_000

    private func stop(_ daemon: RunningProgram) {
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0, "\(daemon.errors())")
    }

    /// Sets the number of seconds for which three wrong passwords block a user name.
    private func setBlock(of machine: Machine, to seconds: Int) throws {
        let path = machine.policies + "/checks.yaml"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let other = text.replacing("blockedStateExpirationSec: 10", with: "blockedStateExpirationSec: \(seconds)")
        try #require(other != text)
        try other.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private func startSignIn(_ connection: Connection) throws -> JSONValue {
        let started = try connection.call(
            "flow.start",
            ["policy": "b2c_1_sign_in", "requestId": .string("in-\(UInt64.random(in: 0 ... .max))")]
        )
        return try #require(started["flow"])
    }

    private func answers(_ person: Person, _ password: String? = nil) -> JSONValue {
        ["username": .string(person.email), "password": .string(password ?? person.password)]
    }

    /// Sends wrong passwords until the user is blocked.
    private func block(_ person: Person, _ connection: Connection) throws {
        var flow = try startSignIn(connection)
        for guess in 0..<10 where flow["state"]?.string == "challenge" {
            let answer = try connection.submit(flow, answers(person, "Wrong-horse-\(guess)"))
            flow = try #require(answer["flow"])
        }
        #expect(flow["reason"]?.string == "blocked")
    }

    /// Returns the number of milliseconds for which the right password is still refused.
    private func blockedFor(_ person: Person, _ connection: Connection) throws -> Int64 {
        let flow = try startSignIn(connection)
        let refused = try connection.refusal("flow.submit", Connection.submission(flow, answers(person)))
        #expect(refused.code == 1007)
        _ = try connection.call("flow.cancel", ["flow": flow["id"] ?? .null])
        return try #require(refused.retryAfterMs)
    }

    @Test("a wall clock set an hour forward expires tokens, steps and flows, and unblocks no user")
    func forward() throws {
        let machine = try Machine(hasOwnClock: true)
        // The block lasts half an hour, and the test sets the clock forward by more than an hour.
        try setBlock(of: machine, to: 1800)
        var daemon = try machine.startBroker()
        var connection = try machine.connect()
        let (person, victim) = (Person.random(), Person.random())
        for somebody in [person, victim] { try somebody.signUp(connection, on: machine) }
        let account = try #require(
            try connection.call("account.list")["accounts"]?.array?.first { $0["username"]?.string == person.email }
        )["account"]
        func token() throws -> JSONValue {
            try person.token(connection, ["account": account ?? .null, "policy": "b2c_1_sign_up_or_in"])
        }
        let first = try token()
        let again = try token()
        #expect(again["fromCache"]?.bool == true && again["accessToken"] == first["accessToken"])
        try block(victim, connection)
        let blocked = try blockedFor(victim, connection)

        let flow = try startSignIn(connection)
        // Ten minutes are longer than the lifetime of a step and shorter than the lifetime of a flow.
        try machine.wallClock?.set(by: 10)
        let stale = try connection.refusal("flow.submit", Connection.submission(flow, answers(person)))
        #expect(stale.code == 1016)
        #expect(stale.reason == "expired_step")
        let fresh = try #require(try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"])
        #expect(fresh["state"]?.string == "challenge")
        #expect(fresh["step"]?["id"] != flow["step"]?["id"])
        #expect(try connection.submit(fresh, answers(person))["verdict"]?.string == "accepted")
        #expect(try token()["accessToken"] == first["accessToken"])

        let open = try startSignIn(connection)
        try machine.wallClock?.set(by: 70)
        #expect(try connection.refusal("flow.get", ["flow": open["id"] ?? .null]).code == 1002)
        let listed = try connection.call("token.list")["tokens"]?.array
        #expect(listed?.isEmpty == true)
        let next = try token()
        #expect(next["fromCache"]?.bool == false)
        #expect(next["accessToken"] != first["accessToken"])
        let ends = try (#require(first["expiresAt"]?.int), #require(next["expiresAt"]?.int))
        #expect(ends.1 >= ends.0 + Self.hour)
        #expect(try token()["fromCache"]?.bool == true)

        // Blocks are measured by the time since boot, which has hardly changed. The block therefore remains, even after
        // a restart.
        for isRestarted in [false, true] {
            if isRestarted {
                stop(daemon)
                daemon = try machine.startBroker()
                connection = try machine.connect()
            }
            let left = try blockedFor(victim, connection)
            #expect(left <= blocked && left > blocked - 300_000, "\(left) of \(blocked)")
            #expect(try person.signIn(connection) == "accepted", "no other user is blocked")
        }
        stop(daemon)
    }

    @Test("a clock set forward expires external tokens and codes, and not a pause that an authority requested")
    func outside() async throws {
        try await OutsideScene.run(hasOwnClock: true) { scene in
            scene.provider.answerDevices([.pending])
            try await scene.signIn()
            let device: JSONValue = ["policy": "contoso", "scopes": [], "mode": "device", "prompt": "login"]
            let open = try #require(try scene.connection.call("token.acquire", device)["flow"])
            let first = try scene.token()
            #expect(first["fromCache"]?.bool == true)
            // Twelve minutes are longer than the lifetimes of the token and the device code.
            try scene.machine.wallClock?.set(by: 12)
            #expect(scene.provider.renewals == 0)
            let next = try scene.token()
            #expect(next["fromCache"]?.bool == false && scene.provider.renewals == 1, "\(next)")
            let ended = try scene.connection.call("flow.get", ["flow": open["id"] ?? .null])["flow"]
            #expect(ended?["state"]?.string == "expired", "\(ended ?? .null)")

            scene.provider.pause(120)
            let served = try scene.token(["forceRefresh": true])
            #expect(served["accessToken"] == next["accessToken"] && scene.provider.renewals == 2)
            try scene.machine.wallClock?.set(by: 24)
            for _ in 0..<3 {
                let refused = try scene.connection.refusal("token.acquire", OutsideScene.silent())
                #expect(refused.code == 1014 && (1...120_000).contains(refused.retryAfterMs ?? 0), "\(refused)")
            }
            #expect(scene.provider.renewals == 2)
        }
    }

    @Test("a wall clock set back prolongs no external token") func outsideBack() async throws {
        try await OutsideScene.run(hasOwnClock: true) { scene in
            try await scene.signIn()
            scene.provider.live(4)
            let short = try scene.token(["forceRefresh": true])
            try scene.machine.wallClock?.set(by: -5)
            #expect(try scene.token(["minValidityMs": 0])["accessToken"] == short["accessToken"])
            try await waitUntil("the token has expired") {
                try scene.token(["minValidityMs": 0])["accessToken"] != short["accessToken"]
            }
            #expect(scene.provider.renewals >= 2)
        }
    }

    @Test("a wall clock set an hour back prolongs no token, step or block") func back() throws {
        let machine = try Machine(hasOwnClock: true)
        try setBlock(of: machine, to: 2)
        let daemon = try machine.startBroker()
        let connection = try machine.connect()
        let (person, victim) = (Person.random(), Person.random())
        for somebody in [person, victim] { try somebody.signUp(connection, on: machine) }
        let account = try #require(
            try connection.call("account.list")["accounts"]?.array?.first { $0["username"]?.string == person.email }
        )["account"]
        let first = try person.token(connection, ["account": account ?? .null])
        let ends = try #require(first["expiresAt"]?.int)
        let flow = try startSignIn(connection)
        try block(victim, connection)

        try machine.wallClock?.set(by: -60)
        let cached = try person.token(connection, ["account": account ?? .null])
        #expect(cached["accessToken"] == first["accessToken"])
        #expect(cached["expiresAt"]?.int == ends)
        // The wall clock now suggests that the token is valid for two hours, but the daemon still counts one hour. A
        // request for a validity of more than one hour therefore gets a new token.
        let asked: JSONValue = ["account": account ?? .null, "minValidityMs": .int(Self.hour + 60_000)]
        let next = try person.token(connection, asked)
        #expect(next["fromCache"]?.bool == false)
        #expect(try #require(next["expiresAt"]?.int) <= ends)
        let seen = try #require(try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"])
        #expect(seen["expiresAt"] == flow["expiresAt"])
        #expect(seen["step"]?["expiresAt"] == flow["step"]?["expiresAt"])

        // The change of the clock does not delay the end of the block.
        var verdict: String?
        try blockUntil("the block ends") {
            do {
                verdict = try victim.signIn(connection)
            } catch let refused as Connection.Refused where refused.reason == "blocked" {
                let left = try #require(refused.retryAfterMs)
                try #require(left <= 2_000)
                _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(Int(left)))
            }
            return verdict != nil
        }
        #expect(verdict == "accepted")
        stop(daemon)
    }
}
