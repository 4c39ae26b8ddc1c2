/// A parameter that a local caller may not send: the call is not made.
public struct InvalidParameters: Error, Hashable, Sendable {
    /// The sentence for people, which names the parameter or its value.
    public let text: Text

    /// Rejects a call.
    public init(_ text: Text) {
        self.text = text
    }
}
