public import BrokerAPI
public import FlowModel
public import OAuth

/// A client that connects to the broker on the same machine.
///
/// All callers share one connection. If it has closed, the next call opens a new one.
///
/// A call is sent a second time if it is repeatable and its response was lost, or if the daemon refused it because the
/// daemon is shutting down (error 1017). The refused call had no effect, and the next daemon uses the same socket.
public actor BrokerClient {
    /// The client id of this program, or `nil` to use `tokenbroker-cli`.
    ///
    /// The broker uses it to look up cached tokens and shows it in prompts, but it is not a security boundary.
    public nonisolated let clientID: String?
    /// The correlation id of this program's calls in the logs, or `nil` to use a different id for each call.
    public nonisolated let correlationID: CorrelationID?
    /// The language in which the user is prompted, or `nil` to use the policy's language.
    public nonisolated let language: LanguageTag?
    /// The handlers that answer the steps of flows.
    public nonisolated let handlers: ChallengeHandlers
    /// A function that shows the user the URL at which a browser continues a flow, and the progress in the browser.
    public nonisolated let browsing: Browsing?
    nonisolated let prompts = PromptQueue()
    /// The maximum time that a call waits for a handler's `succeeded` or `failed` method to return.
    nonisolated let longestHook: Duration
    private let location: SocketLocation
    private let trusts: @Sendable (UInt32, String) -> Bool
    private var connection: SocketConnection?

    private static let standardClient = "tokenbroker-cli"

    /// Creates a client that connects on its first call, and offers identity providers only if `browsing` is given.
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

    /// A function that shows the user the URL at which a browser continues a flow, and the progress in the browser.
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

    /// Calls a method of the broker, and returns the response.
    ///
    /// - Throws: `BrokerError` if the broker refuses the call, or ``ClientError`` if there is no readable response.
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

    /// Connects to the broker and returns the path of its socket.
    public func socketPath() async throws -> String { try await connected().path }

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

    nonisolated var introduction: BrokerHello {
        let forms = Presentation(language: language)
        return BrokerHello(
            client: clientID ?? Self.standardClient,
            presentation: browsing == nil ? forms : forms.withProviders
        )
    }

    /// Closes the connection, so that the next call opens a new one.
    public func close() async {
        await connection?.close()
        connection = nil
    }
}
