/// What one exchange with the API may take.
public struct TablesClientLimits: Hashable, Sendable {
    /// How long a connection may take to stand.
    public var connect: Duration = .seconds(10)
    /// How long one request and its answer may take, from the first byte to the last.
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
