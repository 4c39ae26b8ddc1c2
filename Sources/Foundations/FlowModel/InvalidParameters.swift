/// The error that is thrown if a local call is not executed because a parameter is invalid.
public struct InvalidParameters: Error, Hashable, Sendable {
    /// The human-readable message, which names the parameter or its value.
    public let text: Text

    /// Creates an error with the given message.
    public init(_ text: Text) {
        self.text = text
    }
}
