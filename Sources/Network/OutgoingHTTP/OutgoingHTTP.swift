public import AsyncHTTPClient
import Foundation
package import NIOCore
import NIOHTTP1

/// Refusal of an address with a port that is not 1 to 65535.
public struct UnusablePort: Error, Hashable, Sendable {}

/// Requests to servers elsewhere, the same for whoever sends them.
public enum OutgoingHTTP {
    /// The most connections to one server at a time.
    ///
    /// Whoever sends bounds its calls: at an authority to 32, of which a user of the machine has 8, and at a connector to 8 of
    /// a place. With few connections eight slow answers for one would keep those of all others waiting.
    public static let connectionsPerServer = 256

    /// A client that follows no redirect, since what an answer names is not where secrets may go, and that unpacks nothing.
    ///
    /// Callers learn at once that nothing listens, and ask again when they need to.
    ///
    /// - Parameters:
    ///   - connect: The time in which a connection must be made.
    ///   - loopback: The servers of this machine that may be reached over http; with others requests fail with
    ///     ``UntrustedServer``.
    ///   - change: Changes what is particular to the caller.
    /// - Returns: A client with connections of its own, which its owner shuts down.
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

    /// Refuses an address whose port does not exist, at which `HTTPClient` would end the process.
    ///
    /// - Parameter url: The address.
    /// - Throws: ``UnusablePort``.
    public static func checkPort(of url: String) throws(UnusablePort) {
        guard let port = URLComponents(string: url)?.port else { return }
        guard UInt16(exactly: port) ?? 0 != 0 else { throw UnusablePort() }
    }

    /// Runs an exchange, from its connection to the last byte of its answer, within a time.
    ///
    /// The timeout of `HTTPClient.execute` ends with the head of an answer.
    ///
    /// - Parameters:
    ///   - limit: The time.
    ///   - clock: The clock of this time.
    ///   - exchange: Sends a request and reads the answer; is cancelled when the time is over.
    /// - Returns: What the exchange returns.
    /// - Throws: `HTTPClientError.deadlineExceeded` when the time is over, else what the exchange throws.
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

    /// Runs an exchange on the thread of its connection, within a time.
    ///
    /// - Parameters:
    ///   - limit: The time.
    ///   - executor: The thread; whoever waits on it already changes no thread.
    ///   - exchange: Sends a request and reads the answer; is cancelled when the time is over.
    /// - Returns: What the exchange returns.
    /// - Throws: `HTTPClientError.deadlineExceeded` when the time is over, else what the exchange throws.
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

    /// Whether a body is a page for browsers, as a captive portal or a proxy puts it in the place of an answer.
    ///
    /// - Parameter body: The body, or its beginning.
    /// - Returns: True if it begins with a mark of HTML or XML.
    public static func isPage(_ body: some Sequence<UInt8>) -> Bool {
        // Blanks and a byte order mark may come first (WHATWG HTML §13.1).
        let blanks: Set<UInt8> = [0x09, 0x0A, 0x0C, 0x0D, 0x20, 0xEF, 0xBB, 0xBF]
        return body.first { !blanks.contains($0) } == UInt8(ascii: "<")
    }

    /// Whether an answer is a page for browsers; no more of its body is read than says so.
    ///
    /// - Parameter body: The body of an answer, which nothing else reads.
    /// - Returns: True if it begins with a mark of HTML or XML.
    /// - Throws: What keeps it from being read.
    public static func isPage(_ body: HTTPClientResponse.Body) async throws -> Bool {
        var beginning: [UInt8] = []
        for try await part in body {
            beginning += part.readableBytesView.prefix(longestBlank - beginning.count)
            if isPage(beginning) { return true }
            if beginning.count >= longestBlank { return false }
        }
        return false
    }

    /// The most bytes of a body in which a page must begin.
    private static let longestBlank = 1024

    /// True if an exchange failed because a server was too slow.
    public static func isSlowness(_ error: any Error) -> Bool {
        let slow: [HTTPClientError] = [
            .deadlineExceeded, .readTimeout, .writeTimeout, .connectTimeout, .tlsHandshakeTimeout,
            .getConnectionFromPoolTimeout,
        ]
        return (error as? HTTPClientError).map(slow.contains) ?? false
    }
}

/// An executor on an event loop's own thread, so that a request does not change threads before it is answered.
///
/// Its tasks may compute for a few milliseconds at a time, no more: the loop's other connections stand still meanwhile.
package final class LoopExecutor: TaskExecutor {
    let loop: any EventLoop

    /// Runs tasks on a loop.
    package init(_ loop: any EventLoop) {
        self.loop = loop
    }

    /// Runs a job when those before it have run.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
