import Foundation

/// Paths of a program's files: a pure function of its environment and its user (`XDG Base Directory Specification`).
///
/// Whoever has a runtime directory of his own runs for one user; root, and what systemd starts for the system, runs
/// as a service. What systemd names (`STATE_DIRECTORY`, `CREDENTIALS_DIRECTORY`) goes before either.
public struct ProgramPaths: Hashable, Sendable {
    private let environment: [String: String]
    private let uid: UInt32

    /// The paths of a process.
    public init(environment: [String: String], effectiveUID: UInt32) {
        self.environment = environment
        uid = effectiveUID
    }

    /// True if the process runs for the whole machine.
    public var isService: Bool {
        absolute("XDG_RUNTIME_DIR") == nil
            && (uid == 0 || absolute("STATE_DIRECTORY") != nil || absolute("CREDENTIALS_DIRECTORY") != nil)
    }

    // MARK: tokenbrokerd

    /// The broker's socket.
    public var socket: String {
        if let path = given("TOKENBROKER_SOCKET") { return path }
        return isService ? Self.serviceSocket : userSocket
    }

    /// The authority's socket, beside the broker's.
    public static func authoritySocket(beside socket: String) -> String {
        guard let slash = socket.lastIndex(of: "/") else { return "authority.sock" }
        return socket[...slash] + "authority.sock"
    }

    /// The sockets where `tasksd` looks for the authority of this machine, in this order: the service's, or the user's own
    /// before it.
    public var authoritySockets: [AuthoritySocket] {
        if let socket = given("TOKENBROKER_SOCKET") { return [Self.authoritySocket(socket)] }
        let service = Self.authoritySocket(Self.serviceSocket)
        return isService ? [service] : [Self.authoritySocket(userSocket), service]
    }

    private static func authoritySocket(_ broker: String) -> AuthoritySocket {
        AuthoritySocket(path: authoritySocket(beside: broker), trustsFolder: broker == serviceSocket)
    }

    /// The mode of the broker's socket: a service's is for everybody, since the peer's uid decides.
    public var socketMode: UInt32 { isService ? 0o666 : 0o600 }

    /// `tokenbrokerd.yaml`.
    public var brokerConfiguration: String { configurationFolder + "/tokenbrokerd.yaml" }

    /// The folder of policies.
    public var policies: String { configurationFolder + "/policies" }

    /// The broker's state directory.
    public var brokerState: String { state("tokenbroker") }

    /// The file of the cache key.
    public func cacheKey(stateDirectory: String) -> KeyFile {
        key("cache-key", variable: "TOKENBROKER_CACHE_KEY_FILE", stateDirectory: stateDirectory)
    }

    /// The file of the authority key.
    public func authorityKey(stateDirectory: String) -> KeyFile {
        key("authority-key", variable: "TOKENBROKER_AUTHORITY_KEY_FILE", stateDirectory: stateDirectory)
    }

    /// The file of the service's authority key, encrypted with the key of this host, where systemd looks for it; nothing
    /// for another state directory than the service's own.
    public func encryptedAuthorityKey(stateDirectory: String) -> String? {
        guard isService, stateDirectory == Self.serviceState else { return nil }
        return ["/etc", "/run", "/usr/lib"].map { $0 + "/credstore.encrypted/tokenbroker.authority-key" }
            .first(where: BrokerFiles.exists)
    }

    /// The service's paths, for root in a session of its own, where no daemon of root's runs.
    public static let service = ProgramPaths(environment: [:], effectiveUID: 0)

    // MARK: tasksd and tasks

    /// `tasksd.yaml`.
    public var tasksdConfiguration: String { configurationFolder + "/tasksd.yaml" }

    /// The state directory of `tasksd`.
    public var tasksdState: String { state("tasksd") }

    /// The path of a secret that the service manager hands over, if it does.
    public func credential(_ name: String) -> String? {
        absolute("CREDENTIALS_DIRECTORY").map { $0 + "/" + name }.flatMap { BrokerFiles.exists($0) ? $0 : nil }
    }

    /// `tasks.yaml`.
    public var tasksConfiguration: String { user("XDG_CONFIG_HOME", ".config") + "/tasks/tasks.yaml" }

    /// The data directory of `tasks`.
    public var tasksData: String { user("XDG_DATA_HOME", ".local/share") + "/tasks" }

    // MARK: Private

    /// The folder of a file, from which its relative paths are; of a path without a folder it is the working directory.
    static func folder(of path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
    }

    private static let serviceState = "/var/lib/tokenbroker"

    private static let serviceSocket = "/run/tokenbroker/tokenbroker.sock"

    private var userSocket: String {
        (absolute("XDG_RUNTIME_DIR") ?? "/run/user/\(uid)") + "/tokenbroker/tokenbroker.sock"
    }

    private var configurationFolder: String {
        isService ? "/etc/tokenbroker" : user("XDG_CONFIG_HOME", ".config") + "/tokenbroker"
    }

    private func state(_ name: String) -> String {
        // systemd separates several by colons; the first is the one for the program itself.
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

    /// The value of a variable of our own, unless it is empty.
    private func given(_ variable: String) -> String? {
        environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The value of a variable, if it is an absolute path; XDG says to ignore others.
    private func absolute(_ variable: String) -> String? {
        environment[variable].flatMap {
            $0.hasPrefix("/") ? $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 : nil
        }
    }
}

/// A socket where `tasksd` looks for the authority of this machine.
public struct AuthoritySocket: Hashable, Sendable {
    /// The socket's path.
    public let path: String
    /// True if the owner of its folder, which only root makes, is trusted to listen there beside root and the own user.
    public let trustsFolder: Bool

    /// Makes a socket of a path.
    public init(path: String, trustsFolder: Bool = false) {
        self.path = path
        self.trustsFolder = trustsFolder
    }
}

/// Paths of a key.
public struct KeyFile: Hashable, Sendable {
    /// The paths, of which the first that exists counts.
    public let candidates: [String]
    /// Path for a new key where there is none, and no state that needs the old one; nil if the key must exist.
    public let created: String?
}
