import Foundation
import OAuth
import TestSupport

/// A running API connector from `Examples/` that listens on a free port.
struct APIConnector {
    let port = freePort()
    let program: RunningProgram
    private let scheme: String

    /// Starts the connector with these flags, and waits until it listens.
    init(_ flags: [String] = [], scheme: String = "http") throws {
        self.scheme = scheme
        program = try BuiltProgram(path: "/usr/bin/python3").start(
            [ProjectFolder.path + "/Examples/api_connector.py", "--port", "\(port)"] + flags
        )
        try blockUntil("the connector listens") { [program] in program.output().contains("listening") }
    }

    /// Returns the YAML value with which a policy calls this connector.
    func keys(_ more: String = "", host: String = "localhost") -> String {
        "{url: \"\(scheme)://\(host):\(port)/ask\"\(more)}"
    }

    /// Returns the requests that the connector has received for this step, in order.
    func told(_ step: String) throws -> [JSONValue] {
        try program.output().split(separator: "\n")
            .compactMap { line in line.firstIndex(of: "{").map { Array(line[$0...].utf8) } }
            .map { try StrictJSON.parse($0) }
            .filter { $0["step"]?.string == step }
    }

    /// The number of requests that the connector has received, whether or not it has responded.
    var asked: Int { program.output().split(separator: "\n").count { $0.hasPrefix("received ") } }

    func end() {
        program.signal(SIGKILL)
        program.wait()
    }
}

extension Machine {
    /// The name of the policy that calls connectors.
    static let connected = "b2c_1_connected"

    /// Returns a machine with a policy that has these `connectors:` and optionally uses a custom identity provider.
    static func connected(
        _ connectors: String,
        provider: CustomProvider? = nil,
        configuration: [String] = [],
        environment: [String: String] = [:]
    ) throws -> Machine {
        let machine =
            try provider.map { try Machine.of([$0]) }
            ?? Machine(configuration: configuration, environment: environment)
        try machine.write(
            [
                "kind: sign-up-or-sign-in", "displayName: Connected",
                "signInChecks: [\(provider?.check ?? "UserLogin")]",
                "attributes: [{name: displayName, required: true}, {name: city}]",
                "claims: [oid, displayName, city, email, {name: extension_level, as: level}]",
                "scopes: {tasks.read: []}", "connectors: {\(connectors)}",
            ],
            to: "etc/policies/\(connected).yaml"
        )
        return machine
    }
}

extension Person {
    /// Starts a sign-up with the policy that calls connectors, and verifies the e-mail address.
    ///
    /// - Returns: The response to the mailed code.
    func signUpConnected(_ connection: Connection, on machine: Machine, name: String) throws -> JSONValue {
        let next = try beginConnected(connection, name: name)
        return try connection.submit(next, ["code": .string(try machine.code(for: email))])
    }

    /// Starts a sign-up with the policy that calls connectors, and returns the flow, which waits for the mailed code.
    func beginConnected(_ connection: Connection, name: String) throws -> JSONValue {
        let started = try connection.call(
            "token.acquire",
            ["policy": .string(Machine.connected), "prompt": "create", "scopes": ["tasks.read"]]
        )
        return try connection.submit(started["flow"] ?? .null, attributes(name))["flow"] ?? .null
    }

    /// Returns the answers to the sign-up form of the policy that calls connectors.
    func attributes(_ name: String) -> JSONValue {
        [
            "email": .string(email), "displayName": .string(name), "city": "Oslo", "password": .string(password),
        ]
    }
}
