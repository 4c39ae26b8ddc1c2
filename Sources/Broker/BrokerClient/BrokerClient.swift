public import BrokerAPI
public import FlowModel
public import OAuth

/// A client of the broker on the same machine.
///
/// An actor because its callers share one connection. After the connection has ended the next call opens a new one, and
/// an idempotent call is sent once more if its answer was lost. Any call is sent once more if the service refused it because
/// it ends (1017): it was not begun or only waited, systemd keeps the socket, and the next daemon answers.
public actor BrokerClient {
    /// The name that this program gives itself: for cache keys and prompts, never a security boundary.
    public nonisolated let clientID: String?
    /// The id that links this program's calls with logs and audit.
    public nonisolated let correlationID: CorrelationID?
    /// The person's language, in which flows ask; nil for that of the policy.
    public nonisolated let language: LanguageTag?
    /// The handlers that answer the steps of flows.
    public nonisolated let handlers: ChallengeHandlers
    /// Shows a person the place where a browser continues a flow, and how it goes there.
    public nonisolated let browsing: Browsing?
    /// The flows that the handlers answer, one after the other.
    nonisolated let prompts = PromptQueue()
    /// The longest time that a call waits for a handler that is told of the end of its flow.
    nonisolated let longestHook: Duration
    private let location: SocketLocation
    private let trusts: @Sendable (UInt32, String) -> Bool
    private var connection: SocketConnection?

    /// The client id that the broker takes for a program that names none (contract §4).
    private static let standardClient = "tokenbroker-cli"

    /// Makes a client; it connects with its first call.
    ///
    /// - Parameters:
    ///   - location: The paths at which the socket may be.
    ///   - clientID: The name that this program gives itself; `tokenbroker-cli` if it is nil.
    ///   - correlationID: The id that links its calls with logs and audit; if nil, each call has its own.
    ///   - language: The person's language, in which flows ask; nil for that of the policy.
    ///   - handlers: The handlers that answer the steps of flows.
    ///   - browsing: Shows a person the place where a browser continues a flow; without it no provider outside is offered.
    public init(
        _ location: SocketLocation = SocketLocation(),
        clientID: String? = nil,
        correlationID: CorrelationID? = nil,
        language: LanguageTag? = nil,
        handlers: ChallengeHandlers = ChallengeHandlers(),
        browsing: Browsing? = nil
    ) {
        self.init(
            location,
            clientID: clientID,
            correlationID: correlationID,
            language: language,
            handlers: handlers,
            browsing: browsing
        ) {
            SocketLocation.trusts($0, at: $1)
        }
    }

    /// Shows a person the place where a browser continues a flow, and how it goes there.
    public typealias Browsing = @Sendable (BrowserProgress) -> Void

    init(
        _ location: SocketLocation,
        clientID: String?,
        correlationID: CorrelationID?,
        language: LanguageTag? = nil,
        handlers: ChallengeHandlers,
        browsing: Browsing? = nil,
        longestHook: Duration = .seconds(60),
        trusts: @escaping @Sendable (UInt32, String) -> Bool
    ) {
        self.location = location
        self.clientID = clientID
        self.correlationID = correlationID
        self.language = language
        self.handlers = handlers
        self.browsing = browsing
        self.longestHook = longestHook
        self.trusts = trusts
    }

    /// Calls any method.
    ///
    /// - Parameter method: The method with its parameters.
    /// - Returns: The broker's answer.
    /// - Throws: `BrokerError` if the broker refuses, ``ClientError`` if it does not answer or not legibly.
    public func call<Method: BrokerMethod>(_ method: Method) async throws -> Method.Answer {
        do {
            return try await connected().call(method, correlationID)
        } catch let error as ClientError where error.code == .disconnected && method.isRepeatable {
            return try await connected().call(method, correlationID)
        } catch let error as BrokerError where error.refusal == .shuttingDown {
            await close()
            return try await connected().call(method, correlationID)
        }
    }

    /// Returns the path of the socket at which the broker answers, after connecting to it.
    public func socketPath() async throws -> String { try await connected().path }

    /// Returns the open connection, or a new one.
    private func connected() async throws -> SocketConnection {
        if let connection, connection.isOpen { return connection }
        let made = try await introduced()
        if let connection, connection.isOpen {
            await made.close()
            return connection
        }
        connection = made
        return made
    }

    /// Returns a new connection, at which this program has introduced itself and, if it is known, the person's language.
    func introduced() async throws -> SocketConnection {
        let made = try await SocketConnection.open(location, trusts: trusts)
        do {
            _ = try await made.result(of: introduction, params: introduction.params)
        } catch {
            await made.close()
            throw error
        }
        return made
    }

    /// The introduction of this program and its person.
    nonisolated var introduction: BrokerHello {
        let forms = Presentation(language: language)
        return BrokerHello(
            client: clientID ?? Self.standardClient,
            presentation: browsing == nil ? forms : forms.withProviders
        )
    }

    /// Closes the connection; the next call opens a new one.
    public func close() async {
        await connection?.close()
        connection = nil
    }
}
