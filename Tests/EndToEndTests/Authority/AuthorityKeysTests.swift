import Foundation
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// Tests of how `tasksd` requests the authority's keys.
///
/// Invalid tokens must not prevent `tasksd` from requesting the key of a valid token. A token signed with a revoked key
/// must soon be refused.
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

    @Test("a flood of tokens with unknown policies does not block a valid new token") func flooded() async throws {
        let api = try machine.startTasks()
        #expect(try await machine.answer(to: token()).status == 200)
        try await machine.flood(0..<300)
        #expect(try await machine.answer(to: token(["forceRefresh": true])).status == 200)
        end([api, broker])
    }

    @Test("a flood before the first valid token may delay it, and does not cause a refusal")
    func floodedFromTheStart() async throws {
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
            try await waitUntil("the valid token is accepted") {
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
        "a revoked key is refused once the cached key set is stale, and the new key's first token is accepted",
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
            // `tasksd` fetched the keys a moment ago. For an unknown key, it fetches them again at once.
            #expect(try await machine.answer(to: new).status == 200)
        }
        // Over the Unix socket, `tasksd` caches the authority's keys for half a minute.
        try clock.set(by: 1)
        if newTokenFirst { #expect(try await machine.answer(to: new).status == 200) }
        #expect(try await machine.answer(to: old).status == 401)
        #expect(try await machine.answer(to: new).status == 200)
        end([api, broker])
    }

    /// Returns the `kid` in a token's header.
    private func keyID(of token: String) throws -> String {
        let header = try #require(token.split(separator: ".").first.flatMap { Base64URL.decode(String($0)) })
        return try #require(try StrictJSON.parse(Array(header))["kid"]?.string)
    }
}

extension Machine {
    /// Sends a token to the tasks API, and returns the response.
    fileprivate func answer(to token: String) async throws -> WebAnswer {
        try await WebAnswer.to(.GET, "\(api)/tables/todoitem", token: token)
    }

    /// Sends one token for each number, and expects each token to be refused or delayed.
    ///
    /// Each token names a different unknown policy.
    fileprivate func flood(_ numbers: Range<Int>) async throws {
        for number in numbers {
            let status = try await answer(to: junk(number)).status
            #expect(status == 401 || status == 503)
        }
    }

    /// Returns a token of an unknown policy, without a valid signature.
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
