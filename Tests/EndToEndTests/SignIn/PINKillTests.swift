import Foundation
import OAuth
import TestSupport
import Testing

/// Tests that kill the daemon while PINs are guessed.
///
/// The daemon counts an attempt before it compares the PIN, and the attempt must stay counted after the kill.
///
/// If the environment variable `TOKENBROKER_EVERY_INSTANT` is `1`, the daemon is killed 200 times, otherwise 60 times.
/// After a few kills a user's three guesses are used up, and from then on the right PIN must be refused.
@Suite(.timeLimit(.minutes(10)))
struct PINKillTests {
    private static let kills = ProcessInfo.processInfo.environment["TOKENBROKER_EVERY_INSTANT"] == "1" ? 200 : 60
    /// The number of users whose PINs are guessed.
    ///
    /// The guesses for all users stay below the limits of one uid, which are 60 evaluations in a minute and 30 wrong
    /// answers in ten minutes.
    private static let people = 6

    @Test("kills restore no PIN attempt: after three guesses the right PIN is refused, too, however often")
    func killed() throws {
        let machine = try Machine(isDurable: true)
        try machine.lengthenBlocks()
        var daemon = try machine.startBroker()
        let accounts = try (0..<Self.people).map { _ in try enrolledPIN(.random(), machine) }
        var left = accounts.map { _ in Int64(3) }
        for round in 0..<Self.kills {
            let index = round % accounts.count
            let (guesser, watcher) = (try machine.connect(), try machine.connect())
            var login: [String: JSONValue] = ["check": "PinCodeAttempts", "account": accounts[index]]
            var flow: JSONValue?
            if left[index] > 0 {
                let begun = try #require(try guesser.call("check.login", .object(login))["flow"])
                let params = Connection.submission(begun, ["pin": "1111"])
                let request: JSONValue = ["jsonrpc": "2.0", "id": 99, "method": "flow.submit", "params": params]
                try guesser.socket.send(request.text)
                try blockUntil("guess \(round) is being verified") {
                    let now = try watcher.call("flow.get", ["flow": begun["id"] ?? .null])["flow"]
                    return now?["state"]?.string != "challenge" || now?["rev"] != begun["rev"]
                }
                flow = begun
            } else {
                login["credentials"] = ["pin": "2468"]
                #expect(try guesser.refusal("check.login", .object(login)).reason == "blocked")
            }
            for _ in 0..<(round % 3) { _ = try watcher.call("broker.status") }
            daemon.signal(SIGKILL)
            #expect(daemon.wait() == -SIGKILL)
            daemon = try machine.startBroker()
            guard let flow else { continue }
            let cut = try machine.connect().call("flow.get", ["flow": flow["id"] ?? .null])["flow"]
            let now = cut?["step"]?["attempts"]?["remaining"]?.int ?? 0
            #expect(now == left[index] - 1, "guess \(round): \(now) of \(left[index]) are left")
            left[index] = now
            try machine.closeFlows()
        }
        #expect(left.allSatisfy { $0 == 0 }, "three guesses of each user were counted: \(left)")
        let connection = try machine.connect()
        for account in accounts {
            let listed = try connection.call("credential.list", ["account": account])["credentials"]?.array ?? []
            #expect(!listed.contains { $0["type"]?.string == "pin" }, "a PIN outlived its block: \(listed)")
        }
        daemon.signal(SIGTERM)
        #expect(daemon.wait() == 0)
    }

    /// Signs a user up and sets a PIN.
    ///
    /// - Returns: The user's account.
    private func enrolledPIN(_ person: Person, _ machine: Machine) throws -> JSONValue {
        let connection = try machine.connect()
        try person.signUp(connection, on: machine)
        let accounts = try connection.call("account.list")["accounts"]?.array ?? []
        let own = try #require(accounts.first { $0["username"]?.string == person.email })
        let account = try #require(own["account"])
        let asked = try #require(
            try connection.call("credential.enrol", ["type": "pin", "account": account])["flow"]
        )
        let setup = try #require(try connection.submit(asked, ["password": .string(person.password)])["flow"])
        #expect(try connection.submit(setup, ["pin": "2468"])["verdict"]?.string == "accepted")
        return account
    }
}

extension Machine {
    /// Sets the duration of blocks to an hour, so that no block expires during the test.
    func lengthenBlocks() throws {
        try replace("blockedStateExpirationSec: 10,", with: "blockedStateExpirationSec: 3600,", in: "checks.yaml")
        try replace(
            "blockedStateExpirationSec: 60, minLength",
            with: "blockedStateExpirationSec: 3600, minLength",
            in: "checks.yaml"
        )
    }

    /// Cancels all open flows.
    func closeFlows() throws {
        let connection = try connect()
        for flow in try connection.call("flow.list")["flows"]?.array ?? [] {
            _ = try connection.call("flow.cancel", ["flow": flow["id"] ?? .null])
        }
    }
}
