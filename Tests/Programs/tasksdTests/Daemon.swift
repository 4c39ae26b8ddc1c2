import Foundation
import HTTPServer
import LocalIssuer
import OAuth
import TablesClient
import TestSupport

/// `tasksd` as a separate process on a free port, and the issuer that it trusts on a Unix socket.
struct Daemon {
    let folder: TemporaryFolder
    let issuer: LocalIssuer
    let port: Int

    /// Creates the daemon's folder, keys and configuration, and runs `test` while the issuer accepts requests.
    static func scene(_ test: (Daemon) async throws -> Void) async throws {
        let daemon = Daemon(folder: try TemporaryFolder(), issuer: try LocalIssuer(), port: freePort())
        try daemon.configure()
        let socket = ListenAddress.unix(path: daemon.folder.path("authority.sock"), mode: 0o600)
        try await daemon.issuer.serve(on: [socket]) { _ in try await test(daemon) }
    }

    /// The path of the daemon's configuration file.
    var config: String { folder.path("tasksd.yaml") }

    var arguments: [String] { ["--config", config, "--state-directory", folder.path("state")] }

    func configure(scopes: String = "required", more: String = "") throws {
        let text = """
            listen: ["127.0.0.1:\(port)", "[::1]:\(port)"]
            trust:
              - {authority: "unix:\(folder.path("authority.sock"))", base: "\(issuer.base)", tenant: local, policies: all,
                 audiences: [tasks], scopes: \(scopes)}
            log: {level: info, format: text}
            \(more)
            """
        try Data((text + "\n").utf8).write(to: URL(fileURLWithPath: config))
    }

    /// Starts the daemon and waits until it is ready.
    func start(_ more: [String: String] = [:]) async throws -> (RunningProgram, NotifySocket) {
        let notify = NotifySocket(folder.path("notify"))
        let environment = ["NOTIFY_SOCKET": notify.path].merging(more) { $1 }
        let process = try BuiltProgram("tasksd").start(arguments, environment: environment)
        guard await Self.inThread({ notify.receives("READY=1") }) else { throw NotReady(errors: process.errors()) }
        return (process, notify)
    }

    /// Stops the daemon as the service manager does, and returns the exit status.
    func stop(_ process: RunningProgram) async -> Int32 {
        process.signal(SIGTERM)
        return await Self.inThread { process.wait(within: 20) }
    }

    /// Runs `tasksd` with these arguments until it exits by itself.
    func run(_ arguments: [String]) async throws -> BuiltProgram.Outcome {
        try await Self.inThread { Result { try BuiltProgram("tasksd").run(arguments) } }.get()
    }

    /// Runs `body` with a client that sends a token of the user `oid`.
    func call<R: Sendable>(
        as oid: String,
        scopes: String = "tasks.read tasks.write",
        _ body: (TablesClient) async throws -> R
    ) async throws -> R {
        let token = Secret(
            try issuer.token(oid: oid, scopes: scopes, now: Int64(Date.now.timeIntervalSince1970))
        )
        return try await TablesClient.with(try APIAddress("http://localhost:\(port)"), token: { _ in token }, body)
    }

    /// Runs `body` on a new thread, so that it does not block the threads that the issuer uses.
    static func inThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
        await withCheckedContinuation { done in
            Thread.detachNewThread { done.resume(returning: body()) }
        }
    }

    struct NotReady: Error {
        let errors: String
    }
}
