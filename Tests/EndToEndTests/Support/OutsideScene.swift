import Foundation
import HTTPServer
import LocalIssuer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// A provider of this process, and a daemon whose operator has configured it as the authority `contoso`.
struct OutsideScene {
    let provider: LocalProvider
    let machine: Machine
    let daemon: RunningProgram
    let connection: Connection
    /// The disk of the daemon's cache, if it can be made read only.
    let disk: ReadOnlyDisk?

    /// A request for a token of it, which asks nobody.
    static func silent(_ more: [String: JSONValue] = [:]) -> JSONValue {
        let asked: [String: JSONValue] = ["policy": "contoso", "scopes": ["files.read"], "prompt": "none"]
        return .object(asked.merging(more) { $1 })
    }

    /// Runs `test` with both; the daemon ends by itself afterwards.
    ///
    /// - Parameters:
    ///   - more: More members of the authority's entry, each with a comma before it.
    ///   - lines: More lines of `authorities:`.
    ///   - proof: The authority's member by which our client proves itself.
    ///   - files: More private files beside the configuration, by name.
    ///   - isService: True for a daemon that serves every user.
    ///   - hasOwnClock: True for a daemon whose wall clock can be set.
    ///   - canBeReadOnly: True for a daemon whose cache is on a disk that can be made read only.
    ///   - test: The test.
    /// - Throws: The error of the test, or of a daemon that does not start.
    static func run(
        _ more: String = "",
        beside lines: [String] = [],
        proof: String = "clientSecretFile: contoso.secret",
        files: [String: String] = [:],
        isService: Bool = false,
        hasOwnClock: Bool = false,
        canBeReadOnly: Bool = false,
        _ test: (OutsideScene) async throws -> Void
    ) async throws {
        try await serve(
            more,
            beside: lines,
            proof: proof,
            files: files,
            isService: isService,
            hasOwnClock: hasOwnClock
        ) { provider, machine in
            let disk = canBeReadOnly ? try ReadOnlyDisk.ofCache(machine) : nil
            let daemon = try machine.startBroker(disk: disk)
            let connection = try machine.connect()
            let scene = OutsideScene(
                provider: provider,
                machine: machine,
                daemon: daemon,
                connection: connection,
                disk: disk
            )
            try await test(scene)
            daemon.signal(SIGTERM)
            #expect(daemon.wait() == 0, "\(daemon.errors())")
            #expect(try !daemon.log().contains("refresh-") && !daemon.log().contains(provider.secret))
        }
    }

    /// Runs `test` with the provider and the configured machine, whose daemon the test starts; see ``run`` for the parameters.
    static func serve(
        _ more: String = "",
        beside lines: [String] = [],
        proof: String = "clientSecretFile: contoso.secret",
        files: [String: String] = [:],
        isService: Bool = false,
        hasOwnClock: Bool = false,
        isDurable: Bool = false,
        _ test: (LocalProvider, Machine) async throws -> Void
    ) async throws {
        let socket = try ListeningSocket(.tcp(host: "127.0.0.1", port: 0))
        let provider = try LocalProvider(issuer: "http://\(socket.address)")
        let entry = "url: \"\(provider.issuer)\", clientId: \(provider.clientID), \(proof)"
        let machine = try Machine(
            configuration: ["authorities:", "  contoso: {\(entry)\(more)}"] + lines,
            isService: isService,
            hasOwnClock: hasOwnClock,
            isDurable: isDurable
        )
        try machine.writeSecret(provider.secret, to: "etc/contoso.secret")
        for (name, text) in files { try machine.writeSecret(text, to: "etc/\(name)") }
        try await provider.serve(socket) { try await test(provider, machine) }
    }

    /// Signs the person in there.
    ///
    /// - Returns: The flow as it ended.
    @discardableResult
    func signIn(_ more: [String: JSONValue] = [:]) async throws -> JSONValue {
        let asked: [String: JSONValue] = ["policy": "contoso", "scopes": ["files.read"]]
        let started = try connection.call("token.acquire", .object(asked.merging(more) { $1 }))
        let flow = try #require(started["flow"], "\(started)")
        _ = try await WebBrowser.thereAndBack(try #require(flow["browser"]?["url"]?.string))
        return try #require(try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"])
    }

    /// The token of a request that asks nobody.
    func token(_ more: [String: JSONValue] = [:]) throws -> JSONValue {
        let answer = try connection.call("token.acquire", Self.silent(more))
        return try #require(answer["token"], "\(answer)")
    }

    /// Connections that each have sent the same request, which asks nobody.
    func callers(_ count: Int, _ more: [String: JSONValue] = [:]) throws -> [LineSocket] {
        let call: JSONValue = [
            "jsonrpc": "2.0", "id": 1, "method": "token.acquire", "params": Self.silent(more),
        ]
        // All are connected before the first one asks.
        let sockets = try (0..<count).map { _ in try LineSocket(machine.socket) }
        for socket in sockets { try socket.send(call.text) }
        return sockets
    }

    /// The access tokens that callers are answered with; an answer without one stands as a whole.
    static func answers(of callers: [LineSocket]) throws -> [String] {
        try callers.map { socket in
            let reply = try StrictJSON.parse(Array(try socket.receive().utf8))
            return reply["result"]?["token"]?["accessToken"]?.string ?? reply.text
        }
    }
}
