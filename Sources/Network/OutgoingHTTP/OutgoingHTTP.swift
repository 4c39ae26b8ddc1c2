public import AsyncHTTPClient
import Foundation
package import NIOCore
import NIOHTTP1

/// The error for a URL whose port is not in the range 1 to 65535.
public struct UnusablePort: Error, Hashable, Sendable {}

/// Functions that apply the same rules to all outgoing HTTP requests.
public enum OutgoingHTTP {
    /// The maximum number of connections to one server, so high that slow responses for one user do not block others.
    public static let connectionsPerServer = 256

    /// Creates a client that follows no redirects, decompresses nothing, and must be shut down by the caller.
    ///
    /// If no server is listening, a request fails immediately. A request over http to a local server that `loopback`
    /// does not allow fails with ``UntrustedServer``. If `SSL_CERT_FILE` is set, only its authorities are trusted.
    public static func client(
        connect: Duration = .seconds(5),
        loopback: LoopbackServers = .known(),
        _ change: (inout HTTPClient.Configuration) -> Void = { _ in }
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsPerServer
        configuration.timeout.connect = TimeAmount(connect)
        change(&configuration)
        if let file = TrustedAuthorities.file { configuration.trust(onlyAuthoritiesOf: file) }
        configuration.connectOnly(to: loopback)
        let initialize = configuration.http1_1ConnectionDebugInitializer
        configuration.http1_1ConnectionDebugInitializer = { channel in
            let initialized = initialize?(channel) ?? channel.eventLoop.makeSucceededVoidFuture()
            return initialized.flatMapThrowing {
                let pipeline = channel.pipeline.syncOperations
                try pipeline.addHandler(FlushTogether(), position: .first)
                let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(StatusGuard(), position: .after(decoder))
            }
        }
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Throws an error for a URL with an invalid port, which would make `HTTPClient` terminate the process.
    public static func checkPort(of url: String) throws(UnusablePort) {
        guard let port = URLComponents(string: url)?.port else { return }
        guard UInt16(exactly: port) ?? 0 != 0 else { throw UnusablePort() }
    }

    /// Runs an exchange up to the last byte of the response, and cancels it after `limit`.
    ///
    /// - Throws: `HTTPClientError.deadlineExceeded` after `limit`, or the error that the exchange throws.
    public static func within<Value: Sendable>(
        _ limit: Duration,
        by clock: any Clock<Duration> = ContinuousClock(),
        _ exchange: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { tasks in
            tasks.addTask { try await exchange() }
            tasks.addTask {
                try await clock.sleep(for: limit)
                return nil
            }
            defer { tasks.cancelAll() }
            guard let value = try await tasks.next() ?? nil else { throw HTTPClientError.deadlineExceeded }
            return value
        }
    }

    /// Runs an exchange on its connection's thread, and cancels it after `limit`.
    ///
    /// - Throws: `HTTPClientError.deadlineExceeded` after `limit`, or the error that the exchange throws.
    package static func within<Value: Sendable>(
        _ limit: Duration,
        on executor: LoopExecutor,
        _ exchange: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task(executorPreference: executor) { try await exchange() }
        let end = executor.loop.scheduleTask(in: TimeAmount(limit)) { task.cancel() }
        defer { end.cancel() }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            guard task.isCancelled, !Task.isCancelled else { throw error }
            throw HTTPClientError.deadlineExceeded
        }
    }

    /// Whether a body begins like an HTML page, which usually comes from a captive portal or a proxy.
    public static func isPage(_ body: some Sequence<UInt8>) -> Bool {
        // A page can begin with white space and a byte order mark (WHATWG HTML §13.1).
        let blanks: Set<UInt8> = [0x09, 0x0A, 0x0C, 0x0D, 0x20, 0xEF, 0xBB, 0xBF]
        return body.first { !blanks.contains($0) } == UInt8(ascii: "<")
    }

    /// Whether a response's body, which this method consumes, begins like an HTML page.
    public static func isPage(_ body: HTTPClientResponse.Body) async throws -> Bool {
        var beginning: [UInt8] = []
        for try await part in body {
            beginning += part.readableBytesView.prefix(longestBlank - beginning.count)
            if isPage(beginning) { return true }
            if beginning.count >= longestBlank { return false }
        }
        return false
    }

    /// The number of bytes within which a page's first tag must begin.
    private static let longestBlank = 1024

    /// Whether an exchange failed because a server was too slow.
    public static func isSlowness(_ error: any Error) -> Bool {
        let slow: [HTTPClientError] = [
            .deadlineExceeded, .readTimeout, .writeTimeout, .connectTimeout, .tlsHandshakeTimeout,
            .getConnectionFromPoolTimeout,
        ]
        return (error as? HTTPClientError).map(slow.contains) ?? false
    }
}

/// Runs tasks on an event loop's own thread, which they must not block for more than a few milliseconds.
package final class LoopExecutor: TaskExecutor {
    let loop: any EventLoop

    package init(_ loop: any EventLoop) {
        self.loop = loop
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
