import AsyncHTTPClient
import NIOCore

extension HTTPClient {
    /// The HTTP client of the tests.
    static let forTests = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .forTests)
}

extension HTTPClient.Configuration {
    /// The default configuration with two exceptions.
    ///
    /// An idle connection closes after 50 ms, because a daemon that shuts down waits a second for the next request of
    /// each open connection. A refused connection fails at once. By default the client retries until the request's
    /// timeout.
    static var forTests: Self {
        var configuration = Self()
        configuration.connectionPool.idleTimeout = .milliseconds(50)
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }
}
