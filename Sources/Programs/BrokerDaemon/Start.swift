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

/// Starts the daemon with paths from the command line, each of which is `nil` for the default path.
struct Start: Hashable {
    var config: String?
    var policies: String?
    var stateDirectory: String?
    var socket: String?

    func check() throws(StartFailure) -> CheckLine {
        try source.check()
    }

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

    func acceptDamage() async throws {
        try await offline { run throws(StartFailure) in try await run.acceptDamage() }
    }

    private func offline(_ work: (RestoreRun) async throws(StartFailure) -> Void) async throws {
        try denyDumps()
        signal(SIGXFSZ, SIG_IGN)
        umask(0o077)
        var paths = Self.paths
        let own = paths.brokerState + "/authority.sqlite"
        // Root uses the service's paths, unless root has a per-user daemon.
        let exists = FileManager.default.fileExists(atPath:)
        if geteuid() == 0, stateDirectory == nil, !exists(own), exists(ProgramPaths.service.brokerState) {
            paths = .service
        }
        try await work(RestoreRun(directory: stateDirectory ?? paths.brokerState, paths: paths))
    }

    func run() async throws {
        try denyDumps()
        // If this signal is ignored, a write beyond the file size limit fails like a write to a full disk.
        signal(SIGXFSZ, SIG_IGN)
        umask(0o077)
        // Starts the threads while the files are being read.
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
            answers: AnswerBudget(logger: log.logger("http")),
            requests: RequestLog(logger: log.logger("http"))
        )
        settings.logWarnings(to: wiring.log.logger("tokenbrokerd"))
        ProxyVariables.log(to: wiring.log.logger("tokenbrokerd"), in: ProcessInfo.processInfo.environment)
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
    /// Parses arguments whose options occur at most once, or returns `nil` if the slower argument parser is needed.
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
