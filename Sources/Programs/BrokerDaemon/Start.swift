import FlowModel
import Foundation
import Glibc
import HTTPServer
import Logging
import Metrics
import NIOPosix
import OAuth
import ProgramConfiguration
import ServiceHost
import Systemd

/// A start of the daemon, with its arguments and the order of its steps.
struct Start: Hashable {
    /// The configuration file, or `nil` for the default.
    var config: String?
    /// The folder of policies, or `nil` for the default.
    var policies: String?
    /// The state directory, or `nil` for the default.
    var stateDirectory: String?
    /// The broker socket, or `nil` for the default.
    var socket: String?

    /// Prints every problem in the configuration, and returns the line that sums up the check.
    func check() throws(StartFailure) -> CheckLine {
        try source.check()
    }

    /// Replaces the authority's store with a backup, and then exits.
    func restore(from file: String) async throws {
        do {
            try await offline { run throws(StartFailure) in
                try await run.restore(from: file)
            }
        } catch let failure as StartFailure {
            // `tokenbroker restore` reads this line and prints the message in the user's language.
            if isatty(STDOUT_FILENO) == 0 { print("failed\t\(JSONValue.object(failure.text.members).text)") }
            throw failure
        }
    }

    /// Rebuilds stores from the readable part of damaged write-ahead logs, and then exits.
    func acceptDamage() async throws {
        try await offline { run throws(StartFailure) in try await run.acceptDamage() }
    }

    private func offline(_ work: (RestoreRun) async throws(StartFailure) -> Void) async throws {
        try denyDumps()
        signal(SIGXFSZ, SIG_IGN)
        umask(0o077)
        var paths = Self.paths
        let own = paths.brokerState + "/authority.sqlite"
        // For root, the service's paths apply, unless root has its own daemon.
        let exists = FileManager.default.fileExists(atPath:)
        if geteuid() == 0, stateDirectory == nil, !exists(own), exists(ProgramPaths.service.brokerState) {
            paths = .service
        }
        try await work(RestoreRun(directory: stateDirectory ?? paths.brokerState, paths: paths))
    }

    /// Starts the daemon, and serves requests until shutdown is requested.
    func run() async throws {
        try denyDumps()
        // If this signal is ignored, writing beyond the file size limit (setrlimit(2)) fails like writing to a full
        // disk, instead of ending the process.
        signal(SIGXFSZ, SIG_IGN)
        // Only the daemon's user gets access to new files.
        umask(0o077)
        // The threads are started while the files are being read.
        async let group = MultiThreadedEventLoopGroup(numberOfThreads: Daemon.threads)
        let source = source
        let settings = try source.load()
        let metrics = PrometheusRegistry()
        MetricsSystem.bootstrap(metrics)
        let log = ServiceLog(
            format: settings.configuration.server.logFormat,
            level: settings.configuration.server.logLevel,
            isJournal: ServiceLog.isErrorJournal
        )
        let wiring = Wiring(
            source: source,
            current: CurrentSettings(settings),
            paths: Self.paths,
            stateDirectory: stateDirectory ?? Self.paths.brokerState,
            socket: socket ?? Self.paths.socket,
            log: log,
            metrics: metrics,
            answers: AnswerBudget(logger: log.logger("http"))
        )
        settings.logWarnings(to: wiring.log.logger("tokenbrokerd"))
        try await Daemon(wiring: wiring, group: group).run()
    }

    private var source: SettingsSource {
        SettingsSource(
            configuration: config,
            policies: policies,
            stateDirectory: stateDirectory ?? Self.paths.brokerState,
            paths: Self.paths
        )
    }

    private static let paths = ProgramPaths(
        environment: ProcessInfo.processInfo.environment,
        effectiveUID: geteuid()
    )

    private func denyDumps() throws {
        do {
            try ProcessMemory.denyDumps()
        } catch {
            throw StartFailure(Text("failure.coreDumps", ["reason": "\(error)"]), status: .failed)
        }
    }
}

extension Start {
    /// Parses the arguments of a plain start, in which each option occurs at most once.
    ///
    /// Returns `nil` for any other arguments.
    ///
    /// The argument parser handles other arguments. It finds the options by reflection, which takes as long as reading
    /// the configuration.
    init?(plain arguments: some Collection<String>) {
        self.init()
        var options: [(name: String, place: WritableKeyPath<Start, String?>)] = [
            ("--config", \.config), ("--policies", \.policies), ("--state-directory", \.stateDirectory),
            ("--socket", \.socket),
        ]
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let option = options.firstIndex(where: { $0.name == name }),
                let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("-")
            else { return nil }
            self[keyPath: options.remove(at: option).place] = value
        }
    }
}
