import Foundation
import Logging
import Policies
import ProgramConfiguration
import StrictYAML
import Systemd

/// What the daemon runs by: its configuration and its policies, read together so that they fit.
struct Settings: Sendable {
    let configuration: BrokerConfiguration
    let catalogue: PolicyCatalogue

    var logFormat: ServiceLog.Format {
        ServiceLog.Format(rawValue: configuration.server.logFormat.rawValue) ?? .journal
    }
    var logLevel: Logger.Level { Logger.Level(rawValue: configuration.server.logLevel) ?? .info }
}

/// Where settings are read, at the start and at every reload.
struct SettingsSource: Sendable {
    private let configuration: String?
    private let policies: String?
    private let places: Places

    /// What the arguments named; where they are silent, the usual places if there is something, else the defaults.
    init(configuration: String?, policies: String?, places: Places) {
        self.configuration = configuration
        self.policies = policies
        self.places = places
    }

    /// The settings, with no problem left.
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
        let (settings, problems) = read()
        for problem in problems { FileHandle.standardError.write(Data("\(problem)\n".utf8)) }
        if settings == nil {
            let count = problems.count { $0.severity == .error }
            throw StartFailure("\(count) \(count == 1 ? "problem" : "problems") found")
        }
    }

    private func read() -> (Settings?, [Problem]) {
        let (files, problems) = BrokerFiles.load(configuration: configuration, policies: policies, places: places)
        return (files.map { Settings(configuration: $0.configuration, catalogue: $0.catalogue) }, problems)
    }
}
