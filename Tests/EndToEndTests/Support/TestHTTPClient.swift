import AsyncHTTPClient
import NIOCore

extension HTTPClient {
    /// The HTTP client that the tests use.
    static let forTests = HTTPClient(eventLoopGroupProvider: .singleton, configuration: .forTests)
}

extension HTTPClient.Configuration {
    /// The default configuration with two changes.
    ///
    /// Idle connections close after 50 ms, because a daemon that shuts down waits a second for the next request on each
    /// open connection. A refused connection fails immediately. The default is to retry until the request times out.
    static var forTests: Self {
        var configuration = Self()
        configuration.connectionPool.idleTimeout = .milliseconds(50)
        configuration.connectionPool.retryConnectionEstablishment = false
        return configuration
    }
}
