import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// The authority's keys at `tasksd`: nobody uses up the look-ups of others, and a revoked key is not believed for long.
@Suite(.timeLimit(.minutes(5)))
struct AuthorityKeysTests {
    private let machine: Machine
    private let broker: RunningProgram
    private let connection: Connection
    private let person = Person.random()

    init() throws {
        machine = try Machine()
        broker = try machine.startBroker()
        connection = try machine.connect()
        try person.signUp(connection, on: machine)
    }

    private func token(_ extra: JSONValue = [:]) throws -> String {
        try #require(try person.token(connection, extra)["accessToken"]?.string)
    }

    private func end(_ daemons: [RunningProgram]) {
        for daemon in daemons {
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0, "\(daemon.errors())")
        }
    }

    @Test("a flood of tokens with policies that nobody has locks no good new token out") func flooded() async throws {
        let api = try machine.startTasks()
        #expect(try await machine.answer(to: token()).status == 200)
        try await machine.flood(0..<300)
        #expect(try await machine.answer(to: token(["forceRefresh": true])).status == 200)
        end([api, broker])
    }

    @Test("a flood before the first good token does not keep it out: it is put off at most, never refused")
    func floodedFromTheStart()
        async throws
    {
        let api = try machine.startTasks()
        let good = try token()
        try await withThrowingTaskGroup(of: Void.self) { flooders in
            for flooder in 0..<4 {
                flooders.addTask { [machine] in
                    for number in 0..<1000 where !Task.isCancelled {
                        let name = flooder * 1000 + number
                        try await machine.flood(name..<name + 1)
                    }
                }
            }
            try await waitUntil("the good token is accepted") {
                let answer = try await machine.answer(to: good)
                guard answer.status != 200 else { return true }
                #expect(answer.status == 503 && answer.headers.first(name: "Retry-After") != nil, "\(answer.text)")
                return false
            }
            flooders.cancelAll()
        }
        end([api, broker])
    }

    @Test(
        "a revoked key is refused once the authority's answer is old, and the new key's first token is accepted",
        arguments: [false, true]
    )
    func revoked(newTokenFirst: Bool) async throws {
        let clock = try WallClock(file: machine.folder.path("clock"), movesBootClock: true)
        let api = try machine.startTasks(clock: clock)
        let old = try token()
        #expect(try await machine.answer(to: old).status == 200)
        let revoked = try machine.tokenbroker(["keys", "revoke", try keyID(of: old)])
        #expect(revoked.status == 0, "\(revoked.errors)")

        let new = try token()
        #expect(try keyID(of: new) != keyID(of: old))
        if newTokenFirst {
            // The keys were asked for a moment ago; over the socket they are asked for again at once.
            #expect(try await machine.answer(to: new).status == 200)
        }
        // Half a minute is what the authority gives over the Unix socket.
        try clock.set(by: 1)
        if newTokenFirst { #expect(try await machine.answer(to: new).status == 200) }
        #expect(try await machine.answer(to: old).status == 401)
        #expect(try await machine.answer(to: new).status == 200)
        end([api, broker])
    }

    /// The key that a token says it was signed with.
    private func keyID(of token: String) throws -> String {
        let header = try #require(token.split(separator: ".").first.flatMap { Base64URL.decode(String($0)) })
        return try #require(try StrictJSON.parse(Array(header))["kid"]?.string)
    }
}

extension Machine {
    /// The answer of the tasks API to a token.
    fileprivate func answer(to token: String) async throws -> WebAnswer {
        try await WebAnswer.to(.GET, "\(api)/tables/todoitem", token: token)
    }

    /// Sends tokens of so many policies that nobody has; each is refused, or put off.
    fileprivate func flood(_ numbers: Range<Int>) async throws {
        for number in numbers {
            let status = try await answer(to: junk(number)).status
            #expect(status == 401 || status == 503)
        }
    }

    /// A token that nobody signed, of a policy that nobody has.
    private func junk(_ number: Int) -> String {
        let header: JSONValue = ["alg": "ES256", "typ": "at+jwt", "kid": .string("k\(number)")]
        let claims: JSONValue = [
            "iss": .string("\(base)/local/b2c_1_junk_\(number)/v2.0"), "aud": "tasks", "sub": "x",
            "client_id": "tasks-cli", "jti": "x", "iat": 1, "exp": 9_000_000_000,
        ]
        let parts = [header.bytes, claims.bytes, [UInt8](repeating: 1, count: 64)]
        return parts.map { Base64URL.encode($0) }.joined(separator: ".")
    }
}
