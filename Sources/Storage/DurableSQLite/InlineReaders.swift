import GRDB
import Synchronization

/// Connections that read on the thread of the caller, a few of them, opened when they are first wanted.
///
/// A reader of GRDB's pool is given back by a thread of Swift's pool, so a thread of that must never wait for one. Nobody
/// waits for these: a caller that finds all of them taken is told so, and a connection is held by one thread for as long
/// as that reads.
final class InlineReaders: Sendable {
    private struct State {
        var all: [DatabaseQueue] = []
        var idle: [DatabaseQueue] = []
        /// The number of those that are being opened.
        var opening = 0
        var isClosed = false
    }

    private enum Place {
        case free(DatabaseQueue)
        case new, none
    }

    /// Most connections.
    static let most = 4

    private let path: String
    private let configuration: Configuration
    private let state = Mutex(State())

    /// Readers of a database; none is open yet.
    init(path: String, configuration: Configuration) {
        self.path = path
        var configuration = configuration
        configuration.readonly = true
        // Another process may hold the database for a moment: a thread that serves others does not wait for that, either.
        configuration.busyMode = .immediateError
        self.configuration = configuration
    }

    /// Reads from one state of the database, on this thread.
    ///
    /// - Parameter body: Reads; it has no effect if nil is returned, and may have run nevertheless.
    /// - Returns: The result of `body`, nil if no connection is free.
    /// - Throws: The error of SQLite, or of `body`.
    func read<T>(_ body: (Database) throws -> T) throws -> T? {
        try use { connection in try connection.read(body) }
    }

    /// Runs one statement that reads, as ``read(_:)`` does, without a transaction around it.
    func readStatement<T>(_ body: (Database) throws -> T) throws -> T? {
        try use { connection in try connection.unsafeRead(body) }
    }

    /// True after ``close()``.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Closes all of them, each when its read has ended; none is lent afterwards.
    func close() throws {
        let all = state.withLock { state in
            state.isClosed = true
            return state.all
        }
        for connection in all { try connection.close() }
    }

    private func use<T>(_ body: (DatabaseQueue) throws -> T) throws -> T? {
        guard let connection = try take() else { return nil }
        defer { state.withLock { $0.idle.append(connection) } }
        do {
            return try body(connection)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return nil
        }
    }

    /// The connection that was used last, whose pages are still there; nil if all are taken.
    private func take() throws -> DatabaseQueue? {
        let place = state.withLock { state -> Place in
            guard !state.isClosed else { return .none }
            if let connection = state.idle.popLast() { return .free(connection) }
            guard state.all.count + state.opening < Self.most else { return .none }
            state.opening += 1
            return .new
        }
        switch place {
        case .free(let connection): return connection
        case .none: return nil
        case .new: return try open()
        }
    }

    private func open() throws -> DatabaseQueue? {
        let opened = Result { try DatabaseQueue(path: path, configuration: configuration) }
        let isClosed = state.withLock { state in
            state.opening -= 1
            if let connection = try? opened.get() { state.all.append(connection) }
            return state.isClosed
        }
        do {
            let connection = try opened.get()
            guard isClosed else { return connection }
            try connection.close()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            // It is as good as taken.
        }
        return nil
    }
}
