public import BrokerAPI
import JSONRPC
public import OAuth

/// The broker, as a program on the same machine calls it.
///
/// An actor because its callers share one connection. A connection that ended is made anew with the next call, and a
/// call that does the same when it is repeated is sent once more if its answer was lost.
public actor BrokerClient {
    /// What this program calls itself: good for keys and prompts, never a boundary.
    public nonisolated let clientID: String?
    /// What ties this program's calls to logs and audit.
    public nonisolated let correlationID: CorrelationID?
    /// Who answers the steps of flows.
    public nonisolated let handlers: ChallengeHandlers
    private let location: SocketLocation
    private let trusts: @Sendable (UInt32, String) -> Bool
    private var connection: SocketConnection?

    /// How much longer than the broker itself a call is waited for.
    private static let patience: Duration = .seconds(2)

    /// A client; it connects with its first call.
    ///
    /// - Parameters:
    ///   - location: Where the socket is.
    ///   - clientID: What this program calls itself; `tokenbroker-cli` if it says nothing.
    ///   - correlationID: What ties its calls to logs and audit; each has its own if there is none.
    ///   - handlers: Who answers the steps of flows.
    public init(
        _ location: SocketLocation = SocketLocation(),
        clientID: String? = nil,
        correlationID: CorrelationID? = nil,
        handlers: ChallengeHandlers = ChallengeHandlers()
    ) {
        self.init(location, clientID: clientID, correlationID: correlationID, handlers: handlers) {
            SocketLocation.trusts($0, at: $1)
        }
    }

    init(
        _ location: SocketLocation,
        clientID: String?,
        correlationID: CorrelationID?,
        handlers: ChallengeHandlers,
        trusts: @escaping @Sendable (UInt32, String) -> Bool
    ) {
        self.location = location
        self.clientID = clientID
        self.correlationID = correlationID
        self.handlers = handlers
        self.trusts = trusts
    }

    /// Calls any method.
    ///
    /// - Parameter method: The call.
    /// - Returns: What the broker answers.
    /// - Throws: ``BrokerAPI/BrokerError`` if the broker refuses, ``ClientError`` if it cannot be asked or understood.
    public func call<Method: BrokerMethod>(_ method: Method) async throws -> Method.Answer {
        do {
            return try await callOnce(method)
        } catch let error as ClientError where error.code == .disconnected && method.isRepeatable {
            return try await callOnce(method)
        }
    }

    private func callOnce<Method: BrokerMethod>(_ method: Method) async throws -> Method.Answer {
        var params = method.params
        if params["correlationId"] == nil, let correlationID {
            params["correlationId"] = .string(correlationID.description)
        }
        let result: JSONValue
        do {
            let connection = try await connected()
            result = try await connection.call(Method.name, params, deadline: method.deadline + Self.patience)
        } catch let error as JSONRPCError {
            throw BrokerError(error)
        }
        do {
            return try Method.Answer(WireReader(result))
        } catch {
            throw ClientError(.unreadableAnswer, "\(error)")
        }
    }

    /// The socket that the broker answers at.
    public func socketPath() async throws -> String { try await connected().path }

    /// The connection of now, or a new one.
    private func connected() async throws -> SocketConnection {
        if let connection, connection.isOpen { return connection }
        let made = try await SocketConnection.open(location, trusts: trusts)
        if let connection, connection.isOpen {
            await made.close()
            return connection
        }
        connection = made
        return made
    }

    /// Ends the connection; the next call makes a new one.
    public func close() async {
        await connection?.close()
        connection = nil
    }
}
