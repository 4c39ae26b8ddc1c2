public import Hummingbird

/// A document whose bytes are prepared before the first request.
public struct ReadyDocument: Sendable {
    /// The route's path, by which metrics count the answers.
    let route: String
    /// The bytes as they are now; nil if they have to be waited for.
    let bytes: @Sendable () -> [UInt8]?
    /// Makes the route's answer of the bytes.
    let response: @Sendable ([UInt8]) -> Response

    /// Names a document.
    ///
    /// - Parameters:
    ///   - route: The route's path, as the router has it.
    ///   - bytes: Returns the bytes; nil if there are none now, and the route itself is to answer.
    ///   - response: Makes the answer that the route itself would give.
    public init(
        route: String,
        bytes: @escaping @Sendable () -> [UInt8]?,
        response: @escaping @Sendable ([UInt8]) -> Response
    ) {
        self.route = route
        self.bytes = bytes
        self.response = response
    }
}
