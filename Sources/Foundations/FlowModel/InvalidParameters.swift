/// An invalid parameter from a local caller.
///
/// The call is not executed.
public struct InvalidParameters: Error, Hashable, Sendable {
    /// The human-readable sentence, which names the parameter or its value.
    public let text: Text

    /// Creates an error with its sentence.
    public init(_ text: Text) {
        self.text = text
    }
}
