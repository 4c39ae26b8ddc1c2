import AsyncHTTPClient
import NIOCore

extension HTTPClient {
    /// The client that tests send requests with.
    static let forTests = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .forTests)
}

extension HTTPClient.Configuration {
    /// The usual configuration, with two exceptions.
    ///
    /// An idle connection closes after 50 ms, because a daemon that ends waits a second for the next request of each open
    /// connection. A connection that is refused fails at once; otherwise the client tries again until the request's timeout.
    static var forTests: Self {
        var configuration = Self()
        configuration.connectionPool.idleTimeout = .milliseconds(50)
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }
}
