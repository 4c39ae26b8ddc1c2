public import OAuth

/// An answer to a challenge.
public enum Answer: Sendable {
    /// The person's input, by the names of the nodes.
    case fields([String: JSONValue])
    /// An action instead of an input, such as `resend` or `back`.
    case action(String, value: String? = nil)
    /// The end of the flow: the call that needed it fails, and is not repeated.
    case cancel(reason: String? = nil)

    /// Makes ``fields(_:)`` of texts.
    public static func texts(_ fields: [String: String]) -> Answer {
        .fields(fields.mapValues(JSONValue.string))
    }
}
