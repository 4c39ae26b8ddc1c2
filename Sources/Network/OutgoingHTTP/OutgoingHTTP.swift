public import AsyncHTTPClient
import Foundation
package import NIOCore
import NIOHTTP1

/// The error for a URL whose port is not in the range 1 to 65535.
public struct UnusablePort: Error, Hashable, Sendable {}

/// Functions for outgoing requests, with the same rules for all callers.
public enum OutgoingHTTP {
    /// The maximum number of connections to one server.
    ///
    /// Callers limit their own calls: to 32 per authority, at most 8 of them for one local user, and to 8 per origin
    /// for a connector. With few connections, eight slow responses for one user would block the requests of all others.
    public static let connectionsPerServer = 256

    /// Creates a client that does not follow redirects, because secrets must not be sent to an address from a response,
    /// and does not decompress responses.
    ///
    /// If nothing is listening, the request fails immediately. Callers retry if they need to.
    ///
    /// - Parameters:
    ///   - connect: The timeout for connecting.
    ///   - loopback: The local servers that may be called over http. Requests to all others fail with
    ///     ``UntrustedServer``.
    ///   - change: Adjusts the configuration for the caller.
    /// - Returns: A client with its own connections. The owner must shut it down.
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

    /// Throws an error for a URL with an invalid port, with which `HTTPClient` would terminate the process.
    ///
    /// - Parameter url: The URL to check.
    /// - Throws: ``UnusablePort``.
    public static func checkPort(of url: String) throws(UnusablePort) {
        guard let port = URLComponents(string: url)?.port else { return }
        guard UInt16(exactly: port) ?? 0 != 0 else { throw UnusablePort() }
    }

    /// Runs an exchange within a time limit, from connecting to the last byte of the response.
    ///
    /// The timeout of `HTTPClient.execute` covers only the head of a response.
    ///
    /// - Parameters:
    ///   - limit: The time limit.
    ///   - clock: The clock for the limit.
    ///   - exchange: Sends a request and reads the response. It is cancelled at the limit.
    /// - Returns: The result of the exchange.
    /// - Throws: `HTTPClientError.deadlineExceeded` at the limit, or the error of the exchange.
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

    /// Runs an exchange on the thread of its connection within a time limit.
    ///
    /// - Parameters:
    ///   - limit: The time limit.
    ///   - executor: The executor for the thread. A caller that already runs on it does not switch threads.
    ///   - exchange: Sends a request and reads the response. It is cancelled at the limit.
    /// - Returns: The result of the exchange.
    /// - Throws: `HTTPClientError.deadlineExceeded` at the limit, or the error of the exchange.
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

    /// Whether a body is an HTML page that a captive portal or a proxy sent instead of the response.
    ///
    /// - Parameter body: The body, or its beginning.
    /// - Returns: Whether the body begins like HTML or XML.
    public static func isPage(_ body: some Sequence<UInt8>) -> Bool {
        // A page can begin with white space and a byte order mark (WHATWG HTML §13.1).
        let blanks: Set<UInt8> = [0x09, 0x0A, 0x0C, 0x0D, 0x20, 0xEF, 0xBB, 0xBF]
        return body.first { !blanks.contains($0) } == UInt8(ascii: "<")
    }

    /// Whether a response is an HTML page.
    ///
    /// This method reads no more of the body than necessary.
    ///
    /// - Parameter body: The body of a response. Nothing else may read it.
    /// - Returns: Whether the body begins like HTML or XML.
    /// - Throws: An error if the body cannot be read.
    public static func isPage(_ body: HTTPClientResponse.Body) async throws -> Bool {
        var beginning: [UInt8] = []
        for try await part in body {
            beginning += part.readableBytesView.prefix(longestBlank - beginning.count)
            if isPage(beginning) { return true }
            if beginning.count >= longestBlank { return false }
        }
        return false
    }

    /// The maximum number of bytes before a page's first tag.
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

/// Runs tasks on an event loop's own thread, so that a request does not switch threads before its response arrives.
///
/// A task must not compute for more than a few milliseconds at a time, because it blocks the loop's other connections.
package final class LoopExecutor: TaskExecutor {
    let loop: any EventLoop

    /// Creates an executor for an event loop.
    package init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Runs a job after all previous jobs.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
