import Foundation
import HTTPServer
import LocalIssuer
import OAuth
import TestSupport
import Testing

/// A `tasksd` with the tables that the end-to-end suite of the Azure Mobile Apps client expects.
struct Server: Sendable {
    /// The origin of the web page in which the client runs.
    static let origin = "https://app.example:8000"
    /// The key that tables with access level `application` require.
    static let applicationKey = "application-key-of-the-tests"
    static let masterKey = "master-key-of-the-tests"

    @TaskLocal private static var current: Server?

    let folder: TemporaryFolder
    let issuer: LocalIssuer
    let port: Int
    /// The port of a site whose pages call the API.
    let sitePort: Int

    /// Returns the server of the running suite.
    static func here() throws -> Server { try #require(current, "the suite has no server") }

    /// A client without a signed-in user.
    var client: JavaScriptClient { JavaScriptClient(port: port) }

    /// Returns a client with a signed-in user whose object id is `oid`.
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

    /// Runs `body` while a server with the rows of ``Movie`` is running.
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

    /// Runs `body` with a separate server that has no rows.
    ///
    /// `body` must start and stop the server.
    static func whileAlone(_ body: @Sendable (Server) async throws -> Void) async throws {
        let server = Server(folder: try TemporaryFolder(), issuer: try LocalIssuer(), port: freePort(), sitePort: 1)
        try server.configure()
        let authority = ListenAddress.unix(path: server.folder.path("authority.sock"), mode: 0o600)
        try await server.issuer.serve(on: [authority]) { _ in try await body(server) }
    }

    /// Stops the server with `SIGTERM`, as the service manager does.
    static func stop(_ program: RunningProgram) async {
        program.signal(SIGTERM)
        let status = await inThread { program.wait(within: 20) }
        #expect(status == 0, "\(program.errors())")
    }

    /// Starts the server, which uses `clock` unless it is `nil`.
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

    /// Runs blocking work on a new thread, so that it does not block the threads that run Swift tasks.
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

/// A trait that runs one server for all tests of a suite.
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
    /// Runs one server for all tests of the suite.
    static var server: Self { ServerTrait() }
}

/// Tests of the behaviour that clients of the Azure Mobile Apps protocol see.
///
/// `README.md` lists which tests correspond to tests of the client's end-to-end suite.
@Suite(.server, .serialized, .timeLimit(.minutes(2)))
enum Compatibility {}
