public import Hummingbird
public import Logging

/// What is known of a request besides the request itself.
public struct HTTPContext: RequestContext {
    /// Where a context comes from: one request that arrived at one listener.
    public struct Source: RequestContextSource {
        /// Logs with the request's correlation id.
        public let logger: Logger
        /// `client-request-id` of the request, or one made for it; a UUID in lower case.
        public let correlationID: String
        /// Whether the request came from this machine by itself, not through a proxy.
        public let isLocal: Bool
        /// Bytes of a body that a handler reads.
        public let bodyLimit: Int

        /// A source of one context.
        public init(logger: Logger, correlationID: String, isLocal: Bool, bodyLimit: Int = HTTPLimits().body) {
            self.logger = logger
            self.correlationID = correlationID
            self.isLocal = isLocal
            self.bodyLimit = bodyLimit
        }
    }

    /// What Hummingbird keeps.
    public var coreContext: CoreRequestContextStorage
    /// `client-request-id` of the request, or one made for it; a UUID in lower case.
    public let correlationID: String
    /// Whether the request came from this machine by itself, not through a proxy.
    public let isLocal: Bool
    /// Bytes of a body that a handler reads.
    public let maxUploadSize: Int

    /// The context of one request.
    public init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        correlationID = source.correlationID
        isLocal = source.isLocal
        maxUploadSize = source.bodyLimit
    }
}
