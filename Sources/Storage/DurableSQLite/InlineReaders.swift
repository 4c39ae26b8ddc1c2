import GRDB
import Synchronization

/// A small set of connections that read on the calling thread and never wait.
///
/// A thread of Swift's cooperative pool must not wait for a GRDB reader that only another such thread can free.
final class InlineReaders: Sendable {
    private struct State {
        var all: [DatabaseQueue] = []
        var idle: [DatabaseQueue] = []
        var opening = 0
        var isClosed = false
    }

    private enum Place {
        case free(DatabaseQueue)
        case new, none
    }

    static let most = 4

    private let path: String
    private let configuration: Configuration
    private let state = Mutex(State())

    init(path: String, configuration: Configuration) {
        self.path = path
        var configuration = configuration
        configuration.readonly = true
        // A thread that serves other callers must not wait for another process's lock.
        configuration.busyMode = .immediateError
        self.configuration = configuration
    }

    /// Reads from a snapshot on the calling thread, or returns `nil` if no connection is free.
    ///
    /// `body` may have run even if the result is `nil`.
    func read<T>(_ body: (Database) throws -> T) throws -> T? {
        try use { connection in try connection.read(body) }
    }

    /// Runs one read statement like ``read(_:)``, but without a transaction.
    func readStatement<T>(_ body: (Database) throws -> T) throws -> T? {
        try use { connection in try connection.unsafeRead(body) }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Closes every connection as soon as its current read has finished.
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

    /// Returns the most recently used idle connection or a new one, or `nil` if neither is available.
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
            // A connection that cannot be opened because the database is busy counts as in use.
        }
        return nil
    }
}
