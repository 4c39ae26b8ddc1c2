import Foundation
import HTTPServer
import LocalIssuer
import NIOHTTP1
import OAuth
import TestSupport
import Testing

/// A provider in this process, and a daemon that uses the provider as the external authority `contoso`.
struct OutsideScene {
    let provider: LocalProvider
    let machine: Machine
    let daemon: RunningProgram
    let connection: Connection
    /// The disk that contains the daemon's cache, or `nil` if the test cannot make the disk read-only.
    let disk: ReadOnlyDisk?

    /// Returns the parameters that request a token from the authority without a prompt.
    static func silent(_ more: [String: JSONValue] = [:]) -> JSONValue {
        let asked: [String: JSONValue] = ["policy": "contoso", "scopes": ["files.read"], "prompt": "none"]
        return .object(asked.merging(more) { $1 })
    }

    /// Runs `test` with the provider and a running daemon, and stops the daemon afterwards.
    ///
    /// - Parameters:
    ///   - more: Additional keys of the authority's entry in the configuration, each after a comma.
    ///   - lines: Additional configuration lines after the authority's entry.
    ///   - proof: The key of the authority's entry with which the client authenticates.
    ///   - files: The contents of additional private files next to the configuration, by name.
    ///   - isService: Whether the daemon serves every user.
    ///   - hasOwnClock: Whether the daemon's wall clock can be set.
    ///   - canBeReadOnly: Whether the cache's disk can be made read-only.
    ///   - test: The body of the test.
    /// - Throws: An error of the test, or an error if the daemon does not start.
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

    /// Runs `test` with the provider and the configured machine, without starting the daemon.
    ///
    /// See ``run`` for the parameters.
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

    /// Signs the user in at the authority.
    ///
    /// - Returns: The ended flow.
    @discardableResult
    func signIn(_ more: [String: JSONValue] = [:]) async throws -> JSONValue {
        let asked: [String: JSONValue] = ["policy": "contoso", "scopes": ["files.read"]]
        let started = try connection.call("token.acquire", .object(asked.merging(more) { $1 }))
        let flow = try #require(started["flow"], "\(started)")
        _ = try await WebBrowser.thereAndBack(try #require(flow["browser"]?["url"]?.string))
        return try #require(try connection.call("flow.get", ["flow": flow["id"] ?? .null])["flow"])
    }

    /// Acquires a token without a prompt.
    func token(_ more: [String: JSONValue] = [:]) throws -> JSONValue {
        let answer = try connection.call("token.acquire", Self.silent(more))
        return try #require(answer["token"], "\(answer)")
    }

    /// Opens connections, and sends the same token request without a prompt on each of them.
    func callers(_ count: Int, _ more: [String: JSONValue] = [:]) throws -> [LineSocket] {
        let call: JSONValue = [
            "jsonrpc": "2.0", "id": 1, "method": "token.acquire", "params": Self.silent(more),
        ]
        // All sockets connect before the first request is sent.
        let sockets = try (0..<count).map { _ in try LineSocket(machine.socket) }
        for socket in sockets { try socket.send(call.text) }
        return sockets
    }

    /// Returns the access token of each response, or the complete response if it contains no token.
    static func answers(of callers: [LineSocket]) throws -> [String] {
        try callers.map { socket in
            let reply = try StrictJSON.parse(Array(try socket.receive().utf8))
            return reply["result"]?["token"]?["accessToken"]?.string ?? reply.text
        }
    }
}
