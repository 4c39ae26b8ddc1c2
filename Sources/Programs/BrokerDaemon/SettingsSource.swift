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

/// The configuration and the policies, which are read together so that they match.
struct Settings: Sendable {
    let configuration: BrokerConfiguration
    let catalogue: PolicyCatalogue
    let authority: AuthoritySettings
    let providers: [String: ProviderRegistration]
    let broker: BrokerSettings
    let administration: AdministrationSettings
    let warnings: [Problem]

    init(_ files: BrokerFiles, groups: [String: UInt32], source: SettingsSource, warnings: [Problem]) {
        self.warnings = warnings
        configuration = files.configuration
        catalogue = files.catalogue
        authority = Self.authority(configuration, groups: groups)
        providers = Self.providers(configuration)
        let state = URL(fileURLWithPath: source.stateDirectory).path
        broker = Self.broker(configuration, file: source.file, stateDirectory: state)
        administration = Self.administration(configuration, groups: groups, isPersonal: !source.paths.isService)
    }

    func logWarnings(to logger: Logger) {
        for warning in warnings { logger.warning("configuration", metadata: ["problem": "\(warning)"]) }
    }
}

/// Reads the settings at startup and on every reload.
///
/// If a path is not specified, the default path is read or, if nothing exists there, the built-in defaults apply.
struct SettingsSource: Sendable {
    let configuration: String?
    let policies: String?
    let stateDirectory: String
    let paths: ProgramPaths

    /// The absolute path of `tokenbrokerd.yaml`, or `nil` if the built-in defaults apply.
    var file: String? {
        let path = configuration ?? (BrokerFiles.exists(paths.brokerConfiguration) ? paths.brokerConfiguration : nil)
        return path.map { URL(fileURLWithPath: $0).path }
    }

    func load() throws(StartFailure) -> Settings {
        let (settings, problems) = read()
        if let settings { return settings }
        throw StartFailure(
            problems: problems.map(\.description),
            sentence: "The configuration is not valid. Nothing was started. Fix the problems above."
        )
    }

    /// Checks the settings, writes all errors and warnings to stderr, and returns the line to print on stdout.
    func check() throws(StartFailure) -> CheckLine {
        let (settings, found) = read()
        var problems = found
        if let settings { problems += FileAgreement.problems(of: settings.configuration, paths: paths) }
        // Control characters and bidirectional marks in the files must not reach the terminal.
        for problem in problems {
            let line = PlainText.line("\(problem)") + "\n"
            try? FileHandle.standardError.write(contentsOf: Data(line.utf8))
        }
        guard let settings else {
            let count = problems.count { $0.severity == .error }
            throw StartFailure("\(count) \(count == 1 ? "problem" : "problems") found")
        }
        let unavailable = settings.catalogue.summaries.count { $0.missing != nil }
        let available = settings.catalogue.summaries.count - unavailable
        return CheckLine(
            file: configuration ?? file,
            parts: [CheckLine.count(available, "policy", "policies")]
                + (unavailable > 0 ? ["\(unavailable) unavailable"] : []),
            warnings: problems.count
        )
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
        return (Settings(files, groups: groups, source: self, warnings: problems), problems)
    }

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

private struct GroupList {
    let path: [String]
    let names: [String]

    static func all(of configuration: BrokerConfiguration) -> [GroupList] {
        let clients = configuration.clients.values.sorted { $0.id < $1.id }
        return [GroupList(path: ["operators", "groups"], names: configuration.operatorGroups)]
            + clients.map { GroupList(path: ["clients", $0.id, "allow", "groups"], names: $0.allowedGroups) }
    }
}

/// The current settings, which a reload replaces as a whole.
final class CurrentSettings: Sendable {
    private let settings: Mutex<Settings>

    init(_ settings: Settings) {
        self.settings = Mutex(settings)
    }

    var value: Settings { settings.withLock { $0 } }

    /// The authority's settings, which are cheaper to copy for each request than all settings in ``value``.
    var authority: AuthoritySettings { settings.withLock { $0.authority } }

    var catalogue: PolicyCatalogue { settings.withLock { $0.catalogue } }

    func replace(by settings: Settings) {
        self.settings.withLock { $0 = settings }
    }
}
