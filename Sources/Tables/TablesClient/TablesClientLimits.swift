/// The limits of one exchange with the API.
public struct TablesClientLimits: Hashable, Sendable {
    /// Time for a connection to be made.
    public var connect: Duration = .seconds(10)
    /// Time for one request and its answer, from the first byte to the last.
    public var whole: Duration = .seconds(30)
    /// Bytes of one answer.
    public var answer = 4 * 1024 * 1024
    /// Bytes of one request's body.
    public var request = 4 * 1024 * 1024
    /// Bytes of one request's address.
    public var address = 16 * 1024
    /// Pages of one list.
    public var pages = 1000

    /// The limits of a person's tool.
    public init() {}
}
