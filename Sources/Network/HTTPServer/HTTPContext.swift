public import HTTPTypes
public import Hummingbird
public import Logging

/// The facts about a request that do not stand in the request itself.
public struct HTTPContext: RequestContext, RequestContextSource, Sendable {
    /// A context is made whole, so it is its own source.
    public typealias Source = HTTPContext

    /// The part that Hummingbird requires; its logger adds the request's correlation id.
    public var coreContext: CoreRequestContextStorage
    /// `client-request-id` of the request, or one made for it; a UUID in lower case.
    public let correlationID: String
    /// True if the request came from this machine and not through a proxy.
    public let isLocal: Bool
    /// True if the request came through a Unix socket.
    public let isOnUnixSocket: Bool
    /// The ends of the TCP connection; nil where the request came another way.
    public let ends: ConnectionEnds?
    /// The client's end of the connection, which may be closed before the answer.
    public let client: ClientConnection
    /// The uid of the peer at the Unix socket; nil where the request came another way.
    public let peer: UInt32?
    /// The longest body that a handler reads, in bytes.
    public let maxUploadSize: Int
    /// The memory that the answer takes; `nil` where nothing limits it.
    public let room: AnswerRoom?

    /// Makes the context of one request.
    public init(
        logger: Logger,
        correlationID: String,
        isLocal: Bool,
        isOnUnixSocket: Bool = false,
        ends: ConnectionEnds? = nil,
        client: ClientConnection = ClientConnection(),
        peer: UInt32? = nil,
        bodyLimit: Int = HTTPLimits().body,
        room: AnswerRoom? = nil
    ) {
        coreContext = CoreRequestContextStorage(source: LoggerSource(logger: logger))
        self.correlationID = correlationID
        self.isLocal = isLocal
        self.isOnUnixSocket = isOnUnixSocket
        self.ends = ends
        self.client = client
        self.peer = peer
        maxUploadSize = bodyLimit
        self.room = room
    }

    /// Takes a context as it is.
    public init(source: HTTPContext) { self = source }

    private struct LoggerSource: RequestContextSource {
        let logger: Logger
    }

    /// The name under which bounds per caller are kept: the uid of a program of this machine, else the network that the
    /// request came from.
    public var peerName: String { peer.map { "uid \($0)" } ?? client.peerName(ends) }

    /// Returns the decoded path segment that matches the route's parameter `name`.
    ///
    /// - Throws: `HTTPProblem` 400 for a segment that is refused, and for a route without that parameter.
    public func segment(_ name: String) throws(HTTPProblem) -> String {
        guard let segment = parameters.get(name) else { throw HTTPProblem.of(.badRequest) }
        return try RequestPath.decoded(segment)
    }
}

extension HTTPFields {
    /// Returns the value of a field as the subscript does, without the work of joining what is one value anyway.
    public func value(_ name: HTTPField.Name) -> String? {
        let values = self[values: name]
        return values.count > 1 ? self[name] : values.first
    }
}
