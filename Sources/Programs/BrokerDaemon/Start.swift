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

/// One start of the daemon: what it was told, and in what order it begins.
struct Start: Hashable {
    /// The configuration file that was named.
    var config: String?
    /// The folder of policies that was named.
    var policies: String?
    /// The folder of databases and keys that was named.
    var stateDirectory: String?
    /// The broker's socket that was named.
    var socket: String?

    /// Prints every problem of the configuration.
    func check() throws(StartFailure) {
        try source.check()
    }

    /// Makes a backup the authority's store, and ends.
    func restore(from file: String) async throws {
        do {
            try await offline { run throws(StartFailure) in
                try await run.restore(from: file)
            }
        } catch let failure as StartFailure {
            // For `tokenbroker restore`, which says it in the language of its user.
            if isatty(STDOUT_FILENO) == 0 { print("failed\t\(JSONValue.object(failure.text.members).text)") }
            throw failure
        }
    }

    /// Keeps what is readable of stores whose write-ahead logs are damaged, and ends.
    func acceptDamage() async throws {
        try await offline { run throws(StartFailure) in try await run.acceptDamage() }
    }

    private func offline(_ work: (RestoreRun) async throws(StartFailure) -> Void) async throws {
        try denyDumps()
        signal(SIGXFSZ, SIG_IGN)
        umask(0o077)
        var paths = Self.paths
        let own = paths.brokerState + "/authority.sqlite"
        // Root means the service, unless it has a daemon of its own.
        let exists = FileManager.default.fileExists(atPath:)
        if geteuid() == 0, stateDirectory == nil, !exists(own), exists(ProgramPaths.service.brokerState) {
            paths = .service
        }
        try await work(RestoreRun(directory: stateDirectory ?? paths.brokerState, paths: paths))
    }

    /// Starts, serves, and returns after the end was asked for.
    func run() async throws {
        try denyDumps()
        // A write beyond the limit for files (setrlimit(2)) is refused like one to a full disk, and ends nothing.
        signal(SIGXFSZ, SIG_IGN)
        // Every file that is made from here on is the daemon's alone.
        umask(0o077)
        // The threads start while the files are read.
        async let group = MultiThreadedEventLoopGroup(numberOfThreads: Daemon.threads)
        let source = source
        let settings = try source.load()
        let metrics = PrometheusRegistry()
        MetricsSystem.bootstrap(metrics)
        let log = ServiceLog(
            format: settings.configuration.server.logFormat,
            level: settings.configuration.server.logLevel,
            isAtTerminal: ServiceLog.isErrorTerminal
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
        SettingsSource(configuration: config, policies: policies, paths: Self.paths)
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
    /// Reads the arguments of an ordinary start: each option once at most, with its value behind it; nil if there is
    /// anything else.
    ///
    /// The argument parser, which everything else is left to, learns the options by reflection: that takes as long as
    /// reading the configuration.
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
