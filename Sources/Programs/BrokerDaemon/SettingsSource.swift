import Administration
import Authority
import Broker
import Foundation
import Logging
import OAuth
import OpenIDClient
import Policies
import ProgramConfiguration
import StrictYAML
import Synchronization
import Systemd

/// Settings of the daemon: configuration and policies, read together so that they fit.
struct Settings: Sendable {
    let configuration: BrokerConfiguration
    let catalogue: PolicyCatalogue
    /// The authority's part.
    let authority: AuthoritySettings
    /// The providers outside.
    let providers: [String: ProviderRegistration]
    /// The broker's part.
    let broker: BrokerSettings
    /// The administration's part.
    let administration: AdministrationSettings
    /// Problems of the files that do not keep them from being used.
    let warnings: [Problem]

    init(_ files: BrokerFiles, groups: [String: UInt32], isPersonal: Bool, warnings: [Problem]) {
        self.warnings = warnings
        configuration = files.configuration
        catalogue = files.catalogue
        authority = Self.authority(configuration, groups: groups)
        providers = Self.providers(configuration)
        broker = Self.broker(configuration)
        administration = Self.administration(configuration, groups: groups, isPersonal: isPersonal)
    }

    /// Logs the problems that do not keep the files from being used.
    func logWarnings(to logger: Logger) {
        for warning in warnings { logger.warning("configuration", metadata: ["problem": "\(warning)"]) }
    }
}

/// Reader of the settings, at the start and at every reload.
///
/// It reads the named paths; else the standard paths if a file is there; else it takes the defaults.
struct SettingsSource: Sendable {
    let configuration: String?
    let policies: String?
    let paths: ProgramPaths

    /// Reads the settings; any problem is a failure.
    func load() throws(StartFailure) -> Settings {
        let (settings, problems) = read()
        if let settings { return settings }
        throw StartFailure(
            problems: problems.map(\.description),
            sentence: "the configuration is not valid, so nothing was started"
        )
    }

    /// Prints every problem and warning.
    func check() throws(StartFailure) {
        let (settings, found) = read()
        var problems = found
        if let settings { problems += FileAgreement.problems(of: settings.configuration, paths: paths) }
        // What comes from files moves no cursor and turns no direction.
        for problem in problems {
            let line = PlainText.line("\(problem)") + "\n"
            try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
        }
        if settings == nil {
            let count = problems.count { $0.severity == .error }
            throw StartFailure("\(count) \(count == 1 ? "problem" : "problems") found")
        }
    }

    private func read() -> (Settings?, [Problem]) {
        let (files, problems) = BrokerFiles.load(configuration: configuration, policies: policies, paths: paths)
        guard let files else { return (nil, problems) }
        var groups: [String: UInt32] = [:]
        var strangers: [Problem] = []
        for list in GroupList.all(of: files.configuration) {
            for name in list.names where groups[name] == nil {
                do {
                    if let group = try GroupID.of(name) {
                        groups[name] = group
                    } else {
                        strangers.append(problem(name, of: list, "there is no group \(name)"))
                    }
                } catch {
                    strangers.append(problem(name, of: list, "the group \(name) cannot be looked up: \(error)"))
                }
            }
        }
        guard strangers.isEmpty else { return (nil, problems + strangers) }
        return (Settings(files, groups: groups, isPersonal: !paths.isService, warnings: problems), problems)
    }

    /// Creates a problem of a group, at its place in the file.
    private func problem(_ group: String, of list: GroupList, _ sentence: String) -> Problem {
        let path = configuration ?? paths.brokerConfiguration
        var ignored: [Problem] = []
        let groups = (try? YAMLDocument.parse(path: path))
            .map { file in list.path.reduce(BrokerShape.file.read(file, problems: &ignored)) { $0[$1] } }
        let message = "`\(list.path.joined(separator: "."))`: \(sentence)"
        return groups?.items.first { $0.text == group }?.problem(message)
            ?? Problem(file: path, line: 1, message: message)
    }
}

/// A list of groups in the configuration.
private struct GroupList {
    /// The keys that lead to it.
    let path: [String]
    /// The names of the groups.
    let names: [String]

    /// Every list of groups of a configuration.
    static func all(of configuration: BrokerConfiguration) -> [GroupList] {
        let clients = configuration.clients.values.sorted { $0.id < $1.id }
        return [GroupList(path: ["operators", "groups"], names: configuration.operatorGroups)]
            + clients.map { GroupList(path: ["clients", $0.id, "allow", "groups"], names: $0.allowedGroups) }
    }
}

/// The settings in force; a reload replaces them whole or not at all.
final class CurrentSettings: Sendable {
    private let settings: Mutex<Settings>

    init(_ settings: Settings) {
        self.settings = Mutex(settings)
    }

    var value: Settings { settings.withLock { $0 } }

    /// The authority's part, for which each request asks several times: a copy of all settings would count every reference
    /// in them, as would every other request.
    var authority: AuthoritySettings { settings.withLock { $0.authority } }

    /// The policies, likewise.
    var catalogue: PolicyCatalogue { settings.withLock { $0.catalogue } }

    func replace(by settings: Settings) {
        self.settings.withLock { $0 = settings }
    }
}
