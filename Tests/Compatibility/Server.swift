import Foundation
import HTTPServer
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// The `tasksd` of all tests in this target, with the tables that the protocol's own suite expects.
struct Server: Sendable {
    /// The origin of the client's pages.
    static let origin = "https://app.example:8000"
    /// The application key of tables with level `application`.
    static let applicationKey = "application-key-of-the-tests"
    /// The master key.
    static let masterKey = "master-key-of-the-tests"

    @TaskLocal private static var current: Server?

    let folder: TemporaryFolder
    let issuer: LocalIssuer
    let port: Int
    /// The port of a site whose pages call the API.
    let sitePort: Int

    /// The server of the running suite.
    static func here() throws -> Server { try #require(current, "the suite has no server") }

    /// A client without a signed-in user.
    var client: JavaScriptClient { JavaScriptClient(port: port) }

    /// Returns a client with a signed-in user.
    func client(
        as oid: String,
        scopes: String = "tasks.read tasks.write",
        changes: [String: JSONValue] = [:]
    ) throws -> JavaScriptClient {
        let now = Int64(Date.now.timeIntervalSince1970)
        return JavaScriptClient(
            port: port,
            token: try issuer.token(oid: oid, scopes: scopes, now: now, changes: changes)
        )
    }

    /// Runs `body` with a server that contains the movies.
    static func whileRunning(_ body: @Sendable () async throws -> Void) async throws {
        let server = Server(
            folder: try TemporaryFolder(),
            issuer: try LocalIssuer(),
            port: freePort(),
            sitePort: freePort()
        )
        try server.configure()
        let authority = ListenAddress.unix(path: server.folder.path("authority.sock"), mode: 0o600)
        let hook = ListenAddress.unix(path: server.folder.path("hook.sock"), mode: 0o600)
        let site = ListenAddress.tcp(host: "127.0.0.1", port: server.sitePort)
        try await SmallServer.serve([(ParametersHook.router(), hook), (WebSite.router(), site)]) {
            try await server.issuer.serve(on: [authority]) { _ in
                let program = try await server.start()
                try await $current.withValue(server) {
                    try await Movie.fill(server)
                    try await body()
                }
                await stop(program)
            }
        }
    }

    /// Runs `body` with a separate server without rows.
    ///
    /// `body` starts and stops it.
    static func whileAlone(_ body: @Sendable (Server) async throws -> Void) async throws {
        let server = Server(folder: try TemporaryFolder(), issuer: try LocalIssuer(), port: freePort(), sitePort: 1)
        try server.configure()
        let authority = ListenAddress.unix(path: server.folder.path("authority.sock"), mode: 0o600)
        try await server.issuer.serve(on: [authority]) { _ in try await body(server) }
    }

    /// Stops it as the service manager does.
    static func stop(_ program: RunningProgram) async {
        program.signal(SIGTERM)
        let status = await inThread { program.wait(within: 20) }
        #expect(status == 0, "\(program.errors())")
    }

    /// Starts it, with a separate clock if one is given.
    func start(_ clock: WallClock? = nil) async throws -> RunningProgram {
        let notify = NotifySocket(folder.path("notify"))
        let arguments = ["--config", folder.path("tasksd.yaml"), "--state-directory", folder.path("state")]
        let (built, environment) = (BuiltProgram("tasksd"), ["NOTIFY_SOCKET": notify.path])
        let program =
            try clock?.start(built, arguments, environment) ?? built.start(arguments, environment: environment)
        defer { clock?.tidy(after: program) }
        let isReady = await Self.inThread { notify.receives("READY=1") }
        try #require(isReady, "\(program.errors())")
        return program
    }

    /// Runs blocking work outside the threads that serve the issuer and the small servers.
    static func inThread<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
        await withCheckedContinuation { done in
            Thread.detachNewThread { done.resume(returning: body()) }
        }
    }

    private func configure() throws {
        try write("application.key", Self.applicationKey)
        try write("master.key", Self.masterKey)
        try write(
            "tasksd.yaml",
            """
            listen: ["127.0.0.1:\(port)", "[::1]:\(port)"]
            trust:
              - {authority: "unix:\(folder.path("authority.sock"))", base: "\(issuer.base)", tenant: local, policies: all,
                 audiences: [tasks], scopes: required}
            cors: ["\(Self.origin)", "http://127.0.0.1:\(sitePort)"]
            applicationKeyFile: application.key
            masterKeyFile: master.key
            log: {level: warning, format: text}
            tables:
            \(SuiteTables.yaml(hook: folder.path("hook.sock")))
            """
        )
    }

    private func write(_ name: String, _ text: String) throws {
        let isWritten = FileManager.default.createFile(
            atPath: folder.path(name),
            contents: Data((text + "\n").utf8),
            attributes: [.posixPermissions: 0o600]
        )
        try #require(isWritten)
    }
}

/// Provides a suite with one server for all its tests, which run one after the other.
struct ServerTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Server.whileRunning(function)
    }
}

extension Trait where Self == ServerTrait {
    /// One server for the whole suite.
    static var server: Self { ServerTrait() }
}

/// The behavior that a client of the Azure Mobile Apps protocol sees.
///
/// `README.md` maps its tests to the protocol's suite.
@Suite(.server, .serialized, .timeLimit(.minutes(2)))
enum Compatibility {}
