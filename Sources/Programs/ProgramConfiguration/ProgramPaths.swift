import Files
import Foundation

/// The paths of a program's files, which depend only on the environment and the uid (XDG Base Directory).
///
/// Root and system services use the service's paths, unless `XDG_RUNTIME_DIR` is set. Others use per-user paths.
/// The variables `STATE_DIRECTORY` and `CREDENTIALS_DIRECTORY`, which systemd sets, take precedence over both.
public struct ProgramPaths: Hashable, Sendable {
    private let environment: [String: String]
    private let uid: UInt32

    /// Creates the paths for an environment and an effective uid.
    public init(environment: [String: String], effectiveUID: UInt32) {
        self.environment = environment
        uid = effectiveUID
    }

    /// Whether the process runs as a service for the whole machine.
    public var isService: Bool {
        absolute("XDG_RUNTIME_DIR") == nil
            && (uid == 0 || absolute("STATE_DIRECTORY") != nil || absolute("CREDENTIALS_DIRECTORY") != nil)
    }

    // MARK: tokenbrokerd

    /// The path of the broker socket.
    public var socket: String {
        if let path = given("TOKENBROKER_SOCKET") { return path }
        return isService ? BrokerSocketPath.service : userSocket
    }

    /// Whether ``socket`` is in the user's runtime directory, which `XDG_RUNTIME_DIR` specifies.
    public var usesRuntimeDirectory: Bool { given("TOKENBROKER_SOCKET") == nil && !isService }

    /// Returns the path of the authority socket, which is in the same folder as the broker socket.
    public static func authoritySocket(beside socket: String) -> String {
        guard let slash = socket.lastIndex(of: "/") else { return "authority.sock" }
        return socket[...slash] + "authority.sock"
    }

    /// The sockets at which `tasksd` looks for the local authority, with a per-user socket before the service's socket.
    public var authoritySockets: [AuthoritySocket] {
        if let socket = given("TOKENBROKER_SOCKET") { return [Self.authoritySocket(socket)] }
        let service = Self.authoritySocket(BrokerSocketPath.service)
        return isService ? [service] : [Self.authoritySocket(userSocket), service]
    }

    private static func authoritySocket(_ broker: String) -> AuthoritySocket {
        AuthoritySocket(path: authoritySocket(beside: broker), trustsFolder: broker == BrokerSocketPath.service)
    }

    /// The file mode of the broker socket and the authority socket.
    ///
    /// Every user can connect to a service, but only the same user can connect to a per-user daemon.
    public var socketMode: UInt32 { isService ? 0o666 : 0o600 }

    /// The default path of `tokenbrokerd.yaml`.
    public var brokerConfiguration: String { configurationFolder + "/tokenbrokerd.yaml" }

    /// The default folder for policies.
    public var policies: String { configurationFolder + "/policies" }

    /// The default state directory of `tokenbrokerd`.
    public var brokerState: String { state("tokenbroker") }

    /// Returns the paths at which the token cache's key can be stored.
    public func cacheKey(stateDirectory: String) -> KeyFile {
        key("cache-key", variable: "TOKENBROKER_CACHE_KEY_FILE", stateDirectory: stateDirectory)
    }

    /// Returns the paths at which the authority database's key can be stored.
    public func authorityKey(stateDirectory: String) -> KeyFile {
        key("authority-key", variable: "TOKENBROKER_AUTHORITY_KEY_FILE", stateDirectory: stateDirectory)
    }

    /// Returns the path of the authority key that systemd encrypted, or `nil` if the service's state has no such file.
    public func encryptedAuthorityKey(stateDirectory: String) -> String? {
        guard isService, stateDirectory == Self.serviceState else { return nil }
        return ["/etc", "/run", "/usr/lib"].map { $0 + "/credstore.encrypted/tokenbroker.authority-key" }
            .first(where: BrokerFiles.exists)
    }

    /// The service's paths, which root can use in a session without a per-user daemon.
    public static let service = ProgramPaths(environment: [:], effectiveUID: 0)

    // MARK: tasksd and tasks

    /// The default path of `tasksd.yaml`.
    public var tasksdConfiguration: String { configurationFolder + "/tasksd.yaml" }

    /// The default state directory of `tasksd`.
    public var tasksdState: String { state("tasksd") }

    /// Returns the path of the service-manager credential with the given name, or `nil` if it does not exist.
    public func credential(_ name: String) -> String? {
        absolute("CREDENTIALS_DIRECTORY").map { $0 + "/" + name }.flatMap { BrokerFiles.exists($0) ? $0 : nil }
    }

    /// The default path of `tasks.yaml`.
    public var tasksConfiguration: String { user("XDG_CONFIG_HOME", ".config") + "/tasks/tasks.yaml" }

    /// The default data directory of `tasks`.
    public var tasksData: String { user("XDG_DATA_HOME", ".local/share") + "/tasks" }

    // MARK: Private

    static func folder(of path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
    }

    private static let serviceState = "/var/lib/tokenbroker"

    private var userSocket: String {
        BrokerSocketPath.user(runtimeDirectory: environment["XDG_RUNTIME_DIR"], uid: uid)
    }

    private var configurationFolder: String {
        isService ? "/etc/tokenbroker" : user("XDG_CONFIG_HOME", ".config") + "/tokenbroker"
    }

    private func state(_ name: String) -> String {
        // systemd separates directories with colons. The first directory belongs to this program.
        if let list = absolute("STATE_DIRECTORY") { return String(list.prefix { $0 != ":" }) }
        return isService ? "/var/lib/\(name)" : user("XDG_STATE_HOME", ".local/state") + "/" + name
    }

    private func key(_ name: String, variable: String, stateDirectory: String) -> KeyFile {
        if let path = given(variable) { return KeyFile(candidates: [path], created: nil) }
        let own = stateDirectory + "/" + name
        let credential = absolute("CREDENTIALS_DIRECTORY").map { $0 + "/" + name }
        return KeyFile(candidates: [credential, own].compactMap { $0 }, created: own)
    }

    private func user(_ variable: String, _ folder: String) -> String {
        absolute(variable) ?? (absolute("HOME") ?? "") + "/" + folder
    }

    private func given(_ variable: String) -> String? {
        environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Returns the variable's value, or `nil` if it is not an absolute path, because XDG ignores relative paths.
    private func absolute(_ variable: String) -> String? {
        environment[variable].flatMap {
            $0.hasPrefix("/") ? $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 : nil
        }
    }
}

/// A socket at which `tasksd` looks for the local authority.
public struct AuthoritySocket: Hashable, Sendable {
    /// The path of the socket.
    public let path: String
    /// Whether to trust a listener that runs as the folder's owner, if only root can create the folder.
    ///
    /// A listener that runs as root or as this process's user is always trusted.
    public let trustsFolder: Bool

    /// Creates a reference to the socket at a path.
    public init(path: String, trustsFolder: Bool = false) {
        self.path = path
        self.trustsFolder = trustsFolder
    }
}

/// The paths at which a key can be stored.
public struct KeyFile: Hashable, Sendable {
    /// The paths to try in this order until an existing file is found.
    public let candidates: [String]
    /// The path at which a missing key can be created, or `nil` if no key may be created.
    public let created: String?
}
