import BrokerClient
import FlowModel
import Foundation
import Glibc
import OAuth
import Policies
import Terminal

/// A trial's daemon, which listens on a free loopback port and uses only the trial's policies and state.
struct TrialDaemon {
    private static let patience: Duration = .seconds(60)
    private static let glance: Duration = .milliseconds(50)

    private let folder: TrialFolder
    private let process = Process()

    /// Configures and starts the daemon, or throws a `CommandFailure` if it is not installed or if no port is free.
    init(_ folder: TrialFolder, _ policy: Policy, _ catalogue: PolicyCatalogue, _ person: TrialPerson?) throws {
        self.folder = folder
        let isUsual = policy.kind.signsIn || policy.kind.signsUp
        let configuration = try Self.configuration(
            defaultPolicy: isUsual || person == nil ? policy.id.description : TrialPerson.policy,
            catalogue
        )
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder.configuration))
        guard FileManager.default.createFile(atPath: folder.log, contents: nil, attributes: [.posixPermissions: 0o600]),
            let log = FileHandle(forWritingAtPath: folder.log)
        else { throw CommandFailure(.failed, "no_folder", Text("cli.trial.noFolder", ["reason": folder.log])) }
        process.executableURL = URL(fileURLWithPath: try DaemonProgram.path())
        process.arguments = [
            "--config", folder.configuration, "--policies", folder.policies, "--state-directory", folder.state,
            "--socket", folder.socket,
        ]
        process.environment = Self.environment(folder)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = log
        process.standardError = log
        try process.run()
        folder.watch(over: process.processIdentifier)
    }

    /// Waits until the daemon responds, or throws its error message if it ends or does not respond in time.
    func ready(_ broker: BrokerClient) async throws {
        let end = ContinuousClock.now + Self.patience
        while true {
            do {
                _ = try await broker.status()
                return
            } catch let error as ClientError where error.code == .unreachable {
                guard process.isRunning, ContinuousClock.now < end else { throw failure }
                try await Task.sleep(for: Self.glance)
            }
        }
    }

    /// Kills the daemon, so that it cannot write anything afterwards.
    func end() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private var failure: CommandFailure {
        let text = FileManager.default.contents(atPath: folder.log).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let said = PlainText.line(DaemonProgram.complaint(in: text) ?? "")
        return CommandFailure(.failed, "not_started", Text("cli.trial.notStarted", ["reason": said]))
    }

    /// The daemon's environment, without references to the user's files or the service manager.
    private static func environment(_ folder: TrialFolder) -> [String: String] {
        let kept = ["PATH", "LANG", "LC_ALL", "LC_MESSAGES", "LANGUAGE", "TZ", "LD_LIBRARY_PATH"]
        let own = ProcessInfo.processInfo.environment.filter { kept.contains($0.key) }
        let places = ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "HOME"].map { ($0, folder.home) }
        return own.merging(places + [("XDG_RUNTIME_DIR", folder.path)]) { $1 }
    }

    private static func configuration(defaultPolicy: String, _ catalogue: PolicyCatalogue) throws -> String {
        guard let port = TrialPort() else {
            throw CommandFailure(.failed, "port_in_use", Text("cli.trial.noPort"))
        }
        let apis = TrialAPIs(catalogue)
        let client: JSONValue = [
            "type": "public", "firstParty": true, "apis": .array(apis.names.map { .string($0) }),
            "redirectURIs": ["http://localhost"], "grants": ["authorization_code", "refresh_token", "device_code"],
        ]
        let file: JSONValue = [
            "issuerBase": .string("http://localhost:\(port.number)"),
            "listen": .array(port.addresses.map { .string($0) }),
            "defaultPolicy": .string(defaultPolicy),
            "apis": apis.json,
            "clients": ["tokenbroker-cli": client],
            "log": ["level": "warning", "format": "text"],
        ]
        return file.text
    }
}

/// The shipped API, and the APIs whose scopes the policies use.
private struct TrialAPIs {
    private var scopes: [String: Set<String>] = [
        "tasks": ["tasks.read", "tasks.write", "accessRestricted", "transferPrivilege"]
    ]

    init(_ catalogue: PolicyCatalogue) {
        for scope in catalogue.policies.values.flatMap(\.scopes.keys) {
            let parts = scope.split(separator: "/", maxSplits: 1).map(String.init)
            if parts.count == 2 {
                scopes[parts[0], default: []].insert(parts[1])
            } else {
                scopes["tasks", default: []].insert(scope)
            }
        }
    }

    var names: [String] { scopes.keys.sorted() }

    var json: JSONValue {
        .object(
            Dictionary(
                uniqueKeysWithValues: names.map { name in
                    let words = (scopes[name] ?? []).map { ($0, JSONValue.string($0)) }
                    return (
                        name, ["audience": .string(name), "scopes": .object(Dictionary(uniqueKeysWithValues: words))]
                    )
                }
            )
        )
    }
}
