import Files
import Foundation
public import Policies
public import StrictYAML

/// The files that `tokenbrokerd` reads at startup and on SIGHUP, which take effect only if all of them are valid.
public struct BrokerFiles: Hashable, Sendable {
    /// The content of `tokenbrokerd.yaml`.
    public let configuration: BrokerConfiguration
    /// The policies, and the checks that they use.
    public let catalogue: PolicyCatalogue

    /// Reads the configuration and the policies, and returns `nil` for the files if any problem is an error.
    ///
    /// A specified path must exist, but missing files at default paths mean the built-in defaults.
    public static func load(configuration: String?, policies: String?, paths: ProgramPaths) -> (BrokerFiles?, [Problem])
    {
        let (configuration, found) = Self.configuration(configuration, paths)
        let (catalogue, foundInPolicies) = Self.catalogue(policies, paths)
        var problems = found + foundInPolicies
        guard let configuration, let catalogue else { return (nil, problems) }
        let offered = catalogue.offering(
            Set(configuration.identityProviders.keys),
            authorities: Set(configuration.authorities.values.filter { $0.policyIn != nil }.map(\.name))
        )
        problems += configuration.problems(with: offered)
        problems += catalogue.unknownClients(among: Set(configuration.clients.keys))
        guard !problems.contains(where: { $0.severity == .error }) else { return (nil, problems) }
        return (BrokerFiles(configuration: configuration, catalogue: offered), problems)
    }

    private static func configuration(_ path: String?, _ paths: ProgramPaths) -> (BrokerConfiguration?, [Problem]) {
        let usual = paths.brokerConfiguration
        guard path != nil || exists(usual) else { return BrokerConfiguration.read(.empty(file: usual), folder: "/") }
        let file = path ?? usual
        let (configuration, problems) = BrokerConfiguration.load(path: file)
        return (configuration, problems + [Problem.openFile(file)].compactMap { $0 })
    }

    private static func catalogue(_ folder: String?, _ paths: ProgramPaths) -> (PolicyCatalogue?, [Problem]) {
        if let folder { return PolicyCatalogue.load(folder: folder) }
        guard exists(paths.policies) else { return PolicyCatalogue.load(files: ShippedPolicies.files) }
        return PolicyCatalogue.load(folder: paths.policies)
    }

    /// Whether a file exists at a path or cannot be accessed, so that defaults do not silently replace it.
    public static func exists(_ path: String) -> Bool {
        do {
            _ = try FileStatus(path: path)
            return true
        } catch {
            return error.errno != ENOENT && error.errno != ENOTDIR
        }
    }
}

extension TasksdConfiguration {
    /// Reads the file at `configuration`, or the file at the default path if `configuration` is `nil`.
    ///
    /// If no file exists at the default path, the built-in defaults apply.
    public static func load(configuration: String?, paths: ProgramPaths) -> (TasksdConfiguration?, [Problem]) {
        let sockets = paths.authoritySockets
        let usual = paths.tasksdConfiguration
        guard configuration != nil || BrokerFiles.exists(usual) else {
            return read(.empty(file: usual), folder: "/", authoritySockets: sockets, credential: paths.credential)
        }
        let file = configuration ?? usual
        let (read, problems) = load(path: file, authoritySockets: sockets, credential: paths.credential)
        return (read, problems + [Problem.openFile(file)].compactMap { $0 })
    }
}

extension TasksConfiguration {
    /// Reads the file at `configuration`, or the file at the default path if `configuration` is `nil`.
    ///
    /// If no file exists at the default path, the built-in defaults apply.
    public static func load(configuration: String?, paths: ProgramPaths) -> (TasksConfiguration?, [Problem]) {
        if let configuration { return load(path: configuration) }
        let usual = paths.tasksConfiguration
        return BrokerFiles.exists(usual) ? load(path: usual) : read(.empty(file: usual))
    }
}

extension Problem {
    /// Returns a warning if users other than the owner can change a configuration file, or `nil` if they cannot.
    static func openFile(_ path: String) -> Problem? {
        let file = (path as NSString).resolvingSymlinksInPath
        guard let status = try? FileStatus(path: file), status.mode & 0o022 != 0 else { return nil }
        return Problem(
            file: path,
            line: 1,
            message: "users other than its owner can change this file; run: chmod go-w \(file)",
            severity: .warning
        )
    }
}
